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

// WithDatabase opens the database for one command, and first refuses a server or a schema that is too old.
// Only the database's own deadlines limit its waiting.
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

// StoreFailure gives a store's error without a code the code that commands print.
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

// WithStore opens the identity store for one command.
func WithStore(ctx context.Context, settings environment.Database, f func(*identity.Store) error) error {
	return WithDatabase(ctx, settings, nil,
		func(db *database.Database) error { return f(identity.NewStore(db.Pool())) })
}

// MigrationLimit is long enough for the largest tables. An interrupted run leaves only complete files, and
// the next run continues.
const MigrationLimit = time.Hour

func ApplyMigrations(
	ctx context.Context, settings environment.Settings, installed *catalog.Catalog,
) (migrations.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, MigrationLimit)
	defer cancel()
	if err := refusePooler(ctx, settings.Database); err != nil {
		return migrations.Report{}, err
	}
	report, err := migrations.Apply(ctx, migrations.Options{
		Connect:    database.Config(settings.Database),
		Modules:    MigrationLines(installed),
		SharedRole: !settings.Production,
	})
	if err == nil && settings.Database.Pooled {
		err = storeSettings(ctx, settings.Database)
	}
	return report, err
}

// storeSettings is for a transaction pooler, whose sessions the platform cannot give settings of its own.
func storeSettings(ctx context.Context, settings environment.Database) (err error) {
	db, err := database.Open(settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.StoreSettings(ctx)
}

// refusePooler refuses a transaction pooler that the settings do not name. Whatever else is wrong with the
// database is reported by what uses it next.
func refusePooler(ctx context.Context, settings environment.Database) error {
	db, err := database.Open(settings)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := db.CheckPooler(ctx); errors.Is(err, database.ErrTransactionPooler) {
		return err
	}
	return nil
}
