package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/modulehost/abi"
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
	p.reportMigration(err)
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
	root.Version = abi.PlatformVersion
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		p.apiStart(),
		p.migrationsApply(),
		p.migrationsStatus(),
		p.createInitialOwner(),
		p.bootstrapOwner(),
		p.transferOwner(),
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
