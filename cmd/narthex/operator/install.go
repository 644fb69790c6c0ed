package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/environment"
)

func ModulesInstall(p *cli.Program) *cobra.Command {
	var force bool
	command := &cobra.Command{
		Use:   "modules:install PACKAGE",
		Short: "Install a module from its package, or replace an older version",
		Long: `Installs <id>-<version>.tar.gz, with <id>-<version>.tar.gz.sha256 beside it, into the modules
directory. Nothing is downloaded. The checksum, the manifest and every file are verified first;
then the module appears as a whole. It runs from the next start of the platform on, after
migrations:apply. A package that would keep the platform from starting, because a module that it
needs is missing or one that needs it wants another version, is refused; --force installs it all
the same. A version that is or was installed from other bytes is refused; with --force it is installed
where NODE_ENV is development. Permissions that people hold and the new version lacks are named,
where the database can be read. Reads SERVICE_MODULES_DIR, which must be set, and DATABASE_URL.
With SERVICE_MODULE_SIGNERS, which names an OpenSSH allowed_signers file, a package is also
refused unless <package>.sig beside it is its signature by one of these keys; --force does not
change that. An author makes one by:
ssh-keygen -Y sign -n narthex-module -f KEY PACKAGE`,
		Example: "  narthex modules:install announcements-1.0.0.tar.gz",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.UsageError("This command takes one package file; see: narthex modules:install --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, err := installation(p)
			if err != nil {
				return err
			}
			var dropped []string
			checks := archive.Checks{Rebuilt: force && !settings.Production}
			checks.Accept = func(staged string) error {
				dropped = platform.DroppedPermissions(settings.Modules.Dir, staged)
				if force {
					return nil
				}
				return acceptStaged(p, settings, staged)
			}
			if settings.Modules.Signers != "" {
				if checks.Signers, err = archive.ReadSigners(settings.Modules.Signers); err != nil {
					return err
				}
			}
			installed, err := archive.Install(settings.Modules.Dir, args[0], abi.PlatformVersion, checks)
			if err != nil {
				return err
			}
			switch installed.Replaced {
			case "":
				fmt.Fprintf(p.Stdout, "Installed: %s %s.\n", installed.ID, installed.Version)
			case installed.Version:
				fmt.Fprintf(p.Stdout, "Installed again: %s %s.\n", installed.ID, installed.Version)
			default:
				fmt.Fprintf(p.Stdout, "Installed: %s %s in place of %s.\n", installed.ID, installed.Version,
					installed.Replaced)
			}
			tellDropped(cmd.Context(), p, dropped)
			nextStart(p, settings)
			return nil
		},
	}
	command.Flags().BoolVar(&force, "force", false,
		"install the package also when the platform would not start with it")
	return command
}

// acceptStaged refuses a module with which the platform would not start. Problems that exist already are no
// reason to refuse it: the package may be part of the repair.
func acceptStaged(p *cli.Program, settings environment.Settings, staged string) error {
	err := catalog.CheckInstall(settings.Modules.Dir, staged, abi.PlatformVersion)
	foreseen := catalog.Findings(nil)
	if !errors.As(err, &foreseen) {
		return err
	}
	known := catalog.Findings(nil)
	if _, err := platform.InstalledModules(settings); err != nil && !errors.As(err, &known) {
		return err
	}
	isKnown := func(f manifest.Finding) bool { return slices.Contains(known, f) }
	if foreseen = slices.DeleteFunc(foreseen, isKnown); len(foreseen) == 0 {
		return nil
	}
	fmt.Fprintln(p.Stderr,
		"Nothing was changed: the platform would not start with this package (--force installs it all the same):")
	return foreseen
}

// holdersLimit limits the wait for the database, without which the module is installed all the same.
const holdersLimit = 5 * time.Second

// tellDropped prints the permissions that the new version lacks and people hold.
func tellDropped(ctx context.Context, p *cli.Program, dropped []string) {
	if len(dropped) == 0 {
		return
	}
	settings, err := environment.Load(p.Lookup, environment.DatabaseSection)
	held := map[string]int(nil)
	if err == nil {
		limited, cancel := context.WithTimeout(ctx, holdersLimit)
		defer cancel()
		held, err = platform.Holders(limited, settings.Database)
	}
	for _, id := range dropped {
		switch {
		case err != nil:
			fmt.Fprintf(p.Stdout, "The new version has no permission %s any more. Whether people hold it is not "+
				"known, because the database could not be read; narthex doctor says it later.\n", id)
		case held[id] > 0:
			fmt.Fprintln(p.Stdout, platform.OrphanedSentence(id, held[id]))
		}
	}
}

// installation returns the settings of a deployment with a modules directory. It refuses a checkout, whose
// modules are sources that are not installed or removed.
func installation(p *cli.Program) (environment.Settings, error) {
	settings, err := environment.Load(p.Lookup, environment.ModulesSection)
	if err == nil && !settings.Modules.Explicit {
		err = cli.UsageError("SERVICE_MODULES_DIR must be set: this command changes the modules directory of an " +
			"installation.")
	}
	return settings, err
}

// nextStart prints what is needed before the change takes effect, and what would prevent the next start.
func nextStart(p *cli.Program, settings environment.Settings) {
	if _, err := platform.InstalledModules(settings); err != nil {
		fmt.Fprintln(p.Stderr, "The platform would not start with what is installed now:")
		platform.Report(p.Stderr, err)
		return
	}
	fmt.Fprintln(p.Stdout, "Next: narthex migrations:apply, then start the platform again.")
}

func ModulesRemove(p *cli.Program) *cobra.Command {
	var id string
	command := &cobra.Command{
		Use:   "modules:remove",
		Short: "Remove a module from the modules directory; its data and history are kept",
		Long: `Takes a module out of the modules directory. Its tables, its migration history, its
configuration and the decision about it stay in the database, and count again when it is
installed again. A platform that runs keeps running it until it is started again. Reads
SERVICE_MODULES_DIR, which must be set.`,
		Example: "  narthex modules:remove -- --module announcements",
		Args:    cli.ModuleGiven(&id),
		RunE: func(*cobra.Command, []string) error {
			settings, err := installation(p)
			if err != nil {
				return err
			}
			if err := requiredBy(settings, id); err != nil {
				return err
			}
			if err := archive.Remove(settings.Modules.Dir, id); err != nil {
				return err
			}
			fmt.Fprintf(p.Stdout, "Removed: %s. Its data are kept. Start the platform again.\n", id)
			return nil
		},
	}
	command.Flags().StringVar(&id, "module", "", "the module's id (required)")
	return command
}

// requiredBy refuses the removal of a module that another module needs. If the installed modules are not
// valid, nothing is refused: the removal may be the repair.
func requiredBy(settings environment.Settings, id string) error {
	installed, err := platform.InstalledModules(settings)
	if findings := catalog.Findings(nil); errors.As(err, &findings) {
		return nil
	}
	if err != nil {
		return err
	}
	var refused catalog.Findings
	for _, m := range installed.Modules {
		if slices.ContainsFunc(m.Dependencies,
			func(e catalog.Edge) bool { return e.Required && e.Provider == id }) {
			refused = append(refused, manifest.Finding{
				Module: m.Manifest.ID, Code: catalog.ErrDependencyMissing,
				Message: "needs the module that would be removed; remove this one first.",
			})
		}
	}
	if refused != nil {
		return refused
	}
	return nil
}
