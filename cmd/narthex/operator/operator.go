// Package operator owns the operator's commands: api:start, and one file for each further group of commands.
package operator

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/modulelogs"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/environment"
)

func APIStart(p *cli.Program) *cobra.Command {
	return &cobra.Command{
		Use:        "api:start",
		SuggestFor: []string{"run", "serve"},
		Short:      "Run the platform from the environment until SIGTERM or Ctrl-C",
		Long: `Runs the platform from the environment; docs/reference/environment.md lists every variable.
It never changes the schema: run migrations:apply first. On SIGTERM or Ctrl-C requests under way are
finished, modules are stopped in reverse order, and the command ends with status 0; a second one ends it
at once. SIGHUP changes nothing: settings and modules are read at the start alone. With
SERVICE_IDLE_EXIT_MINUTES it also ends so when nobody has used it for that long.

To replace SERVICE_IDENTITY_SECRET, put the old one into SERVICE_IDENTITY_SECRET_PREVIOUS: people stay signed
in, and after 30 days it can be removed. Several processes do that in two rounds, so that at every moment
each accepts what the others sign: first every process gets the new secret as the previous one, then every
process gets the two the other way about. After a leak leave it unset, which signs everybody out.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cli.IgnoreHangup()
			settings, err := environment.Load(p.Lookup, environment.Everything)
			inherited, inheritErr := platform.InheritedListener()
			if inheritErr == nil {
				inheritErr = platform.CheckIdleExit(settings, inherited)
			}
			if other := errors.Join(inheritErr, process.Harden()); err != nil || other != nil {
				return errors.Join(err, moduleFindings(p), other)
			}
			log, closeLog := platform.NewLog(p.Stderr)
			defer closeLog()
			s := platform.NewServer(settings, platform.Secrets{Lookup: p.Lookup}, log)
			s.Inherited = inherited
			s.ModuleLogs = func(port int) string { return modulelogs.Folder(p.Lookup, port) }
			return serve(cmd.Context(), s)
		},
	}
}

// serve runs a server until ctx ends or a service fails, and then stops it in order.
func serve(ctx context.Context, s *platform.Server) error {
	if err := s.Start(ctx); err != nil {
		return err
	}
	return s.Wait(ctx)
}
