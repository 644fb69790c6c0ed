package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// forget removes an erased person's id from what they wrote and drove. Services and songs remain.
func (s *stage) forget(ctx context.Context, userID string) error {
	return s.store.db.InTx(ctx, func(tx *sdk.Tx) error {
		for _, statement := range []string{
			`UPDATE stage SET driver = NULL WHERE driver = $1`,
			`UPDATE services SET changed_by = NULL WHERE changed_by = $1`,
			`UPDATE songs SET changed_by = NULL WHERE changed_by = $1`,
			`DELETE FROM presses WHERE driver = $1`,
		} {
			if _, err := tx.Exec(ctx, statement, userID); err != nil {
				return err
			}
		}
		return nil
	})
}

// written is a service or a song in its last writer's export.
type written struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// exportPerson returns what the module stores about a person: the services and songs that they were the last
// to write, and whether they drive the screens.
func (s *stage) exportPerson(ctx context.Context, userID string) (any, error) {
	own := struct {
		Services []written `json:"servicesLastWritten"`
		Songs    []written `json:"songsLastWritten"`
		Drives   bool      `json:"drives"`
	}{}
	var err error
	own.Services, err = sdk.Select[written](ctx, s.store.db, `
		SELECT id::text, title FROM services WHERE changed_by = $1 ORDER BY starts_at, id`, userID)
	if err != nil {
		return nil, err
	}
	own.Songs, err = sdk.Select[written](ctx, s.store.db, `
		SELECT id::text, title FROM songs WHERE changed_by = $1
		ORDER BY title COLLATE "und-x-icu", id`, userID)
	if err != nil {
		return nil, err
	}
	err = s.store.db.QueryRow(ctx, `SELECT coalesce(driver = $1, false) FROM stage`, userID).Scan(&own.Drives)
	return own, err
}
