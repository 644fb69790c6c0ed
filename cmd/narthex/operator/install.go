package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/modulehost/abi"
	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/environment"
)

func (p *program) modulesInstall() *cobra.Command {
	var force bool
	command := &cobra.Command{
		Use:   "modules:install PACKAGE",
		Short: "Install a module from its package, or replace an older version",
		Long: `Installs <id>-<version>.tar.gz, with <id>-<version>.tar.gz.sha256 beside it, into the modules directory. Nothing is
downloaded. The checksum, the manifest and every file are verified first; then the module appears as a whole. It runs from the next
start of the platform on, after migrations:apply. A package that would keep the platform from starting, because a module that it
needs is missing or one that needs it wants another version, is refused; --force installs it all the same. Reads
SERVICE_MODULES_DIR, which must be set.`,
		Example: "  narthex modules:install announcements-1.0.0.tar.gz",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("This command takes one package file; see: narthex modules:install --help")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			settings, err := p.installation()
			if err != nil {
				return err
			}
			accept := func(staged string) error { return p.acceptStaged(settings, staged) }
			if force {
				accept = nil
			}
			installed, err := archive.Install(settings.Modules.Dir, args[0], abi.PlatformVersion, accept)
			if err != nil {
				return err
			}
			switch installed.Replaced {
			case "":
				fmt.Fprintf(p.stdout, "Installed: %s %s.\n", installed.ID, installed.Version)
			case installed.Version:
				fmt.Fprintf(p.stdout, "Installed again: %s %s.\n", installed.ID, installed.Version)
			default:
				fmt.Fprintf(p.stdout, "Installed: %s %s in place of %s.\n", installed.ID, installed.Version, installed.Replaced)
			}
			p.nextStart(settings)
			return nil
		},
	}
	command.Flags().BoolVar(&force, "force", false, "install the package also when the platform would not start with it")
	return command
}

// acceptStaged refuses a module with which the platform would not start. What is wrong already is no reason:
// the package may be part of the remedy.
func (p *program) acceptStaged(settings environment.Settings, staged string) error {
	err := catalog.CheckInstall(settings.Modules.Dir, staged, abi.PlatformVersion)
	foreseen := catalog.Findings(nil)
	if !errors.As(err, &foreseen) {
		return err
	}
	known := catalog.Findings(nil)
	if _, err := installedModules(settings); err != nil && !errors.As(err, &known) {
		return err
	}
	isKnown := func(f manifest.Finding) bool { return slices.Contains(known, f) }
	if foreseen = slices.DeleteFunc(foreseen, isKnown); len(foreseen) == 0 {
		return nil
	}
	fmt.Fprintln(p.stderr,
		"Nothing was changed: the platform would not start with this package (--force installs it all the same):")
	return foreseen
}

// installation is the modules directory of a deployment. A checkout's own modules are sources: they are not installed and removed.
func (p *program) installation() (environment.Settings, error) {
	settings, err := environment.Load(p.lookup, environment.ModulesSection)
	if err == nil && !settings.Modules.Explicit {
		err = usageError("SERVICE_MODULES_DIR must be set: this command changes the modules directory of an installation.")
	}
	return settings, err
}

// nextStart says what has to be done before the change counts, and what would stop it.
func (p *program) nextStart(settings environment.Settings) {
	if _, err := installedModules(settings); err != nil {
		fmt.Fprintln(p.stderr, "The platform would not start with what is installed now:")
		report(p.stderr, err)
		return
	}
	fmt.Fprintln(p.stdout, "Next: narthex migrations:apply, then start the platform again.")
}

func (p *program) modulesRemove() *cobra.Command {
	var id string
	command := &cobra.Command{
		Use:   "modules:remove",
		Short: "Remove a module from the modules directory; its data and history are kept",
		Long: `Takes a module out of the modules directory. Its tables, its migration history, its configuration and the decision about
it stay in the database, and count again when it is installed again. A platform that runs keeps running it until it is started again.
Reads SERVICE_MODULES_DIR, which must be set.`,
		Example: "  narthex modules:remove -- --module announcements",
		Args:    moduleGiven(&id),
		RunE: func(*cobra.Command, []string) error {
			settings, err := p.installation()
			if err != nil {
				return err
			}
			if err := requiredBy(settings, id); err != nil {
				return err
			}
			if err := archive.Remove(settings.Modules.Dir, id); err != nil {
				return err
			}
			fmt.Fprintf(p.stdout, "Removed: %s. Its data are kept. Start the platform again.\n", id)
			return nil
		},
	}
	command.Flags().StringVar(&id, "module", "", "the module's id (required)")
	return command
}

// requiredBy refuses to take away what another module cannot do without. Among broken modules nothing is refused: removing one may be
// the remedy.
func requiredBy(settings environment.Settings, id string) error {
	installed, err := installedModules(settings)
	if findings := catalog.Findings(nil); errors.As(err, &findings) {
		return nil
	}
	if err != nil {
		return err
	}
	var refused catalog.Findings
	for _, m := range installed.Modules {
		if slices.ContainsFunc(m.Dependencies, func(e catalog.Edge) bool { return e.Required && e.Provider == id }) {
			refused = append(refused, manifest.Finding{
				Module: m.Manifest.ID, Code: catalog.ErrDependencyMissing, Message: "needs the module that would be removed; remove this one first.",
			})
		}
	}
	if refused != nil {
		return refused
	}
	return nil
}
