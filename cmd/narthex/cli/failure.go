package cli

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

// commandError is why a command failed: a stable code, and one sentence for the person who called it.
type commandError struct{ code, sentence string }

func NewError(code, sentence string) commandError { return commandError{code, sentence} }

// Error is the line that the command prints.
func (e commandError) Error() string { return e.code + ": " + e.sentence }

// Code returns the stable code.
func (e commandError) Code() string { return e.code }

// ErrNotInstalled names no module: what was typed may be anything.
var ErrNotInstalled = NewError("MODULE_NOT_INSTALLED",
	"No module of that id is installed here; see: narthex modules:list")

// PrintJSON writes one line.
func (p *Program) PrintJSON(value any) error {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.Stdout, string(text))
	return err
}
