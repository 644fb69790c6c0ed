package activity

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Store reads the record. A request's query has a deadline of its own and continues when the client
// disconnects, because pgx closes a connection whose query is cancelled. Safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool} }

// row is one entry as it is stored.
type row struct {
	Number int64
	At     time.Time
	Entry  string
	// ActorID and PersonID are the ids of the people in the entry, or empty.
	ActorID, PersonID string
	// InvitationID is the invitation that the entry concerns, or empty.
	InvitationID string
}

// page returns at most one entry more than the query's limit.
func (s *Store) page(ctx context.Context, q query) ([]row, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deadlines.Store)
	defer cancel()
	sql, args := q.statement()
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, store.Unavailable(err)
	}
	found := make([]row, 0, q.limit+1)
	var r row
	columns := []any{&r.Number, &r.At, &r.Entry, &r.ActorID, &r.PersonID, &r.InvitationID}
	if _, err = pgx.ForEachRow(rows, columns, func() error {
		found = append(found, r)
		return nil
	}); err != nil {
		return nil, store.Unavailable(err)
	}
	return found, nil
}

const (
	named = `coalesce(actor_id, '') AS actor_id,
	CASE subject_kind WHEN 'person' THEN subject_id ELSE '' END AS person_id,
	CASE subject_kind WHEN 'invitation' THEN subject_id ELSE '' END AS invitation_id`

	selectAll = `
SELECT number, at, entry, ` + named + `
FROM core.activity
WHERE number < $1
ORDER BY number DESC
LIMIT $2`
)

// invitationOf is the condition for the entries about the invitation by which a person came.
const invitationOf = ` AND subject_kind = 'invitation' AND subject_id = (
		SELECT entry::jsonb -> 'details' ->> 'invitationId'
		FROM core.activity
		WHERE action = 'person.joined' AND subject_kind = 'person' AND subject_id = $%d
		LIMIT 1
	)`

// statement returns SQL with only the conditions that the query needs, because with OR no index would provide
// the order.
func (q query) statement() (sql string, args []any) {
	args = []any{q.below, q.limit + 1}
	conditions := ""
	bind := func(format string, value any) string {
		args = append(args, value)
		return fmt.Sprintf(format, len(args))
	}
	for _, filter := range []struct{ column, value string }{
		{"action", q.action}, {"actor_id", q.actorID},
		{"subject_kind", q.subjectKind}, {"subject_id", q.subjectID},
	} {
		if filter.value != "" {
			conditions += bind(" AND "+filter.column+" = $%d", filter.value)
		}
	}
	if q.from != nil {
		conditions += bind(" AND at >= $%d", *q.from)
	}
	if q.to != nil {
		conditions += bind(" AND at < $%d", *q.to)
	}
	if len(args) == 2 && q.userID == "" {
		return selectAll, args
	}
	const (
		columns = "\n\tSELECT number, at, entry, -number AS age, " + named +
			"\n\tFROM core.activity" +
			"\n\tWHERE -number > -$1::bigint"
		newest = "\n\tORDER BY age\n\tLIMIT $2"
	)
	search := columns + conditions + newest
	if q.userID != "" {
		// Three searches, each with an index, merged in order: what the person did, what was done to them, and the
		// invitation by which they came. The later ones leave out the rows of the first.
		actor := bind(" AND actor_id = $%d", q.userID)
		others := strings.ReplaceAll(actor, "actor_id =", "actor_id IS DISTINCT FROM")
		subject := strings.ReplaceAll(actor, "actor_id", "subject_kind = 'person' AND subject_id") + others
		invitation := fmt.Sprintf(invitationOf, len(args)) + others
		search = "(" + columns + conditions + actor + newest + ")\nUNION ALL\n(" +
			columns + conditions + subject + newest + ")\nUNION ALL\n(" +
			columns + conditions + invitation + newest + ")"
	}
	return "SELECT number, at, entry, actor_id, person_id, invitation_id\nFROM (" + search +
		") AS found\nORDER BY age\nLIMIT $2", args
}
