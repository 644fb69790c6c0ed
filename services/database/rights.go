package database

import "context"

// Rights are those of Core's user that reach beyond its own database.
type Rights struct {
	User       string
	Superuser  bool
	CreateRole bool
	// Administers: with CreateRole the user can make itself the server's administrator, as before PostgreSQL 16.
	Administers bool
}

// Rights returns the rights of Core's user. Its error is ErrUnreachable.
func (d *Database) Rights(ctx context.Context) (r Rights, err error) {
	err = d.core.QueryRow(ctx, `
		SELECT rolname::text, rolsuper, rolcreaterole,
		       rolcreaterole AND current_setting('server_version_num')::int < 160000
		FROM pg_roles
		WHERE rolname = current_user`).Scan(&r.User, &r.Superuser, &r.CreateRole, &r.Administers)
	if err != nil {
		return Rights{}, fail(ErrUnreachable, err)
	}
	return r, nil
}
