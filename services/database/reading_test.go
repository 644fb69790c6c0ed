package database_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// texts returns a reading of one column.
func texts(sql string, into *[]string) database.Reading {
	return database.NewReading(sql, func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
}

func TestCheckAndReadInOneRoundTrip(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	db.Exec(t, `CREATE TABLE hymn (title text); INSERT INTO hymn VALUES ('a'), ('b')`)
	var titles, none, statement []string
	read, err := db.Database(t).CheckAndRead(t.Context(),
		texts(`SELECT title FROM hymn ORDER BY title`, &titles),
		texts(`SELECT title FROM hymn WHERE false`, &none),
		texts(`SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid() AND query LIKE '%ORDER BY title;%'`,
			&statement))
	if !read || err != nil || !slices.Equal(titles, []string{"a", "b"}) || len(none) != 0 {
		t.Errorf("CheckAndRead: read %v, error %v, rows %q and %q, want a and b, and none", read, err, titles, none)
	}
	if len(statement) != 1 {
		t.Error("the readings were sent alone, want one message with all")
	}
	if got := queryText(t, db, `SHOW lock_timeout`); got != "0" {
		t.Errorf("lock_timeout of the session is %s afterwards, want 0", got)
	}
}

func queryText(t *testing.T, db *databasetest.DB, sql string) (text string) {
	t.Helper()
	if err := db.Pool(t).QueryRow(t.Context(), sql).Scan(&text); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return text
}

func TestCheckAndReadLeavesAFailureToTheCaller(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	db.Exec(t, `CREATE TABLE hymn (title text); INSERT INTO hymn VALUES ('a')`)
	process := queryText(t, db, `SELECT pg_backend_pid()::text`)
	var before, after []string
	refuse := database.NewReading(`SELECT title FROM hymn`, func(rows pgx.Rows) error {
		rows.Close()
		return errors.New("not these rows")
	})
	for name, reading := range map[string]database.Reading{
		"no such table": texts(`SELECT title FROM psalm`, new([]string)),
		"a NULL":        texts(`SELECT NULL::text`, new([]string)),
		"rows refused":  refuse,
		"no statement":  texts(` `, new([]string)),
	} {
		before, after = nil, nil
		first, last := texts(`SELECT title FROM hymn`, &before), texts(`SELECT title FROM hymn`, &after)
		read, err := db.Database(t).CheckAndRead(t.Context(), first, reading, last)
		if read || err != nil || len(before) != 1 || len(after) != 0 {
			t.Errorf("%s: read %v, error %v, rows %q before and %q after, want only those before", name, read, err,
				before, after)
		}
	}
	if got := queryText(t, db, `SELECT pg_backend_pid()::text`); got != process {
		t.Error("the session ended, want it used on")
	}
}

// TestCheckAndReadWaitsForNoLock: statement_timeout would end the wait only after 29 s.
func TestCheckAndReadWaitsForNoLock(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	db.Exec(t, `CREATE TABLE hymn (title text)`)
	databasetest.Lock(t, db.Pool(t), `LOCK TABLE hymn IN ACCESS EXCLUSIVE MODE`)
	var limit []string
	read, err := db.Database(t).CheckAndRead(t.Context(), texts(`SHOW lock_timeout`, &limit),
		texts(`SELECT title FROM hymn`, new([]string)))
	if read || err != nil || !slices.Equal(limit, []string{"100ms"}) {
		t.Errorf("a locked table: read %v, error %v, want neither; lock_timeout %q, want 100ms", read, err, limit)
	}
}
