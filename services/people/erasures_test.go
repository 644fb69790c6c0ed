package people_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/people"
	"github.com/narthex-platform/narthex/services/waittest"
)

// told counts the calls of modules by all processes of a test.
type told struct {
	mu    sync.Mutex
	calls map[string]int // module and person
}

func (c *told) note(moduleID, userID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = map[string]int{}
	}
	c.calls[moduleID+" "+userID]++
}

func (c *told) all() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.calls)
}

// modules are the modules of one process. With forget nil, they succeed at once.
type modules struct {
	told   *told
	forget func(ctx context.Context, moduleID string) error

	mu  sync.Mutex
	ids []string
}

func (m *modules) Callable() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.ids)
}

func (m *modules) run(ids ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids = ids
}

func (m *modules) Forget(ctx context.Context, moduleID, userID string) error {
	m.told.note(moduleID, userID)
	if m.forget != nil {
		return m.forget(ctx, moduleID)
	}
	return nil
}

// runErasures runs the Erasures of one process until stop is called.
func (d directory) runErasures(t *testing.T, m *modules) (e *people.Erasures, stop func()) {
	t.Helper()
	e = people.NewErasures(people.NewStore(d.Pool(t)), m, zap.NewNop())
	ctx, cancel := context.WithCancel(context.Background())
	var served sync.WaitGroup
	served.Go(func() { _ = e.Serve(ctx) })
	stop = func() { cancel(); served.Wait() }
	t.Cleanup(stop)
	return e, stop
}

// addErasedPeople adds count people whom the modules have to forget.
func (d directory) addErasedPeople(t *testing.T, count int, moduleIDs ...string) {
	t.Helper()
	d.Exec(t, `
		WITH p AS (
			INSERT INTO core.person (name, email, deactivated_at, erased_at)
			SELECT '', NULL, now(), now()
			FROM generate_series(1, $1)
			RETURNING id
		)
		INSERT INTO core.person_erasure (person_id, module_id)
		SELECT id, module
		FROM p, unnest($2::text[]) AS module`, count, moduleIDs)
}

func (d directory) count(t *testing.T, condition string) (n int) {
	t.Helper()
	if err := d.Pool(t).QueryRow(t.Context(),
		"SELECT count(*) FROM core.person_erasure WHERE "+condition).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (d directory) await(t *testing.T, what, condition string, count int, look ...*people.Erasures) {
	t.Helper()
	waittest.Until(t, fmt.Sprintf("%s: %d rows with %s", what, count, condition), func() bool {
		for _, e := range look {
			e.Look()
		}
		return d.count(t, condition) == count
	})
}

// Three processes tell two modules of fifty people: each module is told of each person once.
func TestEachModuleIsToldOnce(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.addErasedPeople(t, 50, "choir", "songs")
	var heard told
	for range 3 {
		e, _ := d.runErasures(t, &modules{told: &heard, ids: []string{"choir", "songs"}})
		e.Look()
	}
	d.await(t, "done", "done_at IS NOT NULL", 100)
	for who, times := range heard.all() {
		if times != 1 {
			t.Errorf("%s: told %d times, want once", who, times)
		}
	}
	if n := len(heard.all()); n != 100 {
		t.Errorf("%d calls, want one for each of 100 rows", n)
	}
}

// A module that does not run is told when it runs again. A module that fails is told again after the pause.
func TestModulesAreToldUntilTheyForget(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.addErasedPeople(t, 1, "choir", "removed", "songs")
	m := &modules{told: &told{}, ids: []string{"songs"}}
	var mu sync.Mutex
	failing := true
	failed := make(chan struct{}, 1)
	m.forget = func(context.Context, string) error {
		mu.Lock()
		defer mu.Unlock()
		if failing {
			failed <- struct{}{}
			return errors.New("no")
		}
		return nil
	}
	e, _ := d.runErasures(t, m)
	d.await(t, "tried", "tries = 1", 1, e)
	<-failed // a try is counted before the module is called
	if n := d.count(t, "module_id = 'songs' AND done_at IS NULL AND next_try_at > now()"); n != 1 {
		t.Errorf("after a failure: %d rows wait for the next try, want one", n)
	}
	mu.Lock()
	failing = false
	mu.Unlock()
	m.run("choir", "songs")
	d.await(t, "done by the module that began to run", "done_at IS NOT NULL", 1, e)
	if n := d.count(t, "module_id = 'choir' AND done_at IS NOT NULL"); n != 1 {
		t.Errorf("songs was told again before its pause was over")
	}
	d.Exec(t, "UPDATE core.person_erasure SET next_try_at = now()")
	d.await(t, "done", "done_at IS NOT NULL", 2, e)
	for who, times := range m.told.all() {
		if want := map[string]int{"songs": 2, "choir": 1}[strings.Fields(who)[0]]; times != want {
			t.Errorf("%s: told %d times, want %d", who, times, want)
		}
	}
	if n := d.count(t, "module_id = 'removed' AND done_at IS NULL AND tries = 0"); n != 1 {
		t.Errorf("the module that is not here was told")
	}
}

// A hanging module does not keep other modules from being told. When the process stops, the next process
// tells the hanging module again at once. The hanging module is the first of those that are due.
func TestAHangingModule(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.addErasedPeople(t, 2, "bells", "choir")
	hangs := func(ctx context.Context, moduleID string) error {
		if moduleID == "bells" {
			<-ctx.Done()
		}
		return ctx.Err()
	}
	e, stop := d.runErasures(t, &modules{told: &told{}, forget: hangs, ids: []string{"bells", "choir"}})
	d.await(t, "choir", "done_at IS NOT NULL", 2, e)
	d.await(t, "bells", "module_id = 'bells' AND tries = 1", 1, e)
	stop()
	if n := d.count(t, "done_at IS NULL AND next_try_at <= now()"); n != 2 {
		t.Errorf("after the stop %d people can be told of at once, want both", n)
	}
	e, _ = d.runErasures(t, &modules{told: &told{}, ids: []string{"bells"}})
	d.await(t, "the next process", "done_at IS NOT NULL", 4, e)
}

// The pause grows from a minute to an hour.
func TestPausesBetweenTries(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.addErasedPeople(t, 1, "choir")
	var pauses []string
	for range 8 {
		tx, err := d.Pool(t).Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var pause float64
		_, err = tx.Exec(t.Context(), people.ClaimErasure, "choir")
		if err == nil { // in the same transaction now() is the time of the claim
			err = tx.QueryRow(t.Context(),
				"SELECT extract(epoch FROM next_try_at - now())::float FROM core.person_erasure").Scan(&pause)
		}
		if err == nil {
			_, err = tx.Exec(t.Context(), "UPDATE core.person_erasure SET next_try_at = now()")
		}
		if err = errors.Join(err, tx.Commit(t.Context())); err != nil {
			t.Fatal(err)
		}
		pauses = append(pauses, fmt.Sprint(pause/60))
	}
	if want := []string{"1", "2", "4", "8", "16", "32", "60", "60"}; !slices.Equal(pauses, want) {
		t.Errorf("pauses of %v minutes, want %v", pauses, want)
	}
}
