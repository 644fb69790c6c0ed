package operator

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// resolutionSections are the sections of the environment that decide which modules run.
const resolutionSections = environment.DatabaseSection | environment.ModulesSection | environment.HostSection

func ModulesList(p *cli.Program) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "modules:list",
		Short: "Show every installed module, what was decided about it, and what the next start would make of it",
		Long: `Lists the installed modules with their version, the stored decision, and what the next start of
the platform would make of each and why. Reads DATABASE_URL, SERVICE_DATABASE_*,
SERVICE_MODULES_DIR, NODE_ENV and what modules are offered: OBJECT_STORAGE_*, SERVICE_SMTP_* and
SERVICE_MODULE_SECRET__*.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, installed, err := discover(p, resolutionSections)
			if err != nil {
				return err
			}
			return platform.WithDatabase(cmd.Context(), settings.Database, nil, func(db *database.Database) error {
				modules, err := platform.ListModules(cmd.Context(),
					platform.NewResolver(installed, db, settings, platform.Secrets{Lookup: p.Lookup}))
				if err != nil {
					return err
				}
				return printModules(p, modules, asJSON)
			})
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// discover reads the sections of the environment that a command needs, and every installed module. It reports
// the problems of both together.
func discover(p *cli.Program, sections environment.Section) (environment.Settings, *catalog.Catalog, error) {
	settings, err := environment.Load(p.Lookup, sections)
	if err != nil {
		return settings, nil, errors.Join(err, moduleFindings(p))
	}
	installed, err := platform.InstalledModules(settings)
	return settings, installed, err
}

// moduleFindings returns what a start would find wrong with the installed modules. It is for a start that
// fails before it reads them. A wrong modules directory is not among them, because the environment's own
// findings report it.
func moduleFindings(p *cli.Program) error {
	settings, err := environment.Load(p.Lookup, environment.ModulesSection)
	if err != nil {
		return nil
	}
	installed, err := platform.InstalledModules(settings)
	if err == nil {
		_, err = platform.ComposeRegistry(installed)
	}
	return err
}

func printModules(p *cli.Program, modules []platform.ListedModule, asJSON bool) error {
	if asJSON {
		return p.PrintJSON(map[string]any{"modules": modules})
	}
	if len(modules) == 0 {
		fmt.Fprintln(p.Stdout, "No module is installed.")
		return nil
	}
	table := tabwriter.NewWriter(p.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "MODULE\tVERSION\tDECISION\tAT THE NEXT START")
	for _, m := range modules {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", m.ID, m.Version, m.Configured, m.Outcome())
	}
	return table.Flush()
}
