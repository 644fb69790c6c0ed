package migrations_test

import (
	"bytes"
	"context"
	"net"
	"sync/atomic"
	"testing"

	"github.com/narthex-platform/narthex/migrations"
)

// A run fails at a certain statement, because its connection breaks when the statement is to be sent. The
// next run must apply the file exactly once.
func TestARunThatDiedIsTakenUpByTheNext(t *testing.T) {
	if testing.Short() {
		t.Skip("migrates a database for each moment of a death")
	}
	t.Parallel()
	for name, row := range map[string]struct {
		dies string // at the first statement that contains this
		rows int    // of the file, before the next run
	}{
		"before the module's transaction": {"LOCK TABLE \"module_a\".\"narthex_migration\"", 0},
		"in the middle of the file":       {"INSERT INTO \"module_a\".\"narthex_migration\"", 0},
		"before Core learns of it":        {"\x00\x07applied", 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			f.mustApply()
			file := line("a", `CREATE TABLE counted (n int); INSERT INTO counted VALUES (1)`)
			f.connect.DialFunc = breakAt(row.dies)
			_, err := f.apply(file)
			assertCode(t, err, migrations.ErrUnreachable)

			// This is the state after a crash: "applying" in the ledger, and the file's changes exist or not.
			state := queryValue[string](f, `SELECT state FROM core.migration WHERE line = 'a'`)
			if state != "applying" {
				t.Errorf("the ledger says %q, want applying", state)
			}
			if markers := queryValue[int](f, `SELECT count(*) FROM module_a.narthex_migration`); markers != row.rows {
				t.Errorf("%d markers, want %d", markers, row.rows)
			}
			report, err := migrations.Status(t.Context(), f.Pool(t), []migrations.Line{file})
			if err != nil || len(report.Lines[1].Pending) != 1 || !report.Lines[1].Pending[0].Interrupted {
				t.Errorf("Status after the broken run: %+v, %v; want one pending file, interrupted", report, err)
			}
			assertCode(t, f.check(file), migrations.ErrSchemaOutdated)

			f.connect.DialFunc = (&net.Dialer{}).DialContext
			f.mustApply(file)
			if rows := queryValue[int](f, `SELECT count(*) FROM module_a.counted`); rows != 1 {
				t.Errorf("the file's insert left %d rows, want 1", rows)
			}
			if err := f.check(file); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMigrationOfKilledRunIsImmutable(t *testing.T) {
	f := setup(t)
	f.mustApply()
	f.connect.DialFunc = breakAt("\x00\x07applied")
	_, err := f.apply(line("a", kept))
	assertCode(t, err, migrations.ErrUnreachable)

	f.connect.DialFunc = (&net.Dialer{}).DialContext
	_, err = f.apply(line("a", kept+` -- mended`))
	assertCode(t, err, migrations.ErrHistoryChanged)
	f.mustApply(line("a", kept))
}

// breakAt returns a dial function. The first connection that is to send the text is closed instead.
func breakAt(text string) func(ctx context.Context, network, address string) (net.Conn, error) {
	var broken atomic.Bool
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return &breaking{conn, []byte(text), &broken}, err
	}
}

type breaking struct {
	net.Conn
	text   []byte
	broken *atomic.Bool
}

func (b *breaking) Write(p []byte) (int, error) {
	if bytes.Contains(p, b.text) && b.broken.CompareAndSwap(false, true) {
		_ = b.Conn.Close()
	}
	return b.Conn.Write(p)
}
