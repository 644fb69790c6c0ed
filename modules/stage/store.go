package main

import (
	"context"
	"database/sql"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// store is the module's own schema.
type store struct{ db *sdk.DB }

// scanner is a row, of one or of many.
type scanner interface{ Scan(dst ...any) error }

// collect reads all rows of a query.
func collect[T any](rows *sdk.Rows, err error, scan func(row scanner, into *T) error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		var one T
		if err := scan(rows, &one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// missing returns why an edit found no row of a table: errConflict if another writer was faster, or gone if
// the row does not exist.
func missing(ctx context.Context, tx *sdk.Tx, table, id string, gone error) error {
	var there bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+table+` WHERE id = $1)`, id).Scan(&there)
	if err != nil {
		return err
	}
	if there {
		return errConflict
	}
	return gone
}

// orElse replaces the error of a missing row by gone.
func orElse(err, gone error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return gone
	}
	return err
}
