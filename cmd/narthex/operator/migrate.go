package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// schemaSections is what the migration commands read.
const schemaSections = environment.DatabaseSection | environment.ModulesSection

func (p *program) migrationsApply() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:        "migrations:apply",
		SuggestFor: []string{"migrate"},
		Short:      "Bring the schema of the platform and of every installed module up to date",
		Long: `Applies what is pending: the platform's own migrations, then each installed module's, which gets a
database role and a schema of its own. Where the database user may not create roles, the SQL that an
administrator can run instead goes to standard output, for psql -f -. Reads DATABASE_URL, SERVICE_DATABASE_*, SERVICE_MODULES_DIR and NODE_ENV.
Running it again, or twice at once, changes nothing more.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, installed, err := p.discover(schemaSections)
			if err != nil {
				return err
			}
			return p.apply(cmd.Context(), settings, installed, asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func (p *program) apply(ctx context.Context, settings environment.Settings, installed *catalog.Catalog, asJSON bool) error {
	applied, err := applyMigrations(ctx, settings, installed)
	if statements := migrations.Statements(err); len(statements) > 0 {
		return errors.Join(err, p.printStatements(statements, asJSON))
	}
	if err != nil {
		return err
	}
	return p.printSchema(applied, asJSON)
}

func (p *program) migrationsStatus() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "migrations:status",
		Short: "Show which migrations are applied, pending, or kept of modules that are not installed",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, installed, err := p.discover(schemaSections)
			if err != nil {
				return err
			}
			db, err := database.Open(settings.Database)
			if err != nil {
				return err
			}
			status, err := migrations.Status(cmd.Context(), db.Pool(), migrationLines(installed))
			if err := errors.Join(err, db.Close()); err != nil {
				return err
			}
			return p.printSchema(status, asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// migrationLimit is for the largest tables; a run that is cut off leaves complete files, and the next one goes on.
const migrationLimit = time.Hour

func applyMigrations(ctx context.Context, settings environment.Settings, installed *catalog.Catalog) (migrations.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, migrationLimit)
	defer cancel()
	return migrations.Apply(ctx, migrations.Options{
		Connect:    database.Config(settings.Database),
		Modules:    migrationLines(installed),
		SharedRole: !settings.Production,
	})
}

func (p *program) printSchema(schema migrations.Report, asJSON bool) error {
	if asJSON {
		return p.printJSON(schema)
	}
	for _, line := range schema.Lines {
		p.printLine(line)
	}
	if schema.Pending() {
		fmt.Fprintln(p.stdout, "Next: narthex migrations:apply")
	}
	return nil
}

// printStatements prints SQL that psql -f - runs as a whole or not at all.
func (p *program) printStatements(statements []string, asJSON bool) error {
	if asJSON {
		return p.printJSON(struct {
			Statements []string `json:"statements"`
		}{statements})
	}
	fmt.Fprintln(p.stdout, "-- Run as an administrator, connected to the database of DATABASE_URL.\nBEGIN;")
	for _, statement := range statements {
		fmt.Fprintln(p.stdout, statement+";")
	}
	fmt.Fprintln(p.stdout, "COMMIT;")
	return nil
}

func (p *program) printLine(line migrations.LineReport) {
	title := line.Line
	if line.Retained {
		title += " (not installed; its data and history are kept)"
	}
	fmt.Fprintln(p.stdout, title)
	for _, file := range line.Applied {
		state := "applied"
		if file.New {
			state = "applied now"
		}
		fmt.Fprintf(p.stdout, "  %04d %-32s %s\n", file.Version, file.Name, state)
	}
	for _, file := range line.Pending {
		fmt.Fprintf(p.stdout, "  %04d %-32s pending\n", file.Version, file.Name)
	}
}
