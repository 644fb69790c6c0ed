package backup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/migrations"
)

// Scratch is a temporary database on the installation's server, with the content of a backup.
type Scratch struct {
	// Connect is the configuration of connections to it as Core's user.
	Connect *pgx.ConnConfig
	// RolePrefix is the prefix of the roles that are made for it. They are dropped together with it.
	RolePrefix string
	// Home is the configuration of connections to the installation's own database.
	Home *pgx.ConnConfig
	// Manifest is the backup's manifest.
	Manifest Manifest
}

// Clone copies the installation's database, without objects, into a scratch database, calls try, and then
// drops the scratch database. The installation's own database is only read, and the platform may run at the
// same time. Scratch databases of killed runs are dropped first. Errors: those of Create and Verify, and
// try's.
func Clone(ctx context.Context, installation Installation, try func(context.Context, Scratch) error) error {
	file, err := os.CreateTemp("", "narthex-clone-")
	if err == nil {
		err = os.Remove(file.Name()) // the open file stays usable, and nothing remains when this process ends
	}
	if err != nil {
		return fail(ErrFailed, notWritten, err)
	}
	defer func() { _ = file.Close() }()
	conn, err := migrations.Connect(ctx, installation.Connect)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	if err := mayScratch(ctx, conn, installation); err != nil { // before the long copying
		return err
	}
	if _, _, err := installation.write(ctx, file, CreateOptions{WithoutObjects: true}); err != nil {
		return err
	}
	return withScratch(ctx, conn, installation, fmt.Sprintf("/proc/self/fd/%d", file.Fd()), "", try)
}

// withScratch restores a backup into a scratch database, calls try and drops the database.
func withScratch(
	ctx context.Context,
	conn *pgx.Conn,
	installation Installation,
	path, identity string,
	try func(context.Context, Scratch) error,
) (err error) {
	installation.tell("checking the file", 0)
	m, err := Check(ctx, path, identity)
	if err != nil {
		return err
	}
	made, err := newScratch(ctx, conn, installation)
	if err != nil {
		return err
	}
	defer func() {
		installation.tell("dropping the scratch database", 0)
		err = errors.Join(err, made.drop())
	}()
	inside, err := migrations.Connect(ctx, made.connect)
	if err != nil {
		return err
	}
	defer closeConn(inside)
	trial := installation
	trial.Connect, trial.Buckets = made.connect, nil
	t := target{
		Installation:   trial,
		conn:           inside,
		manifest:       m,
		withoutObjects: true,
		rolePrefix:     made.name + "_",
		home:           installation.Connect,
	}
	for _, step := range []func(context.Context) error{
		t.begin, func(ctx context.Context) error { return t.fill(ctx, path, identity) }, t.finish,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return try(ctx, Scratch{Connect: made.connect, RolePrefix: t.rolePrefix, Home: t.home, Manifest: m})
}

// scratch is one temporary database.
type scratch struct {
	conn    *pgx.Conn // to the installation's database; its lock shows that this run is alive
	name    string    // of the database; its roles begin with it
	connect *pgx.ConnConfig
}

// scratchPrefix is the prefix of the names of scratch databases and their roles.
const scratchPrefix = "scratch_"

func newScratch(ctx context.Context, conn *pgx.Conn, installation Installation) (*scratch, error) {
	if err := mayScratch(ctx, conn, installation); err != nil {
		return nil, err
	}
	if err := sweep(ctx, conn); err != nil {
		return nil, err
	}
	s := &scratch{conn: conn, name: scratchPrefix + strings.ToLower(rand.Text()[:12])}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(hashtext($1))`, s.name); err != nil {
		return nil, failed(err)
	}
	create, err := createLikeOwn(ctx, conn, s.name)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, create); err != nil {
		if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) && refused.Code == "42501" {
			return nil, notAllowed(installation, err)
		}
		return nil, failed(err)
	}
	s.connect = installation.Connect.Copy()
	s.connect.Database = s.name
	return s, nil
}

// createLikeOwn returns the statement that creates an empty database with the encoding and the locale of the
// current one. Without them a database gets those of the server, in which the data may be impossible.
func createLikeOwn(ctx context.Context, conn *pgx.Conn, name string) (statement string, err error) {
	err = conn.QueryRow(ctx, `
		SELECT format('CREATE DATABASE %I TEMPLATE template0 ENCODING %L LC_COLLATE %L LC_CTYPE %L', $1::text,
		              pg_encoding_to_char(encoding), datcollate, datctype)
		       || CASE datlocprovider
		              WHEN 'i' THEN format(' LOCALE_PROVIDER icu ICU_LOCALE %L', locale)
		              WHEN 'b' THEN format(' LOCALE_PROVIDER builtin BUILTIN_LOCALE %L', locale)
		              ELSE ' LOCALE_PROVIDER libc'
		          END
		FROM pg_database AS d,
		     -- its column was renamed in PostgreSQL 17
		     LATERAL (SELECT coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale') AS locale) AS l
		WHERE datname = current_database()`, name).Scan(&statement)
	return statement, failed(err)
}

// mayScratch reports ErrScratch for a user who may not create databases and the roles of modules. Where
// modules use Core's user, as in development, no roles are needed.
func mayScratch(ctx context.Context, conn *pgx.Conn, installation Installation) error {
	var databases bool
	err := conn.QueryRow(ctx, `
		SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user`).Scan(&databases)
	if err != nil {
		return failed(err)
	}
	roles, err := migrations.MayMakeRoles(ctx, conn)
	if err != nil {
		return err
	}
	if !databases {
		return notAllowed(installation, nil)
	}
	if !roles && !installation.SharedRole {
		return fail(ErrScratch, "The database user may not make users for modules; let an administrator of the "+
			"database run /usr/share/narthex/roles.sql in it.", nil)
	}
	return nil
}

func notAllowed(installation Installation, cause error) error {
	return fail(ErrScratch, "The database user may not create databases. Let an administrator of the "+
		"database run: ALTER ROLE "+quote(installation.Connect.User)+" CREATEDB;", cause)
}

// drop removes the database and its roles.
func (s *scratch) drop() error {
	ctx, cancel := context.WithTimeout(context.Background(), undoWithin)
	defer cancel()
	err := dropScratch(ctx, s.conn, s.name)
	if err == nil {
		return nil
	}
	conn, err := pgx.ConnectConfig(ctx, s.conn.Config()) // the connection of the run may be broken
	if err != nil {
		return failed(err)
	}
	defer closeConn(conn)
	return dropScratch(ctx, conn, s.name)
}

// sweep drops the scratch databases and roles of killed runs, whose locks are free. An advisory lock belongs
// to one database. Runs of other installations on the same server have their locks in other databases, so
// sweep looks them up in pg_locks.
func sweep(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `
		WITH made AS (
			SELECT datname::text AS name FROM pg_database
			WHERE datname ~ '^scratch_[a-z2-7]{12}$' AND pg_has_role(datdba, 'USAGE')
			UNION
			SELECT left(rolname, 20) FROM pg_roles
			WHERE rolname ~ '^scratch_[a-z2-7]{12}_' AND pg_has_role(oid, 'MEMBER')
		)
		SELECT name FROM made
		WHERE NOT EXISTS (
			SELECT FROM pg_locks
			WHERE locktype = 'advisory' AND objsubid = 1
				AND (classid::bigint << 32 | objid::bigint) = hashtext(name)::bigint)`)
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
	if err := dropDatabase(ctx, conn, name); err != nil {
		return err
	}
	rows, err := conn.Query(ctx, `SELECT rolname::text FROM pg_roles WHERE starts_with(rolname, $1)`, name+"_")
	if err != nil {
		return failed(err)
	}
	roles, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, role := range roles {
		err = errors.Join(err, migrations.DropRole(ctx, conn, role))
	}
	return failed(err)
}

// dropDatabase ends the sessions in a trial database and drops it. WITH (FORCE) would do both, but the server
// refuses it to a non-superuser while an autovacuum worker is in the database. Without FORCE the
// server ends such workers itself, and waits 5 s for sessions that are ending.
func dropDatabase(ctx context.Context, conn *pgx.Conn, name string) error {
	var err error
	for range 3 {
		_, err = conn.Exec(ctx, `
			SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = $1 AND pg_has_role(usesysid, 'MEMBER')`, name)
		if err == nil {
			_, err = conn.Exec(ctx, `DROP DATABASE IF EXISTS `+quote(name))
		}
		if inUse := (*pgconn.PgError)(nil); !errors.As(err, &inUse) || inUse.Code != "55006" {
			break
		}
	}
	return failed(err)
}
