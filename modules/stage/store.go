package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// store is the module's own schema.
type store struct{ db *sdk.DB }

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
