package operator

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// SchemaSections are the sections of the environment that the migration commands read.
const SchemaSections = environment.DatabaseSection | environment.ModulesSection

func MigrationsApply(p *cli.Program) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:        "migrations:apply",
		SuggestFor: []string{"migrate"},
		Short:      "Bring the schema of the platform and of every installed module up to date",
		Long: `Applies what is pending: the platform's own migrations, then each installed module's, which gets
a database role and a schema of its own. Where the database user may not create roles, the SQL
that an administrator can run instead goes to standard output, for psql -f -. Reads
DATABASE_URL, SERVICE_DATABASE_*, SERVICE_MODULES_DIR and NODE_ENV. Running it again, or twice
at once, changes nothing more.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, installed, err := discover(p, SchemaSections)
			if err != nil {
				return err
			}
			return Apply(cmd.Context(), p, settings, installed, asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func Apply(
	ctx context.Context, p *cli.Program, settings environment.Settings, installed *catalog.Catalog, asJSON bool,
) error {
	applied, err := platform.ApplyMigrations(ctx, settings, installed)
	if statements := migrations.Statements(err); len(statements) > 0 {
		return errors.Join(err, printStatements(p, statements, asJSON))
	}
	if err != nil {
		return err
	}
	return printSchema(p, applied, asJSON)
}

func MigrationsStatus(p *cli.Program) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "migrations:status",
		Short: "Show which migrations are applied, pending, or kept of modules that are not installed",
		Args:  cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, installed, err := discover(p, SchemaSections)
			if err != nil {
				return err
			}
			db, err := database.Open(settings.Database)
			if err != nil {
				return err
			}
			status, err := migrations.Status(cmd.Context(), db.Pool(), platform.MigrationLines(installed))
			if err := errors.Join(err, db.Close()); err != nil {
				return err
			}
			return printSchema(p, status, asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func printSchema(p *cli.Program, schema migrations.Report, asJSON bool) error {
	if asJSON {
		return p.PrintJSON(schema)
	}
	for _, line := range schema.Lines {
		printLine(p, line)
	}
	if schema.Pending() {
		fmt.Fprintln(p.Stdout, "Next: narthex migrations:apply")
	}
	return nil
}

// printStatements prints SQL that psql -f - applies as a whole or not at all.
func printStatements(p *cli.Program, statements []string, asJSON bool) error {
	if asJSON {
		return p.PrintJSON(struct {
			Statements []string `json:"statements"`
		}{statements})
	}
	fmt.Fprintln(p.Stdout, "-- Run as an administrator, connected to the database of DATABASE_URL.\nBEGIN;")
	for _, statement := range statements {
		fmt.Fprintln(p.Stdout, statement+";")
	}
	fmt.Fprintln(p.Stdout, "COMMIT;")
	return nil
}

func printLine(p *cli.Program, line migrations.LineReport) {
	title := line.Line
	if line.Retained {
		title += " (not installed; its data and history are kept)"
	}
	fmt.Fprintln(p.Stdout, title)
	for _, file := range line.Applied {
		state := "applied"
		if file.New {
			state = "applied now"
		}
		fmt.Fprintf(p.Stdout, "  %04d %-32s %s\n", file.Version, file.Name, state)
	}
	for _, file := range line.Pending {
		fmt.Fprintf(p.Stdout, "  %04d %-32s pending\n", file.Version, file.Name)
	}
}
