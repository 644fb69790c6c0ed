package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/porttest"
)

// TestFailover kills the primary under 200 writes a second and promotes its synchronous standby. No
// acknowledged write is lost, every request gets a response, and the platform finds the new primary without
// help.
func TestFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes a primary and a standby")
	}
	t.Parallel()
	pair := startPair(t)
	i := prepare(t, &databasetest.DB{URL: pair.url}, "board")
	i.migrateWithOwner(t)
	pair.replicateSynchronously(t)
	daemon := i.start(t)
	module := modulePID(t, daemon, "board")
	assertDoctor(t, i, "with both servers", "Database servers: 2 of 2 answer, writable: 1.", cli.ExitSuccess)

	owner := i.signIn(t, ownerAddress, ownerPassword)
	owner.transport.MaxIdleConnsPerHost = 64
	ledgers := []*ledger{
		newLedger("the API", func(ctx context.Context, n int) (httpResponse, string, error) {
			email := fmt.Sprintf("guest-%d@example.org", n)
			got, err := owner.doContext(ctx, "POST", "/api/v1/invitations", map[string]string{"email": email})
			return got, email, err
		}),
		newLedger("a module", func(ctx context.Context, _ int) (httpResponse, string, error) {
			got, err := owner.doContext(ctx, "POST", "/api/v1/modules/board/notes", nil)
			return got, got.body, err
		}),
	}
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	for _, l := range ledgers {
		writing.Go(func() { l.write(t, ctx) })
	}
	awaitWrites := func(more int64) {
		t.Helper()
		for _, l := range ledgers {
			wanted := l.acknowledged.Load() + more
			eventually(t, "writes through "+l.name, func() bool { return l.acknowledged.Load() >= wanted })
		}
	}
	awaitWrites(100)

	if err := pair.primary.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, l := range ledgers {
		wanted := l.refused.Load() + 50
		eventually(t, "refusals of "+l.name, func() bool { return l.refused.Load() >= wanted })
	}
	ready := func() int { return owner.do("GET", "/api/v1/health/ready", nil).status }
	if got := ready(); got != http.StatusServiceUnavailable {
		t.Errorf("GET /api/v1/health/ready while only a standby runs: status %d, want 503", got)
	}
	assertDoctor(t, i, "with the standby alone", "DATABASE_UNREACHABLE: The database did not accept a session "+
		"(read-only).", cli.ExitFailure)
	assertNoStart(t, i)

	promoted := time.Now()
	pair.runBlock(t, pair.standby, "promote")
	awaitWrites(200)
	for _, l := range ledgers {
		t.Logf("%s: first write %v after the order to promote", l.name,
			l.firstAfter(promoted).Round(time.Millisecond))
	}
	eventually(t, "the platform is ready", func() bool { return ready() == http.StatusOK })
	stop()
	writing.Wait()

	ledgers[0].assertEquals(t, pair.values(t, pair.standby, `SELECT email FROM core.invitation`))
	ledgers[1].assertEquals(t, pair.values(t, pair.standby, `SELECT id::text FROM module_board.notes`))
	if now := modulePID(t, daemon, "board"); now != module {
		t.Errorf("the module's process is %d after the failover, want still %d", now, module)
	}
	assertDoctor(t, i, "after the failover", "DATABASE_SERVERS_UNREACHABLE: Database servers: 1 of 2 answer, "+
		"writable: 1 (the others: refused)", cli.ExitSuccess)

	// a server may stop accepting writes while its sessions stay open
	pair.query(t, pair.standby, `ALTER SYSTEM SET default_transaction_read_only = on`, `SELECT pg_reload_conf()`)
	eventually(t, "a server that accepts no writes is noticed", func() bool {
		return ready() == http.StatusServiceUnavailable
	})
}

// serverPair is a primary and its standby.
type serverPair struct {
	primary, standby *cluster.Cluster
	url              string // names both servers
}

func startPair(t *testing.T) *serverPair {
	t.Helper()
	const tools = repository + "/.tools"
	programs, err := cluster.Programs(t.Context(), tools)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(programs, "pg_basebackup")); err != nil {
		t.Skip("this copy of PostgreSQL comes without pg_basebackup")
	}
	start := func(options cluster.Options) *cluster.Cluster {
		t.Helper()
		options.Dir, options.Tools, options.FsyncOff = filepath.Join(sharedFolder(t), "server"), tools, true
		started, err := cluster.Start(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = started.Remove() })
		return started
	}
	pair := &serverPair{primary: start(cluster.Options{Replicated: true})}
	pair.standby = start(cluster.Options{Primary: pair.primary})
	first, _, _ := strings.Cut(pair.primary.URL("postgres"), "/postgres")
	_, second, _ := strings.Cut(pair.standby.URL("postgres"), "@")
	pair.url = first + "," + second
	return pair
}

// replicateSynchronously makes the primary acknowledge only writes that the standby has too.
func (p *serverPair) replicateSynchronously(t *testing.T) {
	t.Helper()
	p.runBlock(t, p.primary, "synchronous")
	eventually(t, "the standby is synchronous", func() bool {
		return slices.Equal(p.runBlock(t, p.primary, "state"), []string{"sync"})
	})
}

// runBlock runs the statements of a named block of docs/operations/failover.md, and returns the rows of the
// last statement.
func (p *serverPair) runBlock(t *testing.T, on *cluster.Cluster, name string) (rows []string) {
	t.Helper()
	for _, b := range blocksOf(t, repository+"/docs/operations/failover.md") {
		if b.language != "sql" || b.name != name {
			continue
		}
		for statement := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(b.text), ";"), ";") {
			rows = p.values(t, on, statement)
		}
		return rows
	}
	t.Fatalf("docs/operations/failover.md has no block %q", name)
	return nil
}

func (p *serverPair) query(t *testing.T, on *cluster.Cluster, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		p.values(t, on, statement)
	}
}

// values runs a statement that returns at most one column.
func (p *serverPair) values(t *testing.T, on *cluster.Cluster, sql string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), on.URL("postgres")+"?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var value any
		err := row.Scan(&value)
		return fmt.Sprint(value), err
	})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return values
}

// ledger records which writes on one path were acknowledged.
type ledger struct {
	name                  string
	send                  func(ctx context.Context, n int) (got httpResponse, key string, err error)
	proxied               bool // a proxy responds in the place of processes that are gone
	acknowledged, refused atomic.Int64

	mu   sync.Mutex
	keys map[string]time.Time // when each write was acknowledged
}

func newLedger(
	name string, send func(context.Context, int) (httpResponse, string, error),
) *ledger {
	return &ledger{name: name, send: send, keys: make(map[string]time.Time)}
}

// write starts 100 writes a second until ctx ends, without waiting for earlier responses.
func (l *ledger) write(t *testing.T, ctx context.Context) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var underWay sync.WaitGroup
	defer underWay.Wait()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			underWay.Go(func() { l.writeOne(t, n) })
		}
	}
}

// refusals are the allowed responses to a write while no server accepts writes.
var refusals = []string{`{"code":"STORE_UNAVAILABLE"}`, `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`,
	`{"code":"MODULE_OVERLOADED"}`}

func (l *ledger) writeOne(t *testing.T, n int) {
	got, key, err := l.send(context.Background(), n)
	switch {
	case err != nil:
		t.Errorf("write %d through %s: error %v, want a response", n, l.name, err)
	case got.status == http.StatusOK || got.status == http.StatusCreated:
		l.mu.Lock()
		defer l.mu.Unlock()
		l.keys[key] = time.Now()
		l.acknowledged.Add(1)
	case got.status == http.StatusServiceUnavailable && slices.Contains(refusals, got.body):
		l.refused.Add(1)
	case l.proxied && (got.status == http.StatusBadGateway || got.status == http.StatusServiceUnavailable &&
		got.body == ""): // the process is gone, or none is ready
		l.refused.Add(1)
	default:
		t.Errorf("write %d through %s: status %d, body %s; want it done, or 503 and one of %q", n, l.name,
			got.status, got.body, refusals)
	}
}

// firstAfter returns how long after an instant the first write was acknowledged.
func (l *ledger) firstAfter(instant time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := patience
	for _, at := range l.keys {
		if after := at.Sub(instant); after > 0 {
			first = min(first, after)
		}
	}
	return first
}

// assertEquals compares the ledger with the rows of the table. A refused write may be among the rows, if its
// connection broke after the commit and before the response.
func (l *ledger) assertEquals(t *testing.T, rows []string) {
	t.Helper()
	found := make(map[string]bool, len(rows))
	for _, row := range rows {
		found[row] = true
	}
	if len(found) != len(rows) {
		t.Errorf("%s: %d rows have %d keys, want each write once", l.name, len(rows), len(found))
	}
	lost := 0
	for key := range l.keys {
		if !found[key] {
			lost++
		}
	}
	more := len(rows) + lost - len(l.keys)
	if lost > 0 || more > int(l.refused.Load()) {
		t.Errorf("%s: %d acknowledged writes are lost and %d rows are of writes that nobody sent, want none of "+
			"%d acknowledged and %d refused", l.name, lost, more, len(l.keys), l.refused.Load())
	}
	t.Logf("%s: %d acknowledged and there, %d refused, of which %d are there too", l.name, len(l.keys),
		l.refused.Load(), more)
}

func assertDoctor(t *testing.T, i *installation, when, line string, status int) {
	t.Helper()
	r := runCommand(t, i.environment, "", "doctor")
	if got := r.awaitExit(t); got != status || !strings.Contains(r.stdout.String(), line) {
		t.Errorf("doctor %s: exit status %d, want %d and the line %q:\n%s", when, got, status, line,
			r.stdout.String())
	}
	const topology = "Topology: 2 database servers, of which the platform uses the one that accepts writes."
	if text := r.stdout.String(); !strings.Contains(text, topology) || strings.Contains(text, "127.0.0.1") {
		t.Errorf("doctor %s: want the line %q and no host:\n%s", when, topology, text)
	}
}

// assertNoStart checks that a second process does not start while no server accepts writes.
func assertNoStart(t *testing.T, i *installation) {
	t.Helper()
	second := map[string]string{}
	for name, value := range i.environment {
		second[name] = value
	}
	second["SERVICE_API_PORT"] = strconv.Itoa(porttest.Free(t))
	r := runCommand(t, second, "", "api:start")
	const line = "DATABASE_UNREACHABLE: The database did not accept a session (read-only). "
	if got := r.awaitExit(t); got != cli.ExitFailure || !strings.Contains(r.stderr.String(), line) {
		t.Errorf("api:start with the standby alone: exit status %d, want %d and %q on standard error", got,
			cli.ExitFailure, line)
	}
}
