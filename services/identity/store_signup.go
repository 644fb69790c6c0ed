package identity

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// account is a person who signs up.
type account struct {
	id           string
	address      string
	name         string
	passwordHash string
}

// An existing row is written again unchanged. So both cases end in one commit and take the same time. xmax is
// 0 only for a new row.
const upsertPerson = `
INSERT INTO core.person (id, email, name, password_hash)
VALUES ($1, $2, $3, $4)
ON CONFLICT (email) DO UPDATE
SET email = excluded.email
RETURNING xmax = 0, now()`

// register adds a person. It does not change an existing person with the same address.
func (s *Store) register(ctx context.Context, a account) (created bool, at time.Time, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err = s.pool.QueryRow(ctx, upsertPerson, a.id, a.address, a.name, a.passwordHash).Scan(&created, &at)
	return created, at, err
}
