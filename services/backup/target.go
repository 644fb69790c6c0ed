package backup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/migrations"
)

// target is the database and the buckets that a backup is restored into.
type target struct {
	Installation
	conn     *pgx.Conn
	server   int
	manifest Manifest
	accounts []migrations.Account // set once they are known

	// For a scratch database: objects are left out, and roles have this prefix and are made from elsewhere.
	withoutObjects bool
	rolePrefix     string
	home           *pgx.ConnConfig // to the installation's own database
}

const (
	// undoWithin limits the time for undoing a failed run, also after its context has ended.
	undoWithin = 5 * time.Minute

	// restoreLock is the key of the advisory lock that allows only one restore into a database at a time.
	restoreLock = 0x6e61727468657801
)

// begin refuses a target that is not empty. If an earlier restore of the same file was interrupted here, it
// deletes what that run has restored instead. After begin, the platform does not start on this database.
func (t *target) begin(ctx context.Context) (err error) {
	if t.server, err = serverVersion(ctx, t.conn); err != nil {
		return err
	}
	var free bool
	err = t.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, int64(restoreLock)).Scan(&free)
	if err != nil {
		return failed(err)
	}
	if !free {
		return fail(ErrTargetNotEmpty, "Another restore into this database is under way.", nil)
	}
	cut, of, err := migrations.Restoring(ctx, t.conn)
	if err != nil {
		return err
	}
	if cut && of != t.identity() {
		return fail(ErrTargetNotEmpty, "The restore of another backup was cut here; run that one again first.", nil)
	}
	if cut {
		return t.clear(ctx)
	}
	if err := t.checkEmpty(ctx); err != nil {
		return err
	}
	return migrations.BeginRestore(ctx, t.conn, t.identity())
}

// identity returns a text that is different for each backup.
func (t *target) identity() string {
	first := ""
	if parts := t.manifest.Parts; len(parts) > 0 {
		first = parts[0].SHA256
	}
	return t.manifest.CreatedAt.Format(time.RFC3339Nano) + " " + first
}

func (t *target) checkEmpty(ctx context.Context) error {
	var tables int
	err := t.conn.QueryRow(ctx, `
		SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', $1) AND n.nspname NOT LIKE 'pg\_%'`,
		migrations.PreparedSchema).Scan(&tables)
	if err != nil {
		return failed(err)
	}
	if tables > 0 {
		return fail(ErrTargetNotEmpty, "The database has tables; restore into a new one.", nil)
	}
	if t.withoutObjects {
		return nil
	}
	for _, bucket := range t.Buckets {
		page, err := bucket.Store.List(ctx, "", "", 1)
		if err != nil {
			return err
		}
		if len(page.Objects) > 0 || page.Next != "" {
			return fail(ErrTargetNotEmpty, "The bucket "+bucket.Bucket+" of "+bucket.Module+" has files.", nil)
		}
	}
	return nil
}

// finish marks the restore as complete, so that the platform may start.
func (t *target) finish(ctx context.Context) error { return migrations.EndRestore(ctx, t.conn) }

// undo empties the target after a failed run.
func (t *target) undo() error {
	ctx, cancel := context.WithTimeout(context.Background(), undoWithin)
	defer cancel()
	conn, err := migrations.Connect(ctx, t.Connect) // the connection of the run may be broken
	if err != nil {
		return err
	}
	defer closeConn(conn)
	again := *t
	again.conn = conn
	if err := again.clear(ctx); err != nil {
		return err
	}
	return again.finish(ctx)
}

// clear deletes what a restore has made: schemas, roles and objects.
func (t *target) clear(ctx context.Context) error {
	var accounts []migrations.Account
	var made bool
	err := t.conn.QueryRow(ctx, `SELECT to_regclass('core.module_database_role') IS NOT NULL`).Scan(&made)
	if err == nil && made {
		accounts, err = migrations.Accounts(ctx, t.conn, t.Connect)
	}
	if err != nil {
		return failed(err)
	}
	for _, account := range accounts {
		if err := t.drop(ctx, account); err != nil {
			return failed(err)
		}
	}
	if _, err := t.conn.Exec(ctx, `DROP SCHEMA IF EXISTS `+coreSchema+` CASCADE`); err != nil {
		return failed(err)
	}
	if t.withoutObjects {
		return nil
	}
	for _, bucket := range t.Buckets {
		if err := eachObject(ctx, bucket.Store, func(key string) error {
			return bucket.Store.Delete(ctx, key)
		}); err != nil {
			return err
		}
	}
	return nil
}

// drop removes a module's schema and role.
func (t *target) drop(ctx context.Context, account migrations.Account) error {
	statements := []string{`DROP SCHEMA IF EXISTS ` + quote(account.Schema) + ` CASCADE`}
	if account.Role != "" {
		statements = append(statements,
			`REVOKE ALL ON DATABASE `+quote(t.Connect.Database)+` FROM `+quote(account.Role))
	}
	for _, statement := range statements {
		if _, err := t.conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if account.Role == "" {
		return nil
	}
	return migrations.DropRole(ctx, t.conn, account.Role)
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// compare counts the restored rows and compares them with the manifest.
func (t *target) compare(ctx context.Context) error {
	counted, err := countTables(ctx, t.conn, coreSchema)
	if err != nil {
		return err
	}
	for _, account := range t.accounts {
		conn, err := migrations.Connect(ctx, account.Connect)
		if err != nil {
			return err
		}
		found, err := countTables(ctx, conn, account.Schema)
		closeConn(conn)
		if err != nil {
			return err
		}
		counted = append(counted, found...)
	}
	rows := make(map[string]int64, len(counted))
	for _, table := range counted {
		rows[table.Schema+"."+table.Name] = table.Rows
	}
	var differ []string
	for _, table := range t.manifest.Tables {
		name := table.Schema + "." + table.Name
		if got, exists := rows[name]; isOmitted(table) {
			continue
		} else if !exists || got != table.Rows {
			differ = append(differ, fmt.Sprintf("%s has %d rows, not %d", name, got, table.Rows))
		}
	}
	if len(differ) > 0 {
		return fail(ErrFailed, "What was restored differs: "+strings.Join(differ, "; ")+".",
			errors.New("rows differ"))
	}
	return nil
}
