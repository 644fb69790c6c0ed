package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// connect opens a session as superuser, without the proxy between the platform and its database.
func (p *place) connect(ctx context.Context) (*pgx.Conn, error) {
	if p.databaseURL != "" {
		return pgx.Connect(ctx, p.databaseURL)
	}
	return pgx.Connect(ctx, p.postgres.URL("postgres")+"?sslmode=disable")
}

// query runs a statement in a new session and returns its first column as text.
func (p *place) query(ctx context.Context, sql string, arguments ...any) (values []string, err error) {
	conn, err := p.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		all, err := row.Values()
		if err != nil || len(all) == 0 {
			return "", err
		}
		return fmt.Sprint(all[0]), nil
	})
}

// countRows counts the rows of every table of the platform and its modules.
func (p *place) countRows(ctx context.Context) (n int64, err error) {
	conn, err := p.connect(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	// Without sequential scans, which the soak counts and which are not the platform's.
	if _, err := conn.Exec(ctx, `SET enable_seqscan = off`); err != nil {
		return 0, err
	}
	// query_to_xml counts exactly, while the statistics are only estimates
	err = conn.QueryRow(ctx, `
		SELECT sum((xpath('/row/n/text()',
			query_to_xml(format('SELECT count(*) AS n FROM %I.%I', schemaname, tablename), false, true, '')))[1]
			::text::bigint)::bigint
		FROM pg_tables WHERE schemaname = 'core' OR schemaname LIKE 'module\_%'`).Scan(&n)
	return n, err
}

// scans is how often tables were read as a whole, by their names.
type scans map[string]int64

// sequentialScans returns PostgreSQL's count for the tables that requests look something up in. A server that
// was killed begins to count at 0 again.
func (p *place) sequentialScans(ctx context.Context) (scans, error) {
	conn, err := p.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, `
		SELECT relname::text, seq_scan
		FROM pg_stat_user_tables
		WHERE schemaname = 'core' AND relname IN ('session', 'person', 'password_reset', 'email_verification',
			'device', 'device_pairing', 'invitation', 'permission_grant')`)
	if err != nil {
		return nil, err
	}
	counted := make(scans)
	var table string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&table, &n}, func() error {
		counted[table] = n
		return nil
	})
	return counted, err
}

// add adds what was counted since before.
func (s scans) add(before, now scans) {
	for table, n := range now {
		if n >= before[table] {
			n -= before[table]
		}
		s[table] += n
	}
}
