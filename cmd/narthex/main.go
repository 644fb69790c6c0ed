// Command narthex is the whole platform in one program: api:start runs it, the other commands serve the
// person who operates it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/dev"
	"github.com/narthex-platform/narthex/cmd/narthex/doctor"
	"github.com/narthex-platform/narthex/cmd/narthex/operator"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

func main() {
	cli.DieQuietly()
	program := &cli.Program{
		Stdin:  os.Stdin,
		Stdout: os.Stdout,
		Stderr: os.Stderr,
		Lookup: os.LookupEnv,
	}
	os.Exit(run(cli.StopSignals(), program, os.Args[1:]))
}

func run(ctx context.Context, p *cli.Program, args []string) int {
	if len(args) > 1 && args[1] == "--" { // "narthex COMMAND -- --flag" is how some runners pass flags on
		args = append([]string{args[0]}, args[2:]...)
	}
	root := commands(p)
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return cli.ExitSuccess
	}
	if usage := cli.UsageError(""); errors.As(err, &usage) {
		fmt.Fprintln(p.Stderr, usage)
		return cli.ExitUsage
	}
	platform.Report(p.Stderr, err)
	operator.ReportMigration(p, err)
	return cli.ExitFailure
}

func commands(p *cli.Program) *cobra.Command {
	root := &cobra.Command{
		Use:           "narthex COMMAND [--] [flags]",
		Short:         "One daemon for a congregation's software",
		Args:          cli.NoArguments,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.Version = abi.PlatformVersion
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(cli.FlagError)
	root.AddCommand(
		operator.APIStart(p),
		operator.MigrationsApply(p),
		operator.MigrationsStatus(p),
		operator.CreateInitialOwner(p),
		operator.BootstrapOwner(p),
		operator.TransferOwner(p),
		operator.MailTest(p),
		operator.Invite(p),
		operator.ResetLink(p),
		operator.Deactivate(p),
		operator.Reactivate(p),
		operator.Export(p),
		operator.ModulesEnable(p),
		operator.ModulesDisable(p),
		operator.ModulesList(p),
		operator.ModulesValidate(p),
		operator.ModulesInstall(p),
		operator.ModulesRemove(p),
		dev.ModulesNew(p),
		doctor.Doctor(p),
		dev.Dev(p),
		operator.Version(p),
	)
	return root
}
