package configuration_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/decisions/configuration"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/httpapi"
)

var (
	keys  = []string{"a", "b", "c", "d", "e"}
	left  = map[string]string{"a": "left", "b": "left", "c": "left"}
	right = map[string]string{"c": "right", "d": "right", "e": "right"}
)

// replaceAll returns a replacement of all keys, for any revision.
func replaceAll(values map[string]string) configuration.Replacement {
	return configuration.Replacement{Declared: keys, Values: values}
}

// TestOneOfTwoDocuments writes two documents at once. One of them stays, and readers see one or the other,
// never none or a mix.
func TestOneOfTwoDocuments(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	stores := []*configuration.Store{configuration.NewStore(db.Pool(t)),
		configuration.NewStore(db.AnotherPool(t))}
	ctx := t.Context()
	if err := stores[0].Replace(ctx, "rota", replaceAll(left)); err != nil {
		t.Fatal(err)
	}
	look := func(when string) {
		documents, err := stores[0].All(ctx)
		if document := documents.Of("rota"); err != nil || !maps.Equal(document, left) &&
			!maps.Equal(document, right) {
			t.Errorf("%s: document %v, want %v or %v; error %v", when, document, left, right, err)
		}
	}
	for range 200 {
		var writers, reader sync.WaitGroup
		start, written := make(chan struct{}), make(chan struct{})
		for i, document := range []map[string]string{left, right} {
			writers.Go(func() {
				<-start
				if err := stores[i].Replace(ctx, "rota", replaceAll(document)); err != nil {
					t.Errorf("Replace beside another: error %v, want none", err)
				}
			})
		}
		reader.Go(func() {
			<-start
			for open := true; open; {
				select {
				case <-written:
					open = false
				default:
					look("meanwhile")
				}
			}
		})
		close(start)
		writers.Wait()
		close(written)
		reader.Wait()
		look("afterwards")
		if t.Failed() {
			return
		}
	}
}

// TestReplacementsOverlap makes two replacements overlap: the first is blocked in the middle of its
// transaction while the second begins.
func TestReplacementsOverlap(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	store := configuration.NewStore(db.Pool(t))
	ctx := t.Context()
	if err := store.Replace(ctx, "rota", replaceAll(map[string]string{"c": "old"})); err != nil {
		t.Fatal(err)
	}
	holder := databasetest.Lock(t, db.AnotherPool(t),
		`SELECT FROM core.module_configuration WHERE key = 'c' FOR UPDATE`)
	done := make(chan error, 2)
	for i, document := range []map[string]string{left, right} {
		go func() { done <- store.Replace(ctx, "rota", replaceAll(document)) }()
		awaitBlocked(t, db, i+1)
	}
	if err := store.Replace(ctx, "another", replaceAll(left)); err != nil { // another module does not wait
		t.Errorf("Replace of another module: %v, want it not to wait", err)
	}
	if err := holder.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Errorf("Replace after the lock was released: error %v, want none", err)
		}
	}
	documents, err := store.All(ctx)
	if err != nil || !maps.Equal(documents.Of("rota"), right) || !maps.Equal(documents.Of("another"), left) {
		t.Errorf("documents %v, want rota %v and another %v; error %v", documents, right, left, err)
	}
}

// awaitBlocked waits until this number of the database's sessions wait for a lock.
func awaitBlocked(t testing.TB, db *databasetest.DB, sessions int) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		var blocked int
		if err := db.Pool(t).QueryRow(t.Context(), `
			SELECT count(*)
			FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&blocked); err != nil {
			t.Fatal(err)
		}
		if blocked == sessions {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d sessions wait for a lock, want %d", blocked, sessions)
		}
	}
}

// TestStoreFaults checks the codes of a failing store, and that a failed replacement changes nothing.
func TestStoreFaults(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		fault, repair string
		read          bool // whether it can still be read
	}{
		{`ALTER TABLE core.module_configuration RENAME TO lost`,
			`ALTER TABLE core.lost RENAME TO module_configuration`, false},
		{`ALTER TABLE core.module_configuration RENAME value TO lost`,
			`ALTER TABLE core.module_configuration RENAME lost TO value`, false},
		{`ALTER TABLE core.module_configuration_document RENAME TO lost`,
			`ALTER TABLE core.lost RENAME TO module_configuration_document`, false},
		// These fail in the middle of the transaction: inserting fails after the values were deleted, or COMMIT
		// fails after everything else.
		{`ALTER TABLE core.module_configuration ADD CONSTRAINT never CHECK (value <> 'm4rkd')`,
			`ALTER TABLE core.module_configuration DROP CONSTRAINT never`, true},
		{`CREATE FUNCTION core.never() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'never'; END $$;
			CREATE CONSTRAINT TRIGGER never AFTER INSERT ON core.module_configuration DEFERRABLE INITIALLY DEFERRED
				FOR EACH ROW EXECUTE FUNCTION core.never()`, `DROP TRIGGER never ON core.module_configuration`, true},
	} {
		t.Run(row.fault, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			if w := h.put(t, "rota", `{"title":"ab","size":4}`); w.Code != http.StatusOK {
				t.Fatalf("PUT rota: status %d, want 200; body %s", w.Code, w.Body)
			}
			h.Exec(t, row.fault)
			wantCode(t, h.put(t, "rota", `{"title":"m4rkd","note":"m4rkd"}`), http.StatusServiceUnavailable,
				"STORE_UNAVAILABLE")
			err := h.store.Replace(t.Context(), "rota", configuration.Replacement{
				Declared: []string{"title", "size", "note"}, Values: map[string]string{"title": "m4rkd", "note": "m4rkd"},
			})
			if !errors.Is(err, httpapi.ErrStore) || strings.Contains(err.Error(), "m4rkd") {
				t.Errorf("Replace: error %v, want %v without the value", err, httpapi.ErrStore)
			}
			documents, err := h.store.All(t.Context())
			if row.read != (err == nil) || !row.read && (!errors.Is(err, configuration.ErrRead) || documents != nil) {
				t.Errorf("All: documents %v, error %v; want it readable: %v", documents, err, row.read)
			}
			for _, target := range []string{path, path + "/rota"} {
				if w := h.get(t, target); !row.read {
					wantCode(t, w, http.StatusServiceUnavailable, "STORE_UNAVAILABLE")
				} else if w.Code != http.StatusOK {
					t.Errorf("GET %s: status %d, want 200; body %s", target, w.Code, w.Body)
				}
			}
			h.Exec(t, row.repair)
			if got := h.rows(t, "rota"); got != "size=4 title=ab" {
				t.Errorf("stored %q, want the document from before the fault", got)
			}
		})
	}
}

// failingResolver is a resolver whose stores fail.
type failingResolver struct{ err error }

func (f failingResolver) ResolveWith(
	context.Context, string, configuration.Replacement,
) (next, changed catalog.Resolution, err error) {
	return catalog.Resolution{}, catalog.Resolution{}, f.err
}

func (f failingResolver) Resolve(context.Context) (catalog.Resolution, configuration.Documents, error) {
	return catalog.Resolution{}, nil, f.err
}

// TestResolverFails checks that any failure of the resolver gives STORE_UNAVAILABLE; the document has been
// stored before.
func TestResolverFails(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for _, err := range []error{configuration.ErrRead, configuration.ErrValueInvalid,
		errors.New("host=db.test")} {
		h.serve(failingResolver{err}, catalog.Resolution{})
		wantCode(t, h.get(t, path), http.StatusServiceUnavailable, "STORE_UNAVAILABLE")
		wantCode(t, h.get(t, path+"/rota"), http.StatusServiceUnavailable, "STORE_UNAVAILABLE")
		wantCode(t, h.put(t, "rota", `{"title":"ab"}`), http.StatusServiceUnavailable, "STORE_UNAVAILABLE")
	}
	if got := h.rows(t, "rota"); got != "title=ab" {
		t.Errorf("stored %q, want title=ab", got)
	}
}

// TestLockedTableEndsTheWait checks that a request stops waiting for locked tables and rows before its client
// does, and that its change is not made later.
func TestLockedTableEndsTheWait(t *testing.T) {
	t.Parallel()
	h := setup(t)
	if w := h.put(t, "rota", `{"title":"ab"}`); w.Code != http.StatusOK {
		t.Fatalf("PUT rota: status %d, want 200; body %s", w.Code, w.Body)
	}
	for _, row := range []struct{ lock, method, body string }{
		{`LOCK TABLE core.module_configuration IN ACCESS EXCLUSIVE MODE`, http.MethodGet, ""},
		{`SELECT FROM core.module_configuration_document FOR UPDATE`, http.MethodPut, `{"values":{"title":"cd"}}`},
	} {
		tx := databasetest.Lock(t, h.Pool(t), row.lock)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		response := make(chan *httptest.ResponseRecorder, 1)
		go func() { response <- h.send(request(ctx, row.method, path+"/rota", row.body)) }()
		wantCode(t, <-response, http.StatusServiceUnavailable, "STORE_UNAVAILABLE")
		if ctx.Err() != nil {
			t.Errorf("%s: the client had given up before the response", row.lock)
		}
		cancel()
		awaitBlocked(t, h.DB, 0)
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.rows(t, "rota"); got != "title=ab" {
		t.Errorf("stored %q, want title=ab: what was given up is not done later", got)
	}
}

// TestClientGone checks that a document is stored although the client has disconnected, and that no
// connection is lost.
func TestClientGone(t *testing.T) {
	t.Parallel()
	h := setup(t)
	gone, leave := context.WithCancel(t.Context())
	leave()
	before := h.Pool(t).Stat().NewConnsCount()
	for range 10 {
		if w := h.send(request(gone, http.MethodPut, path+"/rota",
			`{"values":{"title":"ab"}}`)); w.Code != http.StatusOK {
			t.Fatalf("PUT rota by a client that has left: status %d, want 200; body %s", w.Code, w.Body)
		}
	}
	if after := h.Pool(t).Stat().NewConnsCount(); after != before || h.rows(t, "rota") != "title=ab" {
		t.Errorf("%d new connections, want 0; stored %q, want title=ab", after-before, h.rows(t, "rota"))
	}
}
