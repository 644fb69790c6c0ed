package activity

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// The index activity_joined has the same expression and condition.
const selectJoined = `
SELECT entry::jsonb -> 'details' ->> 'invitationId', subject_id
FROM core.activity
WHERE action = 'person.joined' AND entry::jsonb -> 'details' ->> 'invitationId' = ANY ($1::text[])`

// joined returns who came by these invitations: the ids of people by the id of the invitation.
func (s *Store) joined(ctx context.Context, invitationIDs []string) (map[string]string, error) {
	people := map[string]string{}
	if len(invitationIDs) == 0 {
		return people, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deadlines.Store)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectJoined, invitationIDs)
	if err != nil {
		return nil, store.Unavailable(err)
	}
	var invitation, person string
	if _, err = pgx.ForEachRow(rows, []any{&invitation, &person}, func() error {
		people[invitation] = person
		return nil
	}); err != nil {
		return nil, store.Unavailable(err)
	}
	return people, nil
}
