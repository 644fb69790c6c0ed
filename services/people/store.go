package people

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/migrations/folding"
	"github.com/narthex-platform/narthex/services/lookup"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Store is people's SQL. A query has its own deadline and continues when the client disconnects, because pgx
// closes a connection whose query is cancelled. It is safe for concurrent use.
type Store struct {
	pool  *pgxpool.Pool
	links *lookup.Group[tokenHash, liveInvitation]
}

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool) *Store {
	s := &Store{pool: pool}
	s.links = lookup.New(lookup.Limits{Queries: 1, Batch: 128, Timeout: deadlines.Store}, s.readLinks)
	return s
}

// search selects the first limit people after a position.
type search struct {
	text  string   // without a word: everybody
	ids   []string // empty: everybody
	after position
	limit int
}

// foundPerson is one row of the directory. Rows are sorted by Key, then by id.
type foundPerson struct {
	UserID        string
	Email         *string // nil: erased
	Name          string
	EmailVerified bool
	Owner         bool
	CreatedAt     time.Time
	DeactivatedAt *time.Time
	ErasedAt      *time.Time
	HasPasskey    bool
	LastSeenAt    *time.Time // of the sessions that have not ended
	// ErasurePending are module ids, sorted.
	ErasurePending []string
	Key            string
}

func (p foundPerson) position() position {
	return position{key: p.Key, id: uuid.MustParse(p.UserID)}
}

const peopleColumns = `
SELECT id::text AS user_id, email, name, email_verified,
	EXISTS (SELECT FROM core.platform_owner o WHERE o.person_id = p.id) AS owner,
	created_at, deactivated_at, erased_at, has_passkey,
	(SELECT max(n.last_seen_at) FROM core.session n WHERE n.person_id = p.id) AS last_seen_at,
	ARRAY (
		SELECT module_id
		FROM core.person_erasure e
		WHERE e.person_id = p.id AND e.done_at IS NULL
		ORDER BY module_id
	) AS erasure_pending,
	` + sortKey + ` AS key`

// sortKey is the expression by which the directory is sorted: erased people, who have no name, come last. The
// index person_by_name has the same expression.
const sortKey = `(CASE WHEN erased_at IS NULL THEN '0' || name ELSE '1' END) COLLATE "und-x-icu"`

const selectPeople = peopleColumns + `
FROM core.person p
WHERE (` + sortKey + `, id) > ($1, $2)
ORDER BY ` + sortKey + `, id
LIMIT $3`

// OFFSET 0: people are found by their words first. Otherwise PostgreSQL reads everybody by name until the
// page is full.
const searchPeople = peopleColumns + `
FROM (SELECT * FROM core.person WHERE words @@ $4::tsquery OFFSET 0) p
WHERE (` + sortKey + `, id) > ($1, $2)
ORDER BY ` + sortKey + `, id
LIMIT $3`

const selectByID = peopleColumns + `
FROM core.person p
WHERE id = ANY ($4::uuid[]) AND (` + sortKey + `, id) > ($1, $2)
ORDER BY ` + sortKey + `, id
LIMIT $3`

// statement returns the search's SQL statement and its arguments.
func (q search) statement() (sql string, arguments []any) {
	arguments = []any{q.after.key, q.after.id.String(), q.limit}
	words := folding.Search(q.text)
	switch {
	case len(q.ids) > 0:
		return selectByID, append(arguments, q.ids)
	case !isNotUUID(q.text):
		return selectByID, append(arguments, []string{q.text})
	case len(words) == 0:
		return selectPeople, arguments
	}
	return searchPeople, append(arguments, beginningWith(words))
}

// beginningWith returns the query for people who have, for each of the words, one that begins with it.
func beginningWith(words []string) string {
	terms := make([]string, len(words))
	for i, word := range words {
		terms[i] = "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(word) + "':*"
	}
	return strings.Join(terms, " & ")
}

// makeWords makes the words of people who have none: they joined, or changed their name or address.
func (s *Store) makeWords(ctx context.Context) error {
	var missing bool
	err := s.pool.QueryRow(ctx, selectMissingWords).Scan(&missing)
	if err != nil || !missing {
		return err
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := migrations.MakeWords(ctx, tx, wordsAtOnce)
		return err
	})
}

const selectMissingWords = `SELECT EXISTS (SELECT FROM core.person WHERE words IS NULL)`

// wordsAtOnce is far more than the people who join between two searches.
const wordsAtOnce = 5_000

func (s *Store) list(ctx context.Context, q search) ([]foundPerson, error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	sql, arguments := q.statement()
	if sql == searchPeople {
		if err := s.makeWords(ctx); err != nil {
			return nil, err
		}
	}
	// Exec: each search is planned with its own words.
	rows, err := s.pool.Query(ctx, sql, append([]any{pgx.QueryExecModeExec}, arguments...)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[foundPerson])
}
