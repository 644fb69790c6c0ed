package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The intervals of the search for unused pictures.
const (
	sweepEvery = 20 * time.Hour
	// unusedFor is how long an uploaded picture may wait for its slide to be saved.
	unusedFor = 24 * time.Hour
	sweepPage = 200
)

// sweepUnused is one run of the schedule.
func (a *announcements) sweepUnused(ctx context.Context) error {
	return a.sweep(ctx, time.Now().Add(-unusedFor))
}

// sweep deletes pictures that were uploaded before a time and that no slide names, and objects without a row.
// After an error the next sweep continues with the remaining objects.
func (a *announcements) sweep(ctx context.Context, before time.Time) error {
	keys, err := a.store.dropUnused(ctx, before)
	if err != nil {
		return err
	}
	for _, key := range keys {
		a.deletePicture(ctx, key)
	}
	for {
		page, err := a.images.List(ctx, "", a.sweptTo, sweepPage)
		if err != nil {
			return err
		}
		if err := a.deleteNameless(ctx, page.Objects, before); err != nil {
			return err
		}
		if a.sweptTo = page.Next; a.sweptTo == "" {
			return nil
		}
	}
}

// deleteNameless deletes objects that no row names. An upload in progress has no row yet, so it checks only
// older objects.
func (a *announcements) deleteNameless(ctx context.Context, objects []sdk.Object, before time.Time) error {
	var keys []string
	for _, object := range objects {
		if object.Modified.Before(before) {
			keys = append(keys, object.Key)
		}
	}
	nameless, err := a.store.nameless(ctx, keys)
	if err != nil {
		return err
	}
	for _, key := range nameless {
		a.deleteObject(ctx, key)
	}
	return nil
}

// dropUnused deletes rows of pictures that no slide names and returns the keys of their objects. It locks the
// rows first, so that a picture that is about to be named is skipped, or the slide that names it waits and is
// refused.
func (s *store) dropUnused(ctx context.Context, before time.Time) (keys []string, err error) {
	return keys, s.db.InTx(ctx, func(tx *sdk.Tx) error {
		ids, err := sdk.Select[string](ctx, tx, `
			SELECT id::text
			FROM images
			WHERE created_at < $1 AND `+unused+`
			LIMIT 1000
			FOR UPDATE SKIP LOCKED`, before)
		if err != nil {
			return err
		}
		keys, err = sdk.Select[string](ctx, tx, `
			DELETE FROM images
			WHERE id = ANY($1::uuid[]) AND `+unused+`
			RETURNING object_key`, ids)
		return err
	})
}

// nameless returns the keys that no picture has. The key of a size is that of its picture and a dot.
func (s *store) nameless(ctx context.Context, keys []string) ([]string, error) {
	return sdk.Select[string](ctx, s.db, `
		SELECT key
		FROM unnest($1::text[]) AS key
		WHERE NOT EXISTS (SELECT FROM images WHERE object_key = split_part(key, '.', 1))`, keys)
}
