package identity

import (
	"context"
	"time"
)

// account is a person who signs up.
type account struct {
	id           string
	address      string
	name         string
	passwordHash string
}

// A row that exists is written again as it is, so that both cases end in one commit and take as long; xmax
// tells them apart.
const upsertPerson = `
INSERT INTO core.person (id, email, name, password_hash)
VALUES ($1, $2, $3, $4)
ON CONFLICT (email) DO UPDATE
SET email = excluded.email
RETURNING xmax = 0, now()`

// register leaves an existing person as it is.
func (s *Store) register(ctx context.Context, a account) (created bool, at time.Time, err error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	err = s.pool.QueryRow(ctx, upsertPerson, a.id, a.address, a.name, a.passwordHash).Scan(&created, &at)
	return created, at, err
}
