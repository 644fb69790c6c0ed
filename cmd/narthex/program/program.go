// Package program owns what narthex and narthex-dev have in common: their shared commands, the parsing of a
// command line, and the exit status. Production runs narthex; narthex-dev adds the commands for developers,
// with the libraries that only they need.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/doctor"
	"github.com/narthex-platform/narthex/cmd/narthex/operator"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/script"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// Command creates a cobra command for one invocation.
type Command = func(p *cli.Program) *cobra.Command

// Main runs the command line of this process and exits. In the process of a module that is a script, it runs
// that instead. name is the program's name, more are its additional
// commands.
func Main(name string, more ...Command) {
	if path, runs := process.Script(); runs {
		script.Serve(os.Stdin, path)
	}
	cli.DieQuietly()
	program := &cli.Program{
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Lookup:  os.LookupEnv,
		Environ: os.Environ(),
	}
	os.Exit(run(cli.StopSignals(), program, commands(name, program, more), os.Args[1:]))
}

// Describe returns the commands without an invocation, for manual pages and completions.
func Describe(name string, more ...Command) *cobra.Command {
	nothing := func(string) (string, bool) { return "", false }
	return commands(name, &cli.Program{Stdout: io.Discard, Stderr: io.Discard, Lookup: nothing}, more)
}

func run(ctx context.Context, p *cli.Program, root *cobra.Command, args []string) int {
	if len(args) > 1 && args[1] == "--" { // some runners pass flags as "narthex COMMAND -- --flag"
		args = append([]string{args[0]}, args[2:]...)
	}
	if len(args) > 0 && isDevelopment(args[0]) && !has(root, args[0]) {
		fmt.Fprintf(p.Stderr, "%s is a command of narthex-dev, the program of people who develop; see: "+
			"narthex-dev %[1]s --help\n", args[0])
		return cli.ExitUsage
	}
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

// isDevelopment reports whether a command exists only in narthex-dev, for a caller who tries it in narthex.
func isDevelopment(command string) bool {
	switch command {
	case "dev", "modules:new", "modules:build", "modules:test", "modules:conform", "sdk:export":
		return true
	}
	return false
}

func has(root *cobra.Command, name string) bool {
	return slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
}

func commands(name string, p *cli.Program, more []Command) *cobra.Command {
	root := &cobra.Command{
		Use:           name + " COMMAND [--] [flags]",
		Short:         "One daemon for a congregation's software",
		Args:          cli.NoArguments,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	var version bool
	root.Flags().BoolVarP(&version, "version", "v", false, "version for "+name)
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if !version {
			return cmd.Help()
		}
		_, err := fmt.Fprintln(p.Stdout, abi.PlatformVersion)
		return err
	}
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
		operator.RemoveSecondFactor(p),
		operator.Export(p),
		operator.BackupCreate(p),
		operator.BackupVerify(p),
		operator.BackupRestore(p),
		operator.UpgradeRehearse(p),
		doctor.SupportBundle(p),
		operator.ModulesEnable(p),
		operator.ModulesDisable(p),
		operator.ModulesList(p),
		operator.ModulesLogs(p),
		operator.ModulesValidate(p),
		operator.ModulesPackage(p),
		operator.ModulesInstall(p),
		operator.ModulesRemove(p),
		doctor.Doctor(p),
		operator.Version(p),
	)
	for _, command := range more {
		root.AddCommand(command(p))
	}
	return root
}
