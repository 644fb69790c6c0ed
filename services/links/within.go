package links

import (
	"context"
	"crypto/sha256"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/store"
)

const insertUnopened = `
INSERT INTO core.link (id, module_id, permission_id, subject, secret_hash, cookie_hash)
VALUES ($1, $2, $3, $4, $5, $6)`

// CreateIn makes a link in the transaction of whoever uses it as principal. Nobody knows its secrets, so no
// browser opens it, and it has no end.
func (s *Store) CreateIn(
	ctx context.Context, tx *store.Tx, moduleID, permissionID, subject string,
) (id string, err error) {
	id = uuid.NewString()
	secret, cookie := sha256.Sum256(newSecret()), sha256.Sum256(newSecret())
	_, err = tx.Exec(ctx, insertUnopened, id, moduleID, permissionID, subject, secret[:], cookie[:])
	return id, err
}

const revokeLink = `
UPDATE core.link
SET revoked_at = clock_timestamp()
WHERE id = $1 AND revoked_at IS NULL`

// RevokeIn ends one link in a transaction. It is no error if it has ended.
func (s *Store) RevokeIn(ctx context.Context, tx *store.Tx, id string) error {
	_, err := tx.Exec(ctx, revokeLink, id)
	return err
}
