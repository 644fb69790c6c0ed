package identity_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/waittest"
)

// lookupFixture is a store with a session for each of many people.
type lookupFixture struct {
	harness
	store  *identity.Store
	hashes [][32]byte
	people []string

	mu    sync.Mutex
	sizes []int // batch sizes of the queries sent
}

func newLookupFixture(t *testing.T, size int) *lookupFixture {
	t.Helper()
	h := setup(t)
	c := &lookupFixture{
		harness: h,
		store:   identity.NewStore(h.Pool(t)),
		hashes:  make([][32]byte, size),
		people:  make([]string, size),
	}
	for i := range size {
		_, _ = rand.Read(c.hashes[i][:])
		err := h.Pool(t).QueryRow(t.Context(), `
			WITH p AS (
				INSERT INTO core.person (email, name)
				VALUES ($1, 'A person')
				RETURNING id
			)
			INSERT INTO core.session (token_hash, person_id, persistent, expires_at)
			SELECT $2, id, true, now() + interval '1 day'
			FROM p
			RETURNING person_id::text`, fmt.Sprintf("person%d@example.org", i), c.hashes[i][:]).Scan(&c.people[i])
		if err != nil {
			t.Fatal(err)
		}
	}
	c.waitAtMost(time.Minute) // the tests themselves release their locks
	return c
}

func (c *lookupFixture) waitAtMost(patience time.Duration) {
	c.store.WrapSessionQueries(patience, func(size int, query func() error) error {
		c.mu.Lock()
		c.sizes = append(c.sizes, size)
		c.mu.Unlock()
		return query()
	})
}

// freeze locks the sessions until release is called. release first runs its statements.
func (c *lookupFixture) freeze(t *testing.T) (release func(statements ...string)) {
	t.Helper()
	tx := databasetest.Lock(t, c.AnotherPool(t), "LOCK TABLE core.session IN ACCESS EXCLUSIVE MODE")
	return func(statements ...string) {
		t.Helper()
		for _, sql := range statements {
			if _, err := tx.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

type result struct {
	userID string
	err    error
}

// queries returns the batch size of each query that was sent.
func (c *lookupFixture) queries() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.sizes)
}

// ask starts a look-up for each person while the sessions are locked. When it returns, the queries of the
// first look-ups are running and all others wait. collect waits for all results.
func (c *lookupFixture) ask(ctx context.Context, t *testing.T) (collect func() []result) {
	t.Helper()
	all := make([]result, len(c.hashes))
	var asking sync.WaitGroup
	for i, hash := range c.hashes {
		asking.Go(func() {
			all[i].userID, all[i].err = c.store.Session(hash)
		})
		if i < identity.LookupQueries { // one by one, because a query includes all waiting look-ups
			waittest.Until(t, "its query is sent", func() bool { return len(c.queries()) == i+1 })
		}
	}
	waittest.Until(t, "all others wait", func() bool {
		_, waiting := c.store.Lookups()
		return waiting == len(all)-identity.LookupQueries
	})
	return func() []result { asking.Wait(); return all }
}

func (c *lookupFixture) assertOwnResults(t *testing.T, results []result) {
	t.Helper()
	for i, got := range results {
		if got.err != nil || got.userID != c.people[i] {
			t.Errorf("look-up %d: %q, error %v; want its own person", i, got.userID, got.err)
		}
	}
}

func (c *lookupFixture) assertIdle(t *testing.T) {
	t.Helper()
	if underWay, waiting := c.store.Lookups(); underWay != 0 || waiting != 0 {
		t.Errorf("%d queries run and %d look-ups wait, want none", underWay, waiting)
	}
}

// While the queries run that may run at a time, all other look-ups wait, and then share one query.
func TestLookupsShareQueries(t *testing.T) {
	t.Parallel()
	c := newLookupFixture(t, 100)
	release := c.freeze(t)
	collect := c.ask(t.Context(), t)
	if sizes := c.queries(); len(sizes) != identity.LookupQueries {
		t.Errorf("queries of the sizes %v run, want %d queries", sizes, identity.LookupQueries)
	}
	release()
	c.assertOwnResults(t, collect())
	// Each slot is passed on once: to the look-up whose query includes all others, or to one that finds no
	// others.
	if sizes := c.queries(); len(sizes) > 2*identity.LookupQueries {
		t.Errorf("sizes of the queries %v, want at most %d queries", sizes, 2*identity.LookupQueries)
	}
	c.assertIdle(t)
}

func TestLookupBatchIsBounded(t *testing.T) {
	t.Parallel()
	c := newLookupFixture(t, 3*identity.LookupBatch)
	release := c.freeze(t)
	collect := c.ask(t.Context(), t)
	release()
	c.assertOwnResults(t, collect())
	if sizes := c.queries(); slices.Max(sizes) != identity.LookupBatch {
		t.Errorf("sizes of the queries %v, want at most %d, and it reached", sizes, identity.LookupBatch)
	}
	c.assertIdle(t)
}

// Many look-ups run at the same time, repeatedly. Each gets the right result, also two for the same session
// and those without a session.
func TestLookupsKeepResultsApart(t *testing.T) {
	t.Parallel()
	c := newLookupFixture(t, 64)
	c.hashes[7], c.people[7] = c.hashes[8], c.people[8]
	c.Exec(t, "DELETE FROM core.session WHERE person_id = $1", c.people[9])
	c.people[9] = ""
	var asking sync.WaitGroup
	for i := range c.hashes {
		asking.Go(func() {
			for range 50 {
				if id, err := c.store.Session(c.hashes[i]); err != nil || id != c.people[i] {
					t.Errorf("look-up %d: person %q, want %q; error %v", i, id, c.people[i], err)
				}
			}
		})
	}
	asking.Wait()
	if slices.Max(c.queries()) < 2 {
		t.Error("no query was shared")
	}
	c.assertIdle(t)
}

// A session that ended before a look-up began is not found, even when an older query that still found it
// has not returned yet.
func TestLookupJoinsNoQueryUnderWay(t *testing.T) {
	t.Parallel()
	for busy := range identity.LookupQueries {
		t.Run(fmt.Sprintf("%d under way", busy+1), func(t *testing.T) {
			t.Parallel()
			c := newLookupFixture(t, busy+1)
			read, hold := make(chan struct{}), make(chan struct{})
			var early atomic.Int32
			c.store.WrapSessionQueries(time.Minute, func(_ int, query func() error) error {
				err := query()
				if early.Add(1) <= int32(busy)+1 { // its response is delayed
					read <- struct{}{}
					<-hold
				}
				return err
			})
			var asking sync.WaitGroup
			results := make([]result, busy+2)
			ask := func(i int, hash [32]byte) {
				asking.Go(func() { results[i].userID, results[i].err = c.store.Session(hash) })
			}
			for i := range busy + 1 {
				ask(i, c.hashes[i])
				<-read
			}
			c.Exec(t, "DELETE FROM core.session")
			ask(busy+1, c.hashes[0])
			if busy+1 == identity.LookupQueries {
				waittest.Until(t, "one look-up waits", func() bool {
					_, waiting := c.store.Lookups()
					return waiting == 1
				})
			}
			close(hold)
			asking.Wait()
			c.assertOwnResults(t, results[:busy+1])
			if late := results[busy+1]; late.err != nil || late.userID != "" {
				t.Errorf("the ended session was found: %+v", late)
			}
		})
	}
}

func TestLookupFailureReachesAll(t *testing.T) {
	t.Parallel()
	c := newLookupFixture(t, 100)
	release := c.freeze(t)
	collect := c.ask(t.Context(), t)
	release("ALTER TABLE core.session RENAME TO lost")
	for i, got := range collect() {
		if got.err == nil || got.userID != "" {
			t.Errorf("look-up %d: %q, error %v; want its own person", i, got.userID, got.err)
		}
	}
	c.Exec(t, "ALTER TABLE core.lost RENAME TO session")
	id, err := c.store.Session(c.hashes[0])
	c.assertOwnResults(t, []result{{userID: id, err: err}})
	c.assertIdle(t)
}

// A caller that runs a query does so for others too, so the query continues when that caller's client
// disconnects.
func TestLookupLeaderGone(t *testing.T) {
	t.Parallel()
	c := newLookupFixture(t, 100)
	release := c.freeze(t)
	ctx, hangUp := context.WithCancel(t.Context())
	collect := c.ask(ctx, t)
	hangUp()
	release()
	c.assertOwnResults(t, collect())
	c.assertIdle(t)
}

// With a database that never responds, every look-up fails, and later ones succeed. When each fails, the test
// of services/lookup checks.
func TestLookupDeadline(t *testing.T) {
	t.Parallel()
	c := newLookupFixture(t, 3*identity.LookupBatch)
	c.waitAtMost(5 * time.Second)
	release := c.freeze(t)
	for i, got := range c.ask(t.Context(), t)() {
		if !errors.Is(got.err, context.DeadlineExceeded) {
			t.Errorf("look-up %d: got %q, %v, want %v", i, got.userID, got.err, context.DeadlineExceeded)
		}
	}
	release()
	id, err := c.store.Session(c.hashes[0])
	c.assertOwnResults(t, []result{{userID: id, err: err}})
	c.assertIdle(t)
}

// When a query panics, the other look-ups of its batch fail, but they return, and the slot is released.
func TestLookupPanic(t *testing.T) {
	t.Parallel()
	c := newLookupFixture(t, 10)
	entered, hold := make(chan struct{}, len(c.hashes)), make(chan struct{})
	c.store.WrapSessionQueries(time.Minute, func(int, func() error) error {
		entered <- struct{}{}
		<-hold
		panic("test")
	})
	var panicked, failed atomic.Int32
	var asking sync.WaitGroup
	for i, hash := range c.hashes {
		asking.Go(func() {
			defer func() {
				if recover() != nil {
					panicked.Add(1)
				}
			}()
			if _, err := c.store.Session(hash); err != nil {
				failed.Add(1)
			}
		})
		if i < identity.LookupQueries {
			<-entered
		}
	}
	waittest.Until(t, "all others wait", func() bool {
		_, waiting := c.store.Lookups()
		return waiting == len(c.hashes)-identity.LookupQueries
	})
	close(hold)
	asking.Wait()
	if p, f := panicked.Load(), failed.Load(); int(p) <= identity.LookupQueries || f == 0 ||
		int(p+f) != len(c.hashes) {
		t.Errorf("%d look-ups panicked and %d failed, want more than %d and at least 1, and %d in all",
			p, f, identity.LookupQueries, len(c.hashes))
	}
	c.assertIdle(t)
}

// One plan serves single look-ups, and another one every batch size, because a new plan costs a quarter of
// the query.
func TestLookupPlanIsKept(t *testing.T) {
	databasetest.NeedsSessions(t, "the server keeps no plan")
	t.Parallel()
	c := newLookupFixture(t, 2)
	config := c.Pool(t).Config()
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	store := identity.NewStore(pool)
	for name, ask := range map[string]struct {
		statement string
		once      func() error
	}{
		"alone":    {identity.SelectSession, func() error { _, err := store.Session(c.hashes[0]); return err }},
		"together": {identity.SelectSessions, func() error { return store.LookUpTogether(t.Context(), c.hashes) }},
	} {
		for range 50 {
			if err := ask.once(); err != nil {
				t.Fatal(err)
			}
		}
		var kept, again int
		err = pool.QueryRow(t.Context(), `
			SELECT generic_plans, custom_plans
			FROM pg_prepared_statements
			WHERE statement = $1`, ask.statement).Scan(&kept, &again)
		if err != nil || kept < 40 {
			t.Errorf("%s: kept plan used %d times, planned again %d times, %v", name, kept, again, err)
		}
	}
}
