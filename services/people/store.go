package identity

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// search asks for the first limit people after a position.
type search struct {
	prefix string // "": everybody
	after  peoplePosition
	limit  int
}

// foundPerson is one row of a listing; Key is what it is sorted by before its id.
type foundPerson struct {
	UserID        string
	Email         string
	Name          string
	EmailVerified bool
	Owner         bool
	CreatedAt     time.Time
	Key           string
}

func (p foundPerson) position() peoplePosition {
	return peoplePosition{key: p.Key, id: uuid.MustParse(p.UserID)}
}

const peopleColumns = `
SELECT id::text AS user_id, email, name, email_verified,
	EXISTS (SELECT FROM core.platform_owner o WHERE o.person_id = p.id) AS owner,
	created_at, lower(name) AS key`

const selectPeople = peopleColumns + `
FROM core.person p
WHERE (lower(name) COLLATE "C", id) > ($1, $2)
ORDER BY lower(name) COLLATE "C", id
LIMIT $3`

// Three searches, each by its own index; an OR over them would read everybody.
const searchPeople = peopleColumns + `
FROM core.person p
WHERE id IN (
	(
		SELECT id
		FROM core.person
		WHERE lower(name) COLLATE "C" ^@ lower($4) AND (lower(name) COLLATE "C", id) > ($1, $2)
		ORDER BY lower(name) COLLATE "C", id
		LIMIT $3
	)
	UNION
	(
		SELECT id
		FROM core.person
		WHERE email COLLATE "C" ^@ lower($4) AND (lower(name) COLLATE "C", id) > ($1, $2)
		ORDER BY lower(name) COLLATE "C", id
		LIMIT $3
	)
	UNION
	(
		SELECT id
		FROM core.person
		WHERE id = $5 AND (lower(name) COLLATE "C", id) > ($1, $2)
	)
)
ORDER BY lower(name) COLLATE "C", id
LIMIT $3`

func (s *Store) people(ctx context.Context, q search) ([]foundPerson, error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	sql, arguments := selectPeople, []any{q.after.key, q.after.id.String(), q.limit}
	if q.prefix != "" {
		id, err := uuid.Parse(q.prefix)
		whole := err == nil && id.String() == q.prefix
		sql, arguments = searchPeople, append(arguments, q.prefix, pgUUID(q.prefix, whole))
	}
	rows, err := s.pool.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[foundPerson])
}

// pgUUID is NULL for what is no id, which equals nothing.
func pgUUID(text string, is bool) *string {
	if !is {
		return nil
	}
	return &text
}
