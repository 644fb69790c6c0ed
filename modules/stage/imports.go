package main

import (
	"context"
	"net/http"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// imports are what imports write. A service is cancelled by an undo, so that other modules hear of it.
var imports = sdk.Imports{
	{
		Kind: "services", From: "services", Name: "row.title", Gone: "row.cancelled_at IS NOT NULL",
		Used:    "EXISTS (SELECT FROM stage WHERE service_id = row.id)",
		Remove:  "cancelled_at = coalesce(cancelled_at, now()), rev = row.rev + 1",
		Restore: sdk.RestoreBy(restoreServices),
	},
	{
		Kind: "songs", From: "songs", Name: "row.title",
		Used:    "EXISTS (SELECT FROM items WHERE song_id = row.id)",
		Restore: sdk.RestoreBy(restoreSongs),
	},
}

func restoreSongs(ctx context.Context, tx *sdk.Tx, songs []exchangedSong) error {
	for part := range slices.Chunk(songs, chunk) {
		if err := writeSongs(ctx, tx, part, sdk.Principal(ctx).UserID); err != nil {
			return err
		}
	}
	return nil
}

// restoreServices writes services back, without songs that somebody has deleted since.
func restoreServices(ctx context.Context, tx *sdk.Tx, services []exchangedService) error {
	ids, err := sdk.Select[string](ctx, tx, `SELECT id::text FROM songs`)
	if err != nil {
		return err
	}
	for n := range services {
		services[n].Items = slices.DeleteFunc(services[n].Items, func(i exchangedItem) bool {
			return i.SongID != nil && !slices.Contains(ids, *i.SongID)
		})
	}
	for part := range slices.Chunk(services, chunk) {
		if err := writeServices(ctx, tx, part, sdk.Principal(ctx).UserID); err != nil {
			return err
		}
		for _, one := range part {
			if err := writeServiceItems(ctx, tx, one); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *stage) listImports(ctx context.Context, _ *http.Request) (any, error) {
	past, err := imports.List(ctx, s.store.db)
	return map[string]any{"imports": past}, err
}

// undoImport undoes an import of the last day, except what somebody has changed or uses since.
func (s *stage) undoImport(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoImport)
	if err != nil {
		return nil, err
	}
	var done sdk.Undone
	err = s.writePlan(ctx, func(tx *sdk.Tx, now *status) (onStage bool, err error) {
		done, err = imports.Undo(ctx, tx, id)
		return now.ServiceID != nil, sdk.OrNoRow(err, errNoImport)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

func (s *stage) forgetImports(ctx context.Context) error { return imports.Forget(ctx, s.store.db) }
