package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// withDatabase opens the database for one command and refuses an old server or schema first. It waits for nobody longer than the
// database's own deadlines.
func withDatabase(ctx context.Context, settings environment.Database, lines []migrations.Line, f func(*database.Database) error) (err error) {
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

// storeFailure gives a store's error that has no code of its own the one that commands print.
func storeFailure(err error) error {
	if err == nil || len(failures(err)) > 0 {
		return err
	}
	return fmt.Errorf("%w: %w", httpapi.ErrStore, err)
}
