package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/enablement"
)

func (p *program) modulesEnable() *cobra.Command {
	return p.decision("modules:enable", true, "Let a module start with the platform, from the next start on", "starts")
}

func (p *program) modulesDisable() *cobra.Command {
	return p.decision("modules:disable", false, "Keep a module from starting, from the next start on", "does not start")
}

func (p *program) decision(name string, enabled bool, short, outcome string) *cobra.Command {
	var id string
	command := &cobra.Command{
		Use:   name,
		Short: short,
		Long: short + `.
The decision is stored; nothing is started or stopped now, and the module's data are kept.
Reads DATABASE_URL, SERVICE_DATABASE_*, SERVICE_MODULES_DIR and NODE_ENV.`,
		Example: "  narthex " + name + " -- --module announcements",
		Args:    moduleGiven(&id),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, installed, err := p.discover(schemaSections)
			if err != nil {
				return err
			}
			if _, found := installed.Module(id); !found {
				return errNotInstalled
			}
			err = withDatabase(cmd.Context(), settings.Database, nil, func(db *database.Database) error {
				return storeFailure(enablement.NewStore(db.Pool()).Decide(cmd.Context(), id, enabled))
			})
			if err == nil {
				fmt.Fprintf(p.stdout, "Stored: %s %s with the platform, from its next start on. See: narthex modules:list\n", id, outcome)
			}
			return err
		},
	}
	command.Flags().StringVar(&id, "module", "", "the module's id (required)")
	return command
}

// moduleGiven wants --module, and nothing beside flags.
func moduleGiven(id *string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if *id == "" {
			return usageError("--module is required; see: narthex " + cmd.Name() + " --help")
		}
		return noArguments(cmd, args)
	}
}
