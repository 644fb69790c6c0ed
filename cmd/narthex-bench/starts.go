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

// starts are rows in which the server is started anew for each run, from a copy of its program: processes
// that run one file share its pages.
func starts() []row {
	return []row{
		{work: "exec to first 200, no module", unit: "ms", run: only(firstAnswer(0))},
		{work: "exec to first 200, 1 module", unit: "ms", goal: toOlder(atMost, 0.70), run: only(firstAnswer(1)),
			peers: map[string]pair{pocketbase: only(firstAnswer(0))}},
		{work: "start to ready, 1 module", unit: "ms", goal: toOlder(atMost, 0.70), beside: nothing,
			run: only(readiness(1))},
		{work: "start to ready, 10 modules", unit: "ms", goal: toOlder(atMost, 0.55), beside: nothing,
			run: only(readiness(10))},
		{work: "start to ready, 50 modules", unit: "ms", goal: toOlder(atMost, 0.50), beside: nothing,
			run: only(readiness(50))},
		{work: "idle memory, daemon and 1 module", unit: "MiB", goal: itself(atMost, 18), run: only(idleMemory(1)),
			peers: map[string]pair{pocketbase: only(idleMemory(0))}},
		{work: "idle memory, each further module", unit: "MiB", goal: itself(atMost, 5), beside: nothing,
			run: only(furtherMemory)},
	}
}

// begun is a server that was just started beside a running one of the same kind.
type begun struct {
	*system
	at     time.Time
	output *bufio.Scanner
}

// begin starts a server once more with so many modules. end follows.
func begin(s *system, modules int) (*begun, error) {
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
	b := &begun{system: again, output: bufio.NewScanner(output), at: time.Now()}
	return b, command.Start()
}

// end stops the server and waits for it.
func (b *begun) end() error {
	if b.command.Process == nil {
		return nil
	}
	_ = b.command.Process.Signal(syscall.SIGTERM)
	last := ""
	for b.output.Scan() { // else a full pipe would keep it from ending
		last = b.output.Text()
	}
	err := b.command.Wait()
	var failed interface{ ExitCode() int }
	if errors.As(err, &failed) {
		if failed.ExitCode() == -1 { // the signal ended it: it has nothing to stop
			return nil
		}
		return fmt.Errorf("%w: %s", err, last)
	}
	return err
}

// awaitReady waits for the line that says ready.
func (b *begun) awaitReady() error {
	for b.output.Scan() {
		if strings.Contains(b.output.Text(), readyLine) {
			return nil
		}
	}
	return fmt.Errorf("it is not ready: %s", b.output.Text())
}

// awaitAnswer tries the port again until something responds: no line of a log tells exactly.
func (b *begun) awaitAnswer(ctx context.Context) error {
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

func (b *begun) answer(ctx context.Context) error {
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

// firstAnswer is from exec to the first response, in milliseconds.
func firstAnswer(modules int) figure {
	return func(ctx context.Context, s *system, _ time.Duration) (float64, error) {
		b, err := begin(s, modules)
		if err != nil {
			return 0, err
		}
		err = b.awaitAnswer(ctx)
		taken := time.Since(b.at)
		if s.announces { // what is asked to end before it is ready reports a failure
			err = errors.Join(err, b.awaitReady())
		}
		return milliseconds(taken), errors.Join(err, b.end())
	}
}

// readiness is from exec to the line that says ready, in milliseconds.
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

// idle is how long a server does nothing before its memory is read.
const idle = 2 * time.Second

// idleMemory is the proportional set size of the server and its modules in MiB, a while after its start.
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

// furtherMemory is what a module adds to that, of ten.
func furtherMemory(ctx context.Context, s *system, length time.Duration) (float64, error) {
	one, err := idleMemory(1)(ctx, s, length)
	if err != nil {
		return 0, err
	}
	many, err := idleMemory(11)(ctx, s, length)
	return (many - one) / 10, err
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
