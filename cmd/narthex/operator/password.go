package operator

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/environment"
)

// askPassword asks twice without echo on a terminal. Otherwise it reads the first line of standard input.
func askPassword(ctx context.Context, p *cli.Program) (environment.Secret, error) {
	if terminal := int(p.Stdin.Fd()); term.IsTerminal(terminal) {
		return askTerminal(ctx, p, terminal)
	}
	line, err := bufio.NewReader(io.LimitReader(p.Stdin, 4<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) || line == "" {
		return environment.Secret{}, errPasswordInput
	}
	return environment.NewSecret(strings.TrimRight(line, "\r\n")), nil
}

// askTerminal restores the terminal even if it is interrupted. A read cannot be cancelled, so its goroutine
// then stays until the process ends.
func askTerminal(ctx context.Context, p *cli.Program, terminal int) (environment.Secret, error) {
	restore, err := disableEcho(terminal)
	if err != nil {
		return environment.Secret{}, errPasswordInput
	}
	defer restore()
	type result struct {
		password environment.Secret
		err      error
	}
	typed := make(chan result, 1)
	go func() {
		password, err := promptTwice(p, terminal)
		typed <- result{password, err}
	}()
	select {
	case a := <-typed:
		return a.password, a.err
	case <-ctx.Done():
		fmt.Fprintln(p.Stderr)
		return environment.Secret{}, errPasswordInput
	}
}

// disableEcho turns the echo off before the first prompt and keeps it off until the last line is read, so
// that text that is typed or pasted before a prompt is not shown either.
func disableEcho(terminal int) (restore func(), err error) {
	before, err := unix.IoctlGetTermios(terminal, unix.TCGETS)
	if err != nil {
		return nil, err
	}
	silent := *before
	silent.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(terminal, unix.TCSETS, &silent); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(terminal, unix.TCSETS, before) }, nil
}

func promptTwice(p *cli.Program, terminal int) (environment.Secret, error) {
	var entries [2]string
	for i, prompt := range []string{"Password (8 to 128 characters): ", "Once more: "} {
		fmt.Fprint(p.Stderr, prompt)
		entry, err := term.ReadPassword(terminal)
		fmt.Fprintln(p.Stderr)
		if err != nil {
			return environment.Secret{}, errPasswordInput
		}
		entries[i] = string(entry)
	}
	if entries[0] != entries[1] {
		return environment.Secret{}, errPasswordInput
	}
	return environment.NewSecret(entries[0]), nil
}
