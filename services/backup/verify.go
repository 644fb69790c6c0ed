package backup

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/migrations"
)

// Verify proves that a backup can be restored: it does so in a new database of the same server, counts the
// rows, applies the migrations of this program and of the modules, and drops the database again. The
// installation's own database is not touched, but for the verdict, which core.backup_run gets. Errors:
// Restore's, ErrScratch, and the codes of migrations.
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
		return m, failed(errors.Join(err, ctx.Err())) // it was interrupted, which says nothing of the backup
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
	installation.tell("checking the file", 0)
	if m, err = Check(ctx, path, identity); err != nil {
		return m, err
	}
	scratch, err := newScratch(ctx, conn, installation)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, scratch.drop()) }()
	inside, err := migrations.Connect(ctx, scratch.connect)
	if err != nil {
		return m, err
	}
	defer closeConn(inside)
	trial := installation
	trial.Connect, trial.Buckets = scratch.connect, nil
	t := target{
		Installation:   trial,
		conn:           inside,
		manifest:       m,
		withoutObjects: true,
		rolePrefix:     scratch.name + "_",
	}
	if err := t.begin(ctx); err != nil {
		return m, err
	}
	if err := t.fill(ctx, path, identity); err != nil {
		return m, err
	}
	if err := t.finish(ctx); err != nil {
		return m, err
	}
	installation.tell("migrations", 0)
	_, err = migrations.Apply(ctx, migrations.Options{Connect: scratch.connect, Modules: modules,
		SharedRole: installation.SharedRole, RolePrefix: t.rolePrefix})
	return m, err
}

// record writes the verdict, which administrators see. A database without the table gets none.
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

// scratch is a database for one trial, beside the installation's.
type scratch struct {
	conn    *pgx.Conn // to the installation's database; it holds a lock by which others see that this one lives
	name    string    // of the database; its roles begin with it
	connect *pgx.ConnConfig
}

// scratchPrefix begins the names of trial databases, and of their roles.
const scratchPrefix = "scratch_"

func newScratch(ctx context.Context, conn *pgx.Conn, installation Installation) (*scratch, error) {
	if err := sweep(ctx, conn); err != nil {
		return nil, err
	}
	s := &scratch{conn: conn, name: scratchPrefix + strings.ToLower(rand.Text()[:12])}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(hashtext($1))`, s.name); err != nil {
		return nil, failed(err)
	}
	if _, err := conn.Exec(ctx, `CREATE DATABASE `+s.name+` TEMPLATE template0`); err != nil {
		if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) && refused.Code == "42501" {
			return nil, fail(ErrScratch, "The database user may not create databases and roles. Let an administrator "+
				"of the database run: ALTER ROLE "+quote(installation.Connect.User)+" CREATEDB CREATEROLE;", err)
		}
		return nil, failed(err)
	}
	s.connect = installation.Connect.Copy()
	s.connect.Database = s.name
	return s, nil
}

// drop removes the database and its roles.
func (s *scratch) drop() error {
	ctx, cancel := context.WithTimeout(context.Background(), undoWithin)
	defer cancel()
	return dropScratch(ctx, s.conn, s.name)
}

// sweep drops the trial databases of runs that were killed: nobody holds their locks.
func sweep(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `
		SELECT datname::text FROM pg_database
		WHERE datname ~ '^scratch_[a-z2-7]{12}$' AND pg_has_role(datdba, 'USAGE')`)
	if err != nil {
		return failed(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return failed(err)
	}
	for _, name := range names {
		var free bool
		err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtext($1))`, name).Scan(&free)
		if err == nil && free {
			err = dropScratch(ctx, conn, name)
			_, unlocked := conn.Exec(ctx, `SELECT pg_advisory_unlock(hashtext($1))`, name)
			err = errors.Join(err, unlocked)
		}
		if err != nil {
			return failed(err)
		}
	}
	return nil
}

func dropScratch(ctx context.Context, conn *pgx.Conn, name string) error {
	if _, err := conn.Exec(ctx, `DROP DATABASE IF EXISTS `+quote(name)+` WITH (FORCE)`); err != nil {
		return failed(err)
	}
	rows, err := conn.Query(ctx, `SELECT rolname::text FROM pg_roles WHERE starts_with(rolname, $1)`, name+"_")
	if err != nil {
		return failed(err)
	}
	roles, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, role := range roles {
		_, dropped := conn.Exec(ctx, `DROP ROLE IF EXISTS `+quote(role))
		err = errors.Join(err, dropped)
	}
	return failed(err)
}
