// Package script runs the server of a module that is written in TypeScript. It is the platform's own program
// behind the launcher, in the sandbox of every module's process, with an engine (goja) and a loop of its own:
//
//	stdin: the ES module → program → Register: its default export declares routes, channels, schedules
//	a request → a turn of the loop → promises of the platform's calls → later turns → the response
//
// To the platform the process is a module like any other, because Module implements sdk.Module: the SDK
// checks, limits and answers, and each call of a script is one of the SDK's. One goroutine owns the engine
// and runs turns; a call to the platform waits in a goroutine of its own and posts its result as another
// turn. A turn that computes for a second is interrupted.
//
// A script has what the language has, and what the files in js add. It has no require, no files and no
// network, and turns no text into code. docs/modules-typescript.md is for its authors.
//
// Nothing here happens in a process that runs no script: the engine is made in New.
package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// MaxBytes limits a script with its source map: 4 MiB.
const MaxBytes = 4 << 20

// By how many percent the heap grows before the garbage collector runs: little while the script is evaluated,
// so that a process at rest stays near what it needs, because many scripts share a machine. Afterwards an
// interpreter makes garbage with every step: with 50 it took more than half of the processor time of a
// request with a long list.
const (
	percentAtStart = 50
	percentAtWork  = 200
)

// Serve runs the script that is read from in, and never returns. name is its path in the package, for error
// messages.
func Serve(in io.Reader, name string) {
	debug.SetGCPercent(percentAtStart)
	source, err := io.ReadAll(io.LimitReader(in, MaxBytes+1))
	if err == nil && len(source) > MaxBytes {
		err = errTooLong
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sdk.Serve(process{New(name, source)})
}

// process is the module of a process that runs nothing else.
type process struct{ *Module }

// Start starts the script. What its start needed is collected before.
func (p process) Start(ctx context.Context, h *sdk.Host) error {
	err := p.Module.Start(ctx, h)
	debug.SetGCPercent(percentAtWork)
	return err
}

var errTooLong = errors.New("the script is larger than 4 MiB")

// Module is a script as the SDK runs it.
type Module struct {
	name   string
	source []byte
	output io.Writer // what the author reads
	engine *engine
}

var _ sdk.Module = (*Module)(nil)

// New returns the module of a script, which Register evaluates.
func New(name string, source []byte) *Module {
	return &Module{name: name, source: source, output: os.Stderr}
}

// Tell sends what the author reads to w, instead of the process's standard error.
func (m *Module) Tell(w io.Writer) { m.output = w }

// Register evaluates the script and lets its default export declare what it offers. Errors are for the
// author: where the script failed, or what it lacks.
func (m *Module) Register(r *sdk.Registry) error {
	program, err := compile(m.name, m.source)
	if err != nil {
		return err
	}
	m.source = nil
	if m.engine, err = newEngine(m.name, m.output); err != nil {
		return err
	}
	if err := m.engine.register(program, r); err != nil {
		m.engine.loop.close()
		return err
	}
	return nil
}

// Start gives the script the platform, and runs its start hook.
func (m *Module) Start(ctx context.Context, h *sdk.Host) error { return m.engine.begin(ctx, h) }

// Stop ends the loop.
func (m *Module) Stop(context.Context) error {
	if m.engine != nil {
		m.engine.loop.close()
	}
	return nil
}
