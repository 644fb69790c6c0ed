package database

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// roleSettings are those that every statement of Core needs. Without a transaction of its own, and behind a
// transaction pooler, it has no other way to get them than from its user. The limit for an idle transaction
// is not among them: it would end the transaction in which a backup keeps its state.
func roleSettings() sessionSettings {
	return append(pageCosts(), statementTimeout(deadlines.Statement))
}

// StoredSettings reports whether Core's user has the settings of Core's sessions in this database. Its error
// is ErrUnreachable.
func (d *Database) StoredSettings(ctx context.Context) (stored bool, err error) {
	var wanted []string
	for _, setting := range roleSettings() {
		wanted = append(wanted, strings.Replace(setting, " = ", "=", 1))
	}
	err = d.core.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT FROM pg_db_role_setting
			WHERE setrole = (SELECT oid FROM pg_roles WHERE rolname = current_user)
			      AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
			      AND setconfig @> $1
		)`, wanted).Scan(&stored)
	if err != nil {
		return false, fail(ErrUnreachable, err)
	}
	return stored, nil
}

// StoreSettings gives Core's user the settings of Core's sessions in this database. Sessions have them that
// begin afterwards. Its error is ErrUnreachable.
func (d *Database) StoreSettings(ctx context.Context) error {
	if stored, err := d.StoredSettings(ctx); err != nil || stored {
		return err
	}
	name := pgx.Identifier{d.settings.Name}.Sanitize()
	for _, setting := range roleSettings() {
		if _, err := d.core.Exec(ctx, "ALTER ROLE CURRENT_USER IN DATABASE "+name+" SET "+setting); err != nil {
			return fail(ErrUnreachable, err)
		}
	}
	return nil
}
