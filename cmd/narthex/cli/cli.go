// Package cli owns what all commands share: one invocation with its streams, usage errors, failures with
// their codes, and signals.
package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"golang.org/x/term"

	"github.com/narthex-platform/narthex/services/environment"
)

// Program is one invocation of the program with everything outside that it uses: streams, environment and
// arguments. Tests run the same code with their own Program.
type Program struct {
	Stdin   *os.File // on a terminal, secrets are read without echo
	Stdout  io.Writer
	Stderr  io.Writer
	Lookup  environment.Lookup
	Environ []string // in the form of os.Environ
}

// IsTerminal reports whether out is a terminal.
func IsTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// PrintJSON writes a value as one line of JSON.
func (p *Program) PrintJSON(value any) error {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.Stdout, string(text))
	return err
}

// The exit statuses (docs/reference/commands.md).
const (
	ExitSuccess = 0
	ExitFailure = 1
	ExitUsage   = 2
)

// commandError is the reason why a command failed: a stable code, and one sentence for the person who called
// it.
type commandError struct{ code, sentence string }

func NewError(code, sentence string) commandError { return commandError{code, sentence} }

// Error is the line that the command prints.
func (e commandError) Error() string { return e.code + ": " + e.sentence }

// Code returns the stable code.
func (e commandError) Code() string { return e.code }

// ErrNotInstalled does not repeat the id: the caller may have typed anything, even a secret.
var ErrNotInstalled = NewError("MODULE_NOT_INSTALLED",
	"No module of that id is installed here; see: narthex modules:list")
