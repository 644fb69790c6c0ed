package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// starts are rows in which each run starts the server again, from a copy of its program, because processes
// that run the same file share its pages.
func starts() []row {
	return []row{
		{work: "exec to first 200, no module", unit: "ms", run: only(firstAnswer(0)),
			peers: map[string]pair{pocketbase: only(firstAnswer(0))}},
		{work: "exec to first 200, 1 module", unit: "ms", goal: toOlder(atMost, 0.70), run: only(firstAnswer(1)),
			peers: map[string]pair{pocketbase: only(firstAnswer(0))}},
		{work: "start to ready, 1 module", unit: "ms", goal: toOlder(atMost, 0.70), beside: nothing,
			run: only(readiness(1))},
		{work: "start to ready, 10 modules", unit: "ms", goal: toOlder(atMost, 0.50), beside: nothing,
			run: only(readiness(10))},
		{work: "start to ready, 50 modules", unit: "ms", goal: toOlder(atMost, 0.50), beside: nothing,
			run: only(readiness(50))},
		{work: "idle memory, daemon and 1 module", unit: "MiB", goal: itself(atMost, 17), run: only(idleMemory(1)),
			peers: map[string]pair{pocketbase: only(idleMemory(0))}},
		{work: "idle memory, each further module", unit: "MiB", goal: itself(atMost, 3), beside: nothing,
			run: only(furtherMemory)},
	}
}

// startedServer is a newly started server, beside a running one of the same kind.
type startedServer struct {
	*system
	at     time.Time
	output *bufio.Scanner
}

// begin starts another server of the same kind with that many modules. The caller must call end.
func begin(s *system, modules int) (*startedServer, error) {
	command, address, err := s.again(modules)
	if err != nil {
		return nil, err
	}
	output, err := command.StderrPipe()
	if err != nil {
		return nil, err
	}
	again := &system{name: s.name, address: address, command: command, alive: s.alive,
		cookies: s.cookies, channel: s.channel, announces: s.announces}
	b := &startedServer{system: again, output: bufio.NewScanner(output), at: time.Now()}
	return b, command.Start()
}

// end stops the server and waits for its end.
func (b *startedServer) end() error {
	if b.command.Process == nil {
		return nil
	}
	_ = b.command.Process.Signal(syscall.SIGTERM)
	last := ""
	for b.output.Scan() { // a full pipe would block the server
		last = b.output.Text()
	}
	err := b.command.Wait()
	var failed interface{ ExitCode() int }
	if errors.As(err, &failed) {
		if failed.ExitCode() == -1 { // the signal ended it: it has no handler for it
			return nil
		}
		return fmt.Errorf("%w: %s", err, last)
	}
	return err
}

// awaitReady waits for the line that reports readiness.
func (b *startedServer) awaitReady() error {
	for b.output.Scan() {
		if strings.Contains(b.output.Text(), readyLine) {
			return nil
		}
	}
	return fmt.Errorf("it is not ready: %s", b.output.Text())
}

// awaitAnswer retries requests until the server responds, because no log line shows that moment exactly.
func (b *startedServer) awaitAnswer(ctx context.Context) error {
	for {
		err := b.answer(ctx)
		if !errors.Is(err, syscall.ECONNREFUSED) {
			return err
		}
		if err := wait(ctx, 200*time.Microsecond); err != nil {
			return err
		}
	}
}

func (b *startedServer) answer(ctx context.Context) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", b.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write(get(cmp.Or(b.alive, livePath), "")); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %s", response.Status)
	}
	return nil
}

// firstAnswer measures from exec to the first response, in milliseconds.
func firstAnswer(modules int) figure {
	return func(ctx context.Context, s *system, _ time.Duration) (float64, error) {
		b, err := begin(s, modules)
		if err != nil {
			return 0, err
		}
		err = b.awaitAnswer(ctx)
		taken := time.Since(b.at)
		if s.announces { // a platform that is stopped before it is ready reports a failure
			err = errors.Join(err, b.awaitReady())
		}
		return milliseconds(taken), errors.Join(err, b.end())
	}
}

// readiness measures from exec to the line that reports readiness, in milliseconds.
func readiness(modules int) figure {
	return func(_ context.Context, s *system, _ time.Duration) (float64, error) {
		b, err := begin(s, modules)
		if err != nil {
			return 0, err
		}
		err = b.awaitReady()
		taken := time.Since(b.at)
		return milliseconds(taken), errors.Join(err, b.end())
	}
}

// idle is how long a server is left idle before its memory is read.
const idle = 2 * time.Second

// idleMemory measures the anonymous memory of the server and its modules in MiB, after an idle time.
func idleMemory(modules int) figure {
	return func(ctx context.Context, s *system, _ time.Duration) (float64, error) {
		b, err := begin(s, modules)
		if err != nil {
			return 0, err
		}
		err = errors.Join(b.awaitAnswer(ctx), wait(ctx, idle))
		bytes, unread := b.memory()
		return float64(bytes) / (1 << 20), errors.Join(err, unread, b.end())
	}
}

// furtherMemory measures how much memory each module adds, over ten modules.
func furtherMemory(ctx context.Context, s *system, length time.Duration) (float64, error) {
	one, err := idleMemory(1)(ctx, s, length)
	if err != nil {
		return 0, err
	}
	many, err := idleMemory(11)(ctx, s, length)
	return (many - one) / 10, err
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
