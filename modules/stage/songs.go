package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// collectSongs returns the songs by title, in lists without their words. A change of theirs is one of the
// plans.
func (s *stage) collectSongs() sdk.Collection[song] {
	return sdk.Collection[song]{
		Path: "/songs", Read: readPlan, Write: editPlan, MaxBody: 32 << 10,
		Only:  []string{"list", "read", "create", "edit", "remove"},
		Check: func(one *song) error { return one.check() },
		Listed: `json_build_object('id', row.id, 'title', row.title, 'credit', row.credit,
			'sections', jsonb_array_length(row.sections), 'rev', row.rev)`,
		Search: `row.folded LIKE folded($1)`,
		Change: func(ctx context.Context, change sdk.CollectionChange) error {
			return s.writePlan(ctx, func(tx *sdk.Tx, now *status) (onStage bool, err error) {
				done, err := change(tx)
				if err != nil || done.Event == "removed" {
					return false, err
				}
				if _, err := tx.Exec(ctx, `UPDATE songs SET changed_by = nullif($2, '') WHERE id = $1`, done.ID,
					sdk.Principal(ctx).UserID); err != nil {
					return false, err
				}
				err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM items WHERE service_id = $1 AND song_id = $2)`,
					now.ServiceID, done.ID).Scan(&onStage)
				return onStage, err
			})
		},
	}
}
