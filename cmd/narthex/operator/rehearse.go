package operator

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/environment"
)

// UpgradeRehearse is upgrade:rehearse: it tries an upgrade on a copy of the installation.
func UpgradeRehearse(p *cli.Program) *cobra.Command {
	var dir string
	var asJSON bool
	command := &cobra.Command{
		Use:   "upgrade:rehearse",
		Short: "Try an upgrade on a copy of the database, and say what would happen and how long it takes",
		Long: `Copies the database, without files, into a new one of the same server, applies the migrations of this
program and of the installed modules to it, starts the platform on it at a free port of the loopback,
asks every module for its page and for one read, stops it and drops the copy. The installation's own
database is only read, and its platform may run meanwhile. In the copy no mail is sent, nothing is
published to other processes, no regular work runs, no module is told to forget anybody, buckets are
empty and in memory, and modules get placeholders for their secrets.
--modules-dir names a folder with modules or packages that would be installed: what they would change is
said, too. Printed are how long each migration took and which locks it held how long on tables that were
there before, and what each module would be; the last line is the verdict. A lock of over one second
that keeps people from a table with rows is a warning. Exit status 1: the upgrade would fail.
The database user needs the right to create databases and roles. Reads the whole environment, as api:start
does, and uses pg_dump of the server's version.`,
		Example: "  narthex upgrade:rehearse\n  narthex upgrade:rehearse -- --modules-dir /root/new-modules",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := environment.Load(p.Lookup, environment.Everything)
			if other := process.Harden(); err != nil || other != nil {
				return errors.Join(err, other)
			}
			return rehearse(cmd.Context(), p, settings, dir, asJSON)
		},
	}
	command.Flags().StringVar(&dir, "modules-dir", "",
		"a folder with modules or packages to install in the rehearsal")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func rehearse(
	ctx context.Context, p *cli.Program, settings environment.Settings, dir string, asJSON bool,
) error {
	tell, end := showProgress(p)
	found, err := platform.Rehearse(ctx, settings, platform.Secrets{Lookup: p.Lookup}, dir, tell)
	end()
	switch {
	case ctx.Err() != nil:
		return cli.NewError("REHEARSAL_FAILED", "It was interrupted, which says nothing of the upgrade.")
	case err != nil:
		return err
	case asJSON:
		err = p.PrintJSON(found)
	default:
		printRehearsal(p, found)
	}
	if err == nil && found.Verdict == platform.WouldFail {
		err = rehearsalFailed{cli.NewError("REHEARSAL_FAILED",
			"The upgrade would fail; the verdict on standard output says why. Nothing was changed."), found.Cause()}
	}
	return err
}

// rehearsalFailed wraps the failure of a migration, if there is one, for ReportMigration.
type rehearsalFailed struct {
	platform.Coded
	cause error
}

// Unwrap returns the failure of a migration, or nil.
func (e rehearsalFailed) Unwrap() error { return e.cause }

func printRehearsal(p *cli.Program, r *platform.Rehearsal) {
	say := func(format string, values ...any) { fmt.Fprintln(p.Stdout, oneLine(fmt.Sprintf(format, values...))) }
	if r.Database.Tables > 0 {
		say("Copied %d rows of %d tables in %.1f s.", r.Database.Rows, r.Database.Tables, r.Database.Seconds)
	}
	for _, m := range r.Migrations {
		state := ""
		if m.Failed {
			state = "  failed"
		}
		say("Migration %s/%s  %.3f s%s", m.Line, m.File, m.Seconds, state)
		for _, lock := range m.Locks {
			if lock.Mode != "AccessShareLock" {
				say("  %s on %s (%d rows) for %.3f s", lock.Mode, lock.Table, lock.Rows, lock.Seconds)
			}
		}
	}
	for _, m := range r.Pending {
		say("Migration %s/%s  not reached", m.Line, m.File)
	}
	if r.Started > 0 {
		say("Started in %.1f s.", r.Started)
	}
	for _, m := range r.Modules {
		printRehearsed(say, m)
	}
	fmt.Fprintln(p.Stdout, oneLine(r.Sentence()))
}

func printRehearsed(say func(string, ...any), m platform.RehearsedModule) {
	version := m.Version
	switch {
	case m.Installed == "":
		version += " (new)"
	case m.Installed != m.Version:
		version = m.Installed + " -> " + m.Version
	}
	state := string(m.Next.State)
	if m.Because != "" {
		state += ": " + m.Because
	}
	say("Module %s %s  %s", m.ID, version, state)
	for _, change := range []struct {
		title string
		items []string
	}{
		{"new permissions", m.Changes.PermissionsAdded}, {"removed permissions", m.Changes.PermissionsRemoved},
		{"new routes", m.Changes.RoutesAdded}, {"removed routes", m.Changes.RoutesRemoved},
		{"migrations", m.Changes.Migrations},
	} {
		if len(change.items) > 0 {
			say("  %s: %s", change.title, strings.Join(change.items, ", "))
		}
	}
	if m.Read != nil {
		say("  asked %s: %d", m.Read.Route, m.Read.Status)
	}
}
