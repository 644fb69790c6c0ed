package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// When pictures that nobody uses are looked for.
const (
	sweepEvery = 20 * time.Hour   // across all processes
	lookEvery  = 10 * time.Minute // whether it is time
	// unusedFor is how long an upload waits for its notice to be saved.
	unusedFor   = 24 * time.Hour
	sweepWithin = 10 * time.Minute
	sweepPage   = 200
)

// sweeps runs a function now and then, from begin to end.
type sweeps struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

func (s *sweeps) begin(run func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.ended = cancel, make(chan struct{})
	go func() {
		defer close(s.ended)
		ticks := time.NewTicker(lookEvery)
		defer ticks.Stop()
		for {
			run(ctx)
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
			}
		}
	}()
}

// end waits until a run has ended. It is fine without begin, and twice.
func (s *sweeps) end(ctx context.Context) error {
	if s.cancel == nil {
		return nil
	}
	s.cancel()
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sweepIfDue sweeps if no process has for a while. One that dies in between leaves the rest to the next time.
func (a *announcements) sweepIfDue(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sweepWithin)
	defer cancel()
	if claimed, err := a.store.claimSweep(ctx); err != nil || !claimed {
		return // without a database there will be another time
	}
	if err := a.sweep(ctx, time.Now().Add(-unusedFor)); err != nil && ctx.Err() == nil {
		a.host.Log.Warn("unused pictures are left until the next sweep")
	}
}

// claimSweep answers whether this process is the one that sweeps now: the one that changed the row.
func (s *store) claimSweep(ctx context.Context) (bool, error) {
	claimed, err := s.db.Exec(ctx, `
		UPDATE sweep SET began_at = now() WHERE began_at < now() - $1 * interval '1 second'`,
		int64(sweepEvery/time.Second))
	return claimed > 0, err
}

// sweep deletes the pictures that were uploaded before a time and that no slide names, and the objects
// without a row.
func (a *announcements) sweep(ctx context.Context, before time.Time) error {
	keys, err := a.store.dropUnused(ctx, before)
	if err != nil {
		return err
	}
	for _, key := range keys {
		a.deleteObject(ctx, key)
	}
	for after, last := "", false; !last; last = after == "" {
		page, err := a.images.List(ctx, "", after, sweepPage)
		if err != nil {
			return err
		}
		if err := a.deleteNameless(ctx, page.Objects, before); err != nil {
			return err
		}
		after = page.Next
	}
	return nil
}

// deleteNameless deletes those objects that no row names. An upload under way has none yet, so only older
// objects are looked at.
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

// dropUnused deletes rows of pictures that no slide names and answers their objects' keys. The rows are
// locked first, so that what is about to be named is skipped, or waits and finds it gone.
func (s *store) dropUnused(ctx context.Context, before time.Time) (keys []string, err error) {
	return keys, s.db.InTx(ctx, func(tx *sdk.Tx) error {
		ids, err := texts(tx.Query(ctx, `
			SELECT id::text
			FROM images
			WHERE created_at < $1 AND NOT EXISTS (SELECT FROM slides WHERE image_id = images.id)
			LIMIT 1000
			FOR UPDATE SKIP LOCKED`, before))
		if err != nil {
			return err
		}
		keys, err = texts(tx.Query(ctx, `
			DELETE FROM images
			WHERE id = ANY($1::uuid[]) AND NOT EXISTS (SELECT FROM slides WHERE image_id = images.id)
			RETURNING object_key`, ids))
		return err
	})
}

// nameless answers those keys that no picture has.
func (s *store) nameless(ctx context.Context, keys []string) ([]string, error) {
	return texts(s.db.Query(ctx, `
		SELECT key
		FROM unnest($1::text[]) AS key
		WHERE NOT EXISTS (SELECT FROM images WHERE object_key = key)`, keys))
}

func texts(rows *sdk.Rows, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}
