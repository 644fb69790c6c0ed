package backup

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/migrations"
)

// Verify proves that a backup can be restored: it restores the backup into a scratch database on the same
// server, counts the rows, applies the migrations of this program and of the modules, and drops the database.
// In the installation's own database it only writes the result, into core.backup_run. Errors: Restore's,
// ErrScratch, and the codes of migrations.
func Verify(
	ctx context.Context, installation Installation, path, identity string, modules []migrations.Line,
) (m Manifest, err error) {
	conn, err := migrations.Connect(ctx, installation.Connect)
	if err != nil {
		return m, err
	}
	defer closeConn(conn)
	m, err = verify(ctx, conn, installation, path, identity, modules)
	if ctx.Err() != nil {
		return m, failed(errors.Join(err, ctx.Err())) // interrupted: this is no result about the backup
	}
	return m, errors.Join(err, record(ctx, conn, err))
}

func verify(
	ctx context.Context,
	conn *pgx.Conn,
	installation Installation,
	path, identity string,
	modules []migrations.Line,
) (m Manifest, err error) {
	err = withScratch(ctx, conn, installation, path, identity, func(ctx context.Context, made Scratch) error {
		m = made.Manifest
		installation.tell("migrations", 0)
		_, err := migrations.Apply(ctx, migrations.Options{Connect: made.Connect, Modules: modules,
			SharedRole: installation.SharedRole, RolePrefix: made.RolePrefix, Home: made.Home})
		return err
	})
	return m, err
}

// record stores the result, which administrators can see. It does nothing in a database without the table.
func record(ctx context.Context, conn *pgx.Conn, verdict error) error {
	var code *string
	var coded interface{ Code() string }
	if errors.As(verdict, &coded) {
		text := coded.Code()
		code = &text
	} else if verdict != nil {
		text := ErrFailed.Code()
		code = &text
	}
	_, err := conn.Exec(ctx, `INSERT INTO core.backup_run (verdict) VALUES ($1)`, code)
	refused := (*pgconn.PgError)(nil)
	if errors.As(err, &refused) && refused.Code == "42P01" { // undefined_table
		return nil
	}
	return failed(err)
}
