package secondfactor

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Store is the SQL of the second factor. A request's queries have a deadline of their own and continue when
// the client disconnects, because pgx closes a connection whose query is cancelled. It is safe for concurrent
// use.
type Store struct{ pool *pgxpool.Pool }

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool} }

// inTx runs f in one transaction under a request's deadline. Its error has a code.
func (s *Store) inTx(ctx context.Context, f func(context.Context, *store.Tx) error) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	return store.Coded(store.InTx(ctx, s.pool, f))
}

// person is what an authenticator shows of somebody.
type person struct{ ID, Address, Name string }

// passkey is a row of core.passkey.
type passkey struct {
	ID             string
	Label          string
	CredentialID   []byte
	PublicKey      []byte
	Transports     []string
	BackupEligible bool
	SignCount      int64
	CreatedAt      time.Time
	LastUsedAt     *time.Time
}

const (
	passkeyColumns = `id::text, label, credential_id, public_key, transports, backup_eligible, sign_count,
	created_at, last_used_at`

	selectPasskeys = `
SELECT ` + passkeyColumns + `
FROM core.passkey
WHERE person_id = $1
ORDER BY created_at, id`

	countCodes = `
SELECT count(*)
FROM core.recovery_code
WHERE person_id = $1`

	selectPerson = `
SELECT id::text, email, name
FROM core.person
WHERE id = $1 AND deactivated_at IS NULL`
)

// querier is the pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func passkeysOf(ctx context.Context, q querier, userID string) ([]passkey, error) {
	rows, err := q.Query(ctx, selectPasskeys, userID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[passkey])
}

// list returns a person's passkeys, the oldest first, and how many recovery codes are left.
func (s *Store) list(ctx context.Context, userID string) (keys []passkey, codesLeft int, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	if keys, err = passkeysOf(ctx, s.pool, userID); err == nil {
		err = s.pool.QueryRow(ctx, countCodes, userID).Scan(&codesLeft)
	}
	return keys, codesLeft, store.Coded(err)
}

// person returns a person and their passkeys.
func (s *Store) person(ctx context.Context, userID string) (p person, keys []passkey, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	if err = s.pool.QueryRow(ctx, selectPerson, userID).Scan(&p.ID, &p.Address, &p.Name); err == nil {
		keys, err = passkeysOf(ctx, s.pool, userID)
	}
	return p, keys, store.Coded(err)
}

func entry(by chain.Actor, action chain.Action, kind, id string) chain.Entry {
	return chain.Entry{Actor: by, Action: action, Subject: chain.Subject{Kind: kind, ID: id}}
}

// oneRow translates the absence of a row.
func oneRow(err, absent error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return absent
	}
	return err
}
