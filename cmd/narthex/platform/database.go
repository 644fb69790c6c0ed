package platform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/identity"
)

// WithDatabase opens the database for one command and refuses an old server or schema first. It waits for
// nobody longer than the database's own deadlines.
func WithDatabase(
	ctx context.Context, settings environment.Database, lines []migrations.Line,
	f func(*database.Database) error,
) (err error) {
	db, err := database.Open(settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Check(ctx); err != nil {
		return err
	}
	if err := migrations.Check(ctx, db.Pool(), lines); err != nil {
		return err
	}
	return f(db)
}

// StoreFailure gives a store's error that has no code of its own the one that commands print.
func StoreFailure(err error) error {
	if err == nil || len(Failures(err)) > 0 {
		return err
	}
	return fmt.Errorf("%w: %w", httpapi.ErrStore, err)
}

func CreateOwner(
	ctx context.Context, settings environment.Database, owner identity.Owner,
) (outcome identity.Outcome, err error) {
	err = WithStore(ctx, settings, func(store *identity.Store) error {
		outcome, err = identity.CreateInitialOwner(ctx, store, owner)
		return err
	})
	return outcome, err
}

// WithStore opens the people of the database for one command.
func WithStore(ctx context.Context, settings environment.Database, f func(*identity.Store) error) error {
	return WithDatabase(ctx, settings, nil,
		func(db *database.Database) error { return f(identity.NewStore(db.Pool())) })
}

// MigrationLimit is for the largest tables; a run that is cut off leaves complete files, and the next one
// goes on.
const MigrationLimit = time.Hour

func ApplyMigrations(
	ctx context.Context, settings environment.Settings, installed *catalog.Catalog,
) (migrations.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, MigrationLimit)
	defer cancel()
	return migrations.Apply(ctx, migrations.Options{
		Connect:    database.Config(settings.Database),
		Modules:    MigrationLines(installed),
		SharedRole: !settings.Production,
	})
}
