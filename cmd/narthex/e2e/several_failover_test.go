package e2e

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestKillsAndFailover kills two of three processes and the database's primary under 200 writes a second, and
// promotes the synchronous standby. No acknowledged write is lost, and no write is done that was not sent.
func TestKillsAndFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("a load on three processes")
	}
	t.Parallel()
	const part = 3 * time.Second
	pair := startPair(t)
	i := prepare(t, &databasetest.DB{URL: pair.url}, "board")
	i.migrateWithOwner(t)
	pair.replicateSynchronously(t)
	s := startSeveral(t, i)
	owner := s.browser(0).signInAs(t, ownerAddress)
	owner.cookie = "" // the jar sends it
	ledgers := []*ledger{
		newLedger("nginx and the API", func(ctx context.Context, n int) (httpResponse, string, error) {
			email := fmt.Sprintf("guest-%d@example.org", n)
			got, err := s.at(0, owner).doContext(ctx, "POST", "/api/v1/invitations", map[string]string{"email": email})
			return got, email, err
		}),
		newLedger("Caddy and a module", func(ctx context.Context, _ int) (httpResponse, string, error) {
			got, err := s.at(1, owner).doContext(ctx, "POST", "/api/v1/modules/board/notes", nil)
			return got, got.body, err
		}),
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var writing sync.WaitGroup
	for _, l := range ledgers {
		l.proxied = true
		writing.Go(func() { l.write(t, ctx) })
	}
	awaitWrites := func() {
		t.Helper()
		for _, l := range ledgers {
			wanted := l.acknowledged.Load() + 100
			eventually(t, "writes through "+l.name, func() bool { return l.acknowledged.Load() >= wanted })
		}
	}
	// a part lasts for its time, and until writes are done again
	next := time.NewTicker(part)
	defer next.Stop()
	endPart := func() {
		t.Helper()
		<-next.C
		awaitWrites()
	}
	endPart()
	s.kill(0)
	s.processes[0].daemon = s.processes[0].start(t)
	endPart()
	if err := pair.primary.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, l := range ledgers {
		wanted := l.refused.Load() + 50
		eventually(t, "refusals of "+l.name, func() bool { return l.refused.Load() >= wanted })
	}
	promoted := time.Now()
	pair.runBlock(t, pair.standby, "promote")
	endPart()
	s.kill(1)
	s.processes[1].daemon = s.processes[1].start(t)
	endPart()
	stop()
	writing.Wait()
	for _, l := range ledgers {
		t.Logf("%s: first write %v after the order to promote", l.name,
			l.firstAfter(promoted).Round(time.Millisecond))
	}
	ledgers[0].assertEquals(t, pair.values(t, pair.standby, `SELECT email FROM core.invitation`))
	ledgers[1].assertEquals(t, pair.values(t, pair.standby, `SELECT id::text FROM module_board.notes`))
	for n := range s.addresses {
		if got := s.browser(n).do("GET", "/api/v1/health/ready", nil); got.status != http.StatusOK {
			t.Errorf("GET %s/api/v1/health/ready at the end: status %d, want 200", s.addresses[n], got.status)
		}
	}
}
