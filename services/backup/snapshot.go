package backup

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/migrations"
)

// coreSchema is the platform's own schema.
const coreSchema = "core"

// omitted are Core's tables whose rows give access, or are about attempts to get it. They are empty after a
// restore.
var omitted = []string{
	"session", "password_reset", "email_verification", "invitation", "device_pairing", "link", "feed",
	"pending_sign_in", "second_factor_failure",
	"module_database_role",
}

// snapshot is one state of the database: dumps and counts see the same rows. It keeps a transaction open.
type snapshot struct {
	conn     *pgx.Conn
	name     string
	server   int
	accounts []migrations.Account
}

// takeSnapshot takes a snapshot. The caller must close it.
func takeSnapshot(ctx context.Context, installation Installation) (s *snapshot, err error) {
	conn, err := migrations.Connect(ctx, installation.Connect)
	if err != nil {
		return nil, err
	}
	s = &snapshot{conn: conn}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.server, err = serverVersion(ctx, conn); err != nil {
		return nil, err
	}
	if err := migrations.Present(ctx, conn); err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`); err != nil {
		return nil, failed(err)
	}
	if err := conn.QueryRow(ctx, `SELECT pg_export_snapshot()`).Scan(&s.name); err != nil {
		return nil, failed(err)
	}
	s.accounts, err = migrations.Accounts(ctx, conn, installation.Connect)
	return s, err
}

// close ends the session and with it the transaction.
func (s *snapshot) close() { closeConn(s.conn) }

// counts returns the number of rows of every table, counted as the table's owner.
func (s *snapshot) counts(ctx context.Context) ([]Table, error) {
	tables, err := countTables(ctx, s.conn, coreSchema)
	if err != nil {
		return nil, err
	}
	for i, t := range tables {
		if isOmitted(t) {
			tables[i].Rows = 0
		}
	}
	for _, account := range s.accounts {
		conn, err := migrations.Connect(ctx, account.Connect)
		if err != nil {
			return nil, err
		}
		found, err := s.countAs(ctx, conn, account.Schema)
		closeConn(conn)
		if err != nil {
			return nil, err
		}
		tables = append(tables, found...)
	}
	return tables, nil
}

func (s *snapshot) countAs(ctx context.Context, conn *pgx.Conn, schema string) (tables []Table, err error) {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, conn, options, func(tx pgx.Tx) error {
		// the name comes from the server: digits, letters and hyphens; the statement accepts no parameter
		if _, err := tx.Exec(ctx, `SET TRANSACTION SNAPSHOT '`+s.name+`'`); err != nil {
			return err
		}
		tables, err = countTables(ctx, tx, schema)
		return err
	})
	return tables, failed(err)
}

func isOmitted(t Table) bool {
	if t.Schema != coreSchema {
		return false
	}
	for _, name := range omitted {
		if t.Name == name {
			return true
		}
	}
	return false
}

// querier is a session or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// countTables counts the rows of every table of a schema.
func countTables(ctx context.Context, q querier, schema string) ([]Table, error) {
	rows, err := q.Query(ctx, `
		SELECT c.relname::text
		FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
		ORDER BY 1`, schema)
	if err != nil {
		return nil, failed(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, failed(err)
	}
	tables := make([]Table, 0, len(names))
	for _, name := range names {
		t := Table{Schema: schema, Name: name}
		err := q.QueryRow(ctx, `SELECT count(*) FROM `+pgx.Identifier{schema, name}.Sanitize()).Scan(&t.Rows)
		if err != nil {
			return nil, failed(err)
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// dumpArguments returns pg_dump's arguments for one schema: in PostgreSQL's custom format, without owners and
// privileges, because a restore makes new roles.
func (s *snapshot) dumpArguments(schema string) []string {
	arguments := []string{"--format=custom", "--no-owner", "--no-privileges", "--no-password",
		"--no-publications", "--no-subscriptions", "--snapshot=" + s.name, "--schema=" + strconv.Quote(schema)}
	if schema == coreSchema {
		for _, table := range omitted {
			arguments = append(arguments, "--exclude-table-data="+coreSchema+"."+table)
		}
	}
	return arguments
}
