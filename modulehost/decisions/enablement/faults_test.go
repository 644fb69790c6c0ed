package enablement_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/decisions/enablement"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestConcurrentDecisions decides both ways at once, also for the first row. All succeed, one decision stays,
// and other modules' rows are unchanged.
func TestConcurrentDecisions(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.decide(t, "chained", "false")
	for range 20 {
		h.Exec(t, `DELETE FROM core.module_enablement WHERE module_id <> 'chained'`)
		var callers sync.WaitGroup
		start := make(chan struct{})
		for i := range 8 {
			callers.Go(func() {
				<-start
				moduleID, enabled := []string{"base", "optional"}[i%2], []string{"true", "false"}[i/2%2]
				if w := h.decide(t, moduleID, enabled); w.Code != http.StatusOK {
					t.Errorf("deciding %s=%s: status %d, want 200; body %s", moduleID, enabled, w.Code, w.Body)
				}
			})
		}
		close(start)
		callers.Wait()
		rows := strings.Fields(h.rows(t))
		if len(rows) != 3 || !strings.HasPrefix(rows[0], "base=") || rows[1] != "chained=false" ||
			!strings.HasPrefix(rows[2], "optional=") {
			t.Fatalf("stored %v, want base, chained=false and optional", rows)
		}
	}
}

func TestStoreFaults(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		fault string
		read  int // the status of a read
	}{
		{`ALTER TABLE core.module_enablement RENAME TO lost`, http.StatusServiceUnavailable},
		{`ALTER TABLE core.module_enablement RENAME enabled TO lost`, http.StatusServiceUnavailable},
		{`ALTER TABLE core.module_enablement ALTER enabled TYPE text`, http.StatusServiceUnavailable},
		{`ALTER TABLE core.module_enablement DROP CONSTRAINT module_enablement_pkey`, http.StatusOK},
		{`ALTER TABLE core.module_enablement ADD CONSTRAINT never CHECK (NOT enabled)`, http.StatusOK},
	} {
		t.Run(row.fault, func(t *testing.T) {
			t.Parallel()
			if strings.HasSuffix(row.fault, "TYPE text") {
				databasetest.NeedsSessions(t, "the description is an old one, and there is no row that it does not fit")
			}
			h := setup(t)
			h.Exec(t, row.fault)
			wantCode(t, h.decide(t, "base", "true"), http.StatusServiceUnavailable, "STORE_UNAVAILABLE")
			if w := h.send(t.Context(), http.MethodGet, path, ""); w.Code != row.read {
				t.Errorf("GET %s: status %d, want %d; body %s", path, w.Code, row.read, w.Body)
			} else if w.Code != http.StatusOK {
				wantCode(t, w, row.read, "STORE_UNAVAILABLE")
			}
		})
	}
}

// failingResolver is a resolver whose stores fail.
type failingResolver struct{ err error }

func (f failingResolver) ResolveWith(
	context.Context, string, bool,
) (next, changed catalog.Resolution, err error) {
	return catalog.Resolution{}, catalog.Resolution{}, f.err
}

func (f failingResolver) Resolve(context.Context) (catalog.Resolution, enablement.Decisions, error) {
	return catalog.Resolution{}, nil, f.err
}

// TestResolverFails checks that any failure of the resolver gives STORE_UNAVAILABLE; the decision has been
// stored before.
func TestResolverFails(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for _, err := range []error{enablement.ErrRead, enablement.ErrNotInstalled, errors.New("host=db.test")} {
		h.service = enablement.New(enablement.Config{Catalog: h.installed, Resolver: failingResolver{err},
			Store: h.store})
		wantCode(t, h.send(t.Context(), http.MethodGet, path, ""), http.StatusServiceUnavailable,
			"STORE_UNAVAILABLE")
		wantCode(t, h.decide(t, "base", "false"), http.StatusServiceUnavailable, "STORE_UNAVAILABLE")
	}
	if rows := h.rows(t); rows != "base=false" {
		t.Errorf("stored %q, want base=false", rows)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.store = enablement.NewStore(h.UnreachablePool(t))
	h.serve(catalog.Resolution{})
	wantCode(t, h.send(t.Context(), http.MethodGet, path, ""), http.StatusServiceUnavailable,
		"STORE_UNAVAILABLE")
	wantCode(t, h.decide(t, "base", "true"), http.StatusServiceUnavailable, "STORE_UNAVAILABLE")
}

// TestLockedTableEndsTheWait checks that a request stops waiting for a locked table before its client does.
func TestLockedTableEndsTheWait(t *testing.T) {
	t.Parallel()
	h := setup(t)
	databasetest.Lock(t, h.Pool(t), `LOCK TABLE core.module_enablement IN ACCESS EXCLUSIVE MODE`)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	responses := make(chan *httptest.ResponseRecorder, 2)
	go func() { responses <- h.send(ctx, http.MethodGet, path, "") }()
	go func() { responses <- h.send(ctx, http.MethodPut, path+"/base/enabled", `{"enabled":false}`) }()
	for range 2 {
		wantCode(t, <-responses, http.StatusServiceUnavailable, "STORE_UNAVAILABLE")
	}
	if ctx.Err() != nil {
		t.Error("the client had given up before the response")
	}
}

// TestClientGone checks that a decision is stored although the client has disconnected, and that no
// connection is lost.
func TestClientGone(t *testing.T) {
	t.Parallel()
	h := setup(t)
	gone, leave := context.WithCancel(t.Context())
	leave()
	before := h.Pool(t).Stat().NewConnsCount()
	for range 10 {
		if w := h.send(gone, http.MethodPut, path+"/base/enabled", `{"enabled":false}`); w.Code != http.StatusOK {
			t.Fatalf("PUT by a client that has left: status %d, want 200; body %s", w.Code, w.Body)
		}
	}
	if after := h.Pool(t).Stat().NewConnsCount(); after != before || h.rows(t) != "base=false" {
		t.Errorf("%d new connections, want 0; stored %q, want base=false", after-before, h.rows(t))
	}
}

// TestResponsesContainNoInternals checks that no response contains a file name, the server program or the
// database's message.
func TestResponsesContainNoInternals(t *testing.T) {
	t.Parallel()
	h := setup(t)
	said := h.send(t.Context(), http.MethodGet, path, "").Body.String() +
		h.decide(t, "stored", "false").Body.String()
	folders := make([]string, 0, len(h.installed.Modules))
	for _, m := range h.installed.Modules {
		folders = append(folders, m.Folder)
	}
	for _, inside := range slices.Concat(folders, []string{"module.json", "bin", "server", "/"}) {
		if strings.Contains(said, inside) {
			t.Errorf("a response or the log contains %q, want nothing of the file system: %s", inside, said)
		}
	}
}
