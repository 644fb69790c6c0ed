package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/services/environment"
)

// program is one invocation with all it touches outside itself, so that tests run the very same thing.
type program struct {
	stdin  *os.File // a terminal is asked without echo
	stdout io.Writer
	stderr io.Writer
	lookup environment.Lookup
}

// The exit statuses of contract.md §9.
const (
	exitSuccess = 0
	exitFailure = 1
	exitUsage   = 2
)

func (p *program) run(ctx context.Context, args []string) int {
	if len(args) > 1 && args[1] == "--" { // "narthex COMMAND -- --flag" is how some runners pass flags on
		args = append([]string{args[0]}, args[2:]...)
	}
	root := p.commands()
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitSuccess
	}
	if usage := usageError(""); errors.As(err, &usage) {
		fmt.Fprintln(p.stderr, usage)
		return exitUsage
	}
	report(p.stderr, err)
	return exitFailure
}

func (p *program) commands() *cobra.Command {
	root := &cobra.Command{
		Use:           "narthex COMMAND [--] [flags]",
		Short:         "One daemon for a congregation's software",
		Args:          noArguments,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, _ error) error {
		return usageError("A flag is unknown or lacks its value; see: narthex " + cmd.Name() + " --help")
	})
	root.AddCommand(
		p.apiStart(),
		p.migrationsApply(),
		p.migrationsStatus(),
		p.createInitialOwner(),
		p.bootstrapOwner(),
		p.modulesEnable(),
		p.modulesDisable(),
		p.modulesList(),
		p.modulesValidate(),
		p.modulesInstall(),
		p.modulesRemove(),
		p.modulesNew(),
		p.doctor(),
		p.dev(),
		p.version(),
	)
	return root
}

// usageError is a sentence about how the command was called. It never repeats what was typed, which may be a secret in the wrong place.
type usageError string

func (e usageError) Error() string { return string(e) }

// noArguments is for every command: all input comes by flags and standard input.
func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasParent():
		return usageError("This command takes flags only; see: narthex " + cmd.Name() + " --help")
	}
	return usageError("There is no such command; see: narthex --help")
}
