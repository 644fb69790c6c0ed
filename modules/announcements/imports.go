package main

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// imports are what imports write. Pictures without a notice are swept.
var imports = sdk.Imports{
	{Kind: "notices", From: "slides", Name: "row.title", Restore: sdk.RestoreBy(restoreNotices)},
}

// restoreNotices writes notices back as they were before an import.
func restoreNotices(ctx context.Context, tx *sdk.Tx, before []exchanged) error {
	for _, was := range before {
		d := was.draft(sdk.Principal(ctx).UserID)
		d.Rev = new(int64)
		if err := tx.QueryRow(ctx, `SELECT rev FROM slides WHERE id = $1`, was.ID).Scan(d.Rev); err != nil {
			return err
		}
		if _, _, err := replace(ctx, tx, was.ID, &d); err != nil {
			return err
		}
	}
	return nil
}

func (a *announcements) listImports(ctx context.Context, _ *http.Request) (any, error) {
	past, err := imports.List(ctx, a.store.db)
	return map[string]any{"imports": past}, err
}

// undoImport undoes an import of the last day, except the notices that somebody has changed since.
func (a *announcements) undoImport(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoImport)
	if err != nil {
		return nil, err
	}
	var done sdk.Undone
	err = a.change(ctx, func(tx *sdk.Tx) (update, error) {
		done, err = imports.Undo(ctx, tx, id)
		return update{}, sdk.OrNoRow(err, errNoImport)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

func (a *announcements) forgetImports(ctx context.Context) error {
	return imports.Forget(ctx, a.store.db)
}
