package database

import "context"

// Installation returns an id that no other database has: the cluster's identifier, which its standbys
// share, and the database's own number in it. It does not reveal where the database is. Its error is
// ErrUnreachable.
func (d *Database) Installation(ctx context.Context) (id string, err error) {
	err = d.core.QueryRow(ctx, `
		SELECT (SELECT system_identifier FROM pg_control_system())::text || '/' || oid
		FROM pg_database
		WHERE datname = current_database()`).Scan(&id)
	if err != nil {
		return "", fail(ErrUnreachable, err)
	}
	return id, nil
}
