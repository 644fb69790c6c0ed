package process

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/process/launcher"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// watch returns why the run ends, a fixed word for the log; "" when ctx ended. Death is easy to see. A
// child that lives and hangs is found by its ping, which the link's reader answers however busy the
// handlers are; one whose reader lives and whose handlers hang, by the calls that it does not end after
// they were abandoned.
func (l *run) watch(ctx context.Context) (reason string) {
	pinging, stop := context.WithCancel(context.Background())
	unanswered := make(chan struct{})
	var pinger sync.WaitGroup
	pinger.Go(func() {
		l.pingUntilUnanswered(pinging)
		close(unanswered)
	})
	defer pinger.Wait()
	defer stop()
	select {
	case <-ctx.Done():
		return ""
	case <-l.child.exited:
		return "exited"
	case <-l.calls.Done():
		return "link lost"
	case <-l.hostLost:
		return "link lost"
	case <-unanswered:
		return reasonPing
	case <-l.stuck:
		return reasonStuck
	}
}

// Why a process that lives is ended.
const (
	reasonPing  = "ping unanswered"
	reasonStuck = "calls stuck"
)

func (l *run) pingUntilUnanswered(ctx context.Context) {
	ticker := time.NewTicker(l.config.Deadlines.PingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		within, cancel := context.WithTimeout(ctx, l.config.Deadlines.Ping)
		err := l.calls.Ping(within)
		cancel()
		if err != nil {
			return
		}
	}
}

// launchFailure tells why a process died before it registered: the launcher could not apply a step of the
// sandbox, there was no thread for it, or neither.
func (c *child) launchFailure() error {
	said, status := c.finalOutput()
	said = strings.TrimSuffix(strings.TrimPrefix(said, launcher.Name+": "), "\n")
	switch {
	case status == launcher.Failed && said == launcher.WordProcesses || lacksThreads(said, status):
		return ErrProcessLimit
	case status == launcher.Failed && slices.Contains(launcher.Steps(), said):
		return withCause(ErrSandboxUnavailable, sandboxStep(said))
	}
	return ErrRegisterFailed
}

// lacksThreads tells whether the process died because it got no thread.
func (c *child) lacksThreads() bool { return lacksThreads(c.finalOutput()) }

// lacksThreads knows what Go's runtime prints then, in a module and in the launcher.
func lacksThreads(said string, status int) bool {
	return status == goFailed && strings.Contains(said, "runtime: failed to create new OS thread")
}

// goFailed is the exit status of a Go program whose runtime gave up.
const goFailed = 2

// finalOutput waits for the process to die and returns the end of its output and its exit status; -1: a
// signal, or it lives.
func (c *child) finalOutput() (said string, status int) {
	if !c.exitedWithin(exitWait) || c.state == nil {
		return "", -1
	}
	c.output.end()
	return string(c.output.kept()), c.state.ExitCode()
}

// exitWait is how long a process may take from closing its links to being dead.
const exitWait = time.Second

type sandboxStep string

func (w sandboxStep) Error() string { return "could not apply " + string(w) }

// report is the autopsy that may be logged: numbers and fixed words, nothing the module wrote.
func (l *run) report(err error) {
	kept, dropped := l.child.output.counts()
	fields := []zap.Field{
		zap.Duration("lived", time.Since(l.began)),
		zap.Int64("output_bytes", kept),
		zap.Int64("output_bytes_dropped", dropped),
	}
	fields = append(fields, exitFields(l.child.state)...)
	if broken := cmp.Or(link.Rule(l.calls.Err()), link.Rule(l.hostErr)); broken != "" {
		fields = append(fields, zap.String("link_rule", broken)) // of docs/link.md
	}
	var code interface{ Code() string }
	if errors.As(err, &code) {
		fields = append(fields, zap.String("code", code.Code()))
	}
	l.config.Log.Info("module process ended", fields...)
}

func exitFields(state *os.ProcessState) []zap.Field {
	if state == nil {
		return nil
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Signaled():
		return []zap.Field{zap.String("exit", "signal"), zap.Int("signal", int(status.Signal()))}
	case ok:
		return []zap.Field{zap.String("exit", "status"), zap.Int("status", status.ExitStatus())}
	}
	return nil
}
