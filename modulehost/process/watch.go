package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// watch returns why the run ends, as a fixed word for the log; "" when ctx ended. A dead child is noticed at
// once. A child that hangs is noticed by its ping, which the reader of its link answers however busy the
// handlers are. If only its handlers hang, it is noticed by abandoned calls that do not end.
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

// Why a living process is ended.
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

// launchFailure returns why a process died before it registered: it failed at a step of the sandbox, the
// launcher could not execute the module, or a thread could not be created. Otherwise it returns
// ErrRegisterFailed.
func (c *child) launchFailure(config *Config) error {
	said, status := c.finalOutput()
	said = strings.TrimSuffix(strings.TrimPrefix(said, launcher.Name+": "), "\n")
	switch {
	case status == launcher.Failed && said == launcher.WordProcesses || lacksThreads(said, status):
		return ErrProcessLimit
	case status == launcher.Failed && slices.Contains(launcher.Steps(), said):
		return withCause(ErrSandboxUnavailable, sandboxStep(said))
	case status == launcher.Failed && said == launcher.WordRefused && config.Script != "" &&
		isDynamic(config.scriptRunner()):
		return withCause(ErrRegisterFailed, errDynamic)
	case status == launcher.Failed && said == launcher.WordRefused:
		return withCause(ErrRegisterFailed, errRefused)
	case status == launcher.Failed && said == launcher.WordExec:
		return withCause(ErrRegisterFailed, errNotExecuted)
	}
	return ErrRegisterFailed
}

// lacksThreads reports whether the process died because a thread could not be created.
func (c *child) lacksThreads() bool { return lacksThreads(c.finalOutput()) }

// lacksThreads recognizes the message that Go's runtime prints then.
func lacksThreads(said string, status int) bool {
	return status == goFailed && strings.Contains(said, "runtime: failed to create new OS thread")
}

// goFailed is the exit status of a Go program whose runtime has failed.
const goFailed = 2

// finalOutput waits for the process to die and returns the end of its output and its exit status. The status
// is -1 if a signal killed it or it still lives.
func (c *child) finalOutput() (said string, status int) {
	if !c.exitedWithin(exitWait) || c.state == nil {
		return "", -1
	}
	c.output.end()
	return string(c.output.kept()), c.state.ExitCode()
}

// death is how a process ended by itself, as the kernel tells it.
type death struct {
	status int // of exit; -1: a signal ended it, or it closed its link and lived on
}

func (d death) Error() string {
	if d.status < 0 {
		return "its process was lost"
	}
	return fmt.Sprintf("its process exited with status %d", d.status)
}

func (c *child) whyDied() error {
	_, status := c.finalOutput()
	return death{status}
}

// exitWait is how long a process may need from closing its links to its exit.
const exitWait = time.Second

type sandboxStep string

func (w sandboxStep) Error() string { return "could not apply " + string(w) }

// report logs the end of the run: only numbers and fixed words, nothing that the module wrote.
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
