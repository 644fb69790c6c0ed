package navigation_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/randomtest"
)

// TestPlacingIntoGroupBeingDeleted checks that the database decides which of two overlapping writes is
// first, and that no module is left in a deleted group.
func TestPlacingIntoGroupBeingDeleted(t *testing.T) {
	t.Parallel()
	const place, remove = `INSERT INTO core.navigation_placement VALUES ('ant', 'music', 9)`,
		`DELETE FROM core.navigation_group WHERE id = 'music'`
	for _, row := range []struct {
		name, first, end             string // another process's statement, and how its transaction ends
		method, target, body, status string // the request that arrives during that transaction
		rows                         string
	}{
		{"place, deleted", remove, "COMMIT", http.MethodPut, placements + "ant", `{"groupId":"music","order":1}`,
			"404", ""},
		{"place, not deleted", remove, "ROLLBACK", http.MethodPut, placements + "ant",
			`{"groupId":"music","order":1}`, "200",
			"group:music:Music:2 place:ant:music:1"},
		{"rename, deleted", remove, "COMMIT", http.MethodPut, groups + "music", `{"label":"Choir","order":1}`,
			"200", "group:music:Choir:1"},
		{"delete, deleted", remove, "COMMIT", http.MethodDelete, groups + "music", ``, "204", ""},
		{"delete, placed", place, "COMMIT", http.MethodDelete, groups + "music", ``, "204", "place:ant:-:9"},
		{"delete, not placed", place, "ROLLBACK", http.MethodDelete, groups + "music", ``, "204", ""},
		{"place, placed", place, "COMMIT", http.MethodPut, placements + "ant", `{"groupId":null,"order":1}`, "200",
			"group:music:Music:2 place:ant:-:1"},
		{"rename, renamed", `UPDATE core.navigation_group SET position = 2`, "COMMIT", http.MethodPut, groups +
			"music", `{"label":"Choir","order":1}`,
			"200", "group:music:Choir:1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.mustSend(t, `PUT groups/music {"label":"Music","order":2}`)
			other, err := h.pool.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer other.Release()
			for _, statement := range []string{"BEGIN", row.first} {
				if _, err := other.Exec(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			response := make(chan *httptest.ResponseRecorder, 1)
			go func() { response <- h.send(t.Context(), row.method, row.target, row.body) }()
			h.awaitBlocked(t)
			if _, err := other.Exec(t.Context(), row.end); err != nil {
				t.Fatal(err)
			}
			if w := <-response; fmt.Sprint(w.Code) != row.status {
				t.Errorf("%s %s: status %d, want %s; body %s", row.method, row.target, w.Code, row.status, w.Body)
			}
			if rows := h.rows(t); rows != row.rows {
				t.Errorf("stored %q, want %q", rows, row.rows)
			}
		})
	}
}

// TestGroupIsLockedFirst checks that a request that waits for a group has not locked a placement. Otherwise
// two modules that swap places between two groups that are being deleted would deadlock.
func TestGroupIsLockedFirst(t *testing.T) {
	t.Parallel()
	for name, module := range map[string]string{"installed": "ant", "not installed": "bee"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.mustSend(t, `PUT groups/music {"label":"Music","order":2}`,
				`PUT placements/`+module+` {"groupId":null,"order":1}`)
			h.start(t, discover(t, "ant"))
			other := databasetest.Lock(t, h.pool, `SELECT FROM core.navigation_group FOR UPDATE`)
			response := make(chan *httptest.ResponseRecorder, 1)
			go func() {
				response <- h.send(t.Context(), http.MethodPut, placements+module, `{"groupId":"music","order":3}`)
			}()
			h.awaitBlocked(t)
			if _, err := other.Exec(t.Context(),
				`SELECT FROM core.navigation_placement FOR UPDATE NOWAIT`); err != nil {
				t.Errorf("a placement is locked by a request that waits for its group: %v", err)
			}
			if err := other.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			if w := <-response; w.Code != http.StatusOK ||
				h.rows(t) != "group:music:Music:2 place:"+module+":music:3" {
				t.Errorf("PUT placement: status %d, want 200; body %s; stored %q", w.Code, w.Body, h.rows(t))
			}
		})
	}
}

// awaitBlocked waits until a session of this database waits for a lock.
func (h *fixture) awaitBlocked(t testing.TB) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		var blocked bool
		if err := h.pool.QueryRow(t.Context(), `
			SELECT EXISTS (
				SELECT FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'
			)`).Scan(&blocked); err != nil {
			t.Fatal(err)
		}
		if blocked {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no session waits for a lock, want one")
		}
	}
}

// TestManyWrites sends 50 writes at once, also for the first row. All succeed, and one stays, complete.
func TestManyWrites(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for range 5 {
		h.Exec(t, `DELETE FROM core.navigation_group WHERE id = 'music'; DELETE FROM core.navigation_placement`)
		h.mustSend(t, `PUT groups/g0 {"label":"0","order":0}`, `PUT groups/g1 {"label":"1","order":0}`)
		var writers sync.WaitGroup
		start := make(chan struct{})
		for i := range 50 {
			writers.Go(func() {
				<-start
				for _, r := range []struct{ target, body string }{
					{groups + "music", fmt.Sprintf(`{"label":"%d","order":%d}`, i, i)},
					{placements + "ant", fmt.Sprintf(`{"groupId":"g%d","order":%d}`, i%2, i)},
				} {
					if w := h.send(t.Context(), http.MethodPut, r.target, r.body); w.Code != http.StatusOK {
						t.Errorf("PUT %s: status %d, want 200; body %s", r.target, w.Code, w.Body)
					}
				}
			})
		}
		close(start)
		writers.Wait()
		var wholeGroup, wholePlace int
		if err := h.pool.QueryRow(t.Context(), `
			SELECT
				(SELECT count(*) FROM core.navigation_group WHERE id = 'music' AND label = position::text),
				(SELECT count(*) FROM core.navigation_placement WHERE group_id = 'g' || position % 2)`,
		).Scan(&wholeGroup, &wholePlace); err != nil {
			t.Fatal(err)
		}
		if wholeGroup != 1 || wholePlace != 1 {
			t.Fatalf("stored %q, want one complete write of the group and of the place", h.rows(t))
		}
	}
}

// TestGroupsDeletedWhileModulesArePlaced creates and deletes groups while modules are placed into them. Only
// a placement into a deleted group may fail, and every view in between is consistent: each module is in it
// once.
func TestGroupsDeletedWhileModulesArePlaced(t *testing.T) {
	t.Parallel()
	h := setup(t)
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	first := randomtest.Seed(t)
	for seed := first; seed != first+6; seed++ {
		writers.Go(func() {
			random := randomtest.New(seed, 8)
			for range 150 {
				group, module := fmt.Sprint("g", random.IntN(2)), allModules[random.IntN(3)]
				r := []struct {
					method, target, body string
					refused              int
				}{
					{http.MethodPut, groups + group, `{"label":"x","order":1}`, 0},
					{http.MethodDelete, groups + group, ``, 0},
					{http.MethodPut, placements + module, `{"groupId":"` + group + `","order":1}`, http.StatusNotFound},
					{http.MethodPut, placements + module, `{"groupId":"` + group + `","order":2}`, http.StatusNotFound},
					{http.MethodDelete, placements + module, ``, 0},
				}[random.IntN(5)]
				if w := h.send(t.Context(), r.method, r.target, r.body); w.Code >= http.StatusBadRequest &&
					w.Code != r.refused {
					t.Errorf("%s %s: status %d, want success or %d; body %s", r.method, r.target, w.Code,
						r.refused, w.Body)
				}
			}
		})
	}
	readers.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if summary := h.read(t).summary(); !onceEach(summary) {
				t.Errorf("a view does not show every module once: %s", summary)
				return
			}
		}
	})
	writers.Wait()
	close(done)
	readers.Wait()
}

func onceEach(summary string) bool {
	shown := strings.FieldsFunc(summary, func(r rune) bool { return strings.ContainsRune("|[] ", r) })
	shown = slices.DeleteFunc(shown, func(word string) bool { return word[0] == 'g' })
	slices.Sort(shown)
	return slices.Equal(shown, []string{"ant", "bee", "cat", "dog", "eel"})
}
