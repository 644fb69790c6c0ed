// Package cli owns what all commands share: one invocation with its streams, how it was called wrongly, why
// it failed, and signals.
package cli

import (
	"io"
	"os"

	"github.com/narthex-platform/narthex/services/environment"
)

// Program is one invocation with all it touches outside itself, so that tests run the very same thing.
type Program struct {
	Stdin  *os.File // a terminal is asked without echo
	Stdout io.Writer
	Stderr io.Writer
	Lookup environment.Lookup
}

// The exit statuses (docs/reference/commands.md).
const (
	ExitSuccess = 0
	ExitFailure = 1
	ExitUsage   = 2
)
