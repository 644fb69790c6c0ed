package operator

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/decisions/enablement"
	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/database"
)

func ModulesEnable(p *cli.Program) *cobra.Command {
	return decision(p, "modules:enable", true, "Let a module start with the platform, from the next start on",
		"starts")
}

func ModulesDisable(p *cli.Program) *cobra.Command {
	return decision(p, "modules:disable", false, "Keep a module from starting, from the next start on",
		"does not start")
}

func decision(p *cli.Program, name string, enabled bool, short, outcome string) *cobra.Command {
	var id string
	command := &cobra.Command{
		Use:   name,
		Short: short,
		Long: short + `.
The decision is stored; nothing is started or stopped now, and the module's data are kept.
Reads DATABASE_URL, SERVICE_DATABASE_*, SERVICE_MODULES_DIR and NODE_ENV.`,
		Example: "  narthex " + name + " -- --module announcements",
		Args:    cli.ModuleGiven(&id),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, installed, err := discover(p, SchemaSections)
			if err != nil {
				return err
			}
			if _, found := installed.Module(id); !found {
				return cli.ErrNotInstalled
			}
			err = platform.WithDatabase(cmd.Context(), settings.Database, nil, func(db *database.Database) error {
				store := enablement.NewStore(db.Pool())
				return platform.StoreFailure(store.Decide(cmd.Context(), chain.Operator(), id, enabled))
			})
			if err == nil {
				fmt.Fprintf(p.Stdout, "Stored: %s %s with the platform, from its next start on. See: narthex "+
					"modules:list\n", id, outcome)
			}
			return err
		},
	}
	command.Flags().StringVar(&id, "module", "", "the module's id (required)")
	return command
}
