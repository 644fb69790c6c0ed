package enablement_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/catalog/catalogtest"
	"github.com/narthex-platform/narthex/modulehost/decisions/enablement"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpapi/httpapitest"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

const (
	path     = "/api/v1/module-lifecycle"
	patience = 20 * time.Second // longer than any deadline of the platform
)

// manifests are the installed modules.
var manifests = map[string]string{
	"base":          `"provides": [{"capability": "base.thing", "version": "1.0.0"}]`,
	"by-module":     `"dependencies": {"required": [{"kind": "module", "id": "base", "range": "*"}]}`,
	"by-capability": `"dependencies": {"required": [{"kind": "capability", "id": "base.thing", "range": "*"}]}`,
	"chained": `"dependencies": {"required": [{"kind": "module", "id": "by-module", "range": "*"}],
		"optional": [{"kind": "capability", "id": "ghost.thing", "range": "*"},
			{"kind": "module", "id": "base", "range": "*"}]}`,
	"optional": `"dependencies": {"optional": [{"kind": "module", "id": "base", "range": "*"},` +
		` {"kind": "module", "id": "by-module", "range": ">=2"}]}`,
	"unset": `"entrypoints": {"server": "bin/server"}, "configuration": [{"key": "title",` +
		` "type": "string", "required": true}]`,
	"secretive": `"entrypoints": {"server": "bin/server"}, "configuration": [{"key": "apiToken",` +
		` "type": "secret", "required": true}]`,
	"misset": `"entrypoints": {"server": "bin/server"}, "configuration": [{"key": "size",` +
		` "type": "integer", "minimum": 1}]`,
	"stored": `"entrypoints": {"server": "bin/server"}, "storage": {"buckets": ["images"]}`,
}

// fixture is one API process with its own database.
type fixture struct {
	*databasetest.DB
	installed *catalog.Catalog
	store     *enablement.Store
	service   *enablement.Service
	processes processes
	meanwhile func() // if not nil, is called just before a resolution reads, to change something concurrently
}

func setup(t testing.TB) *fixture {
	t.Helper()
	db := databasetest.New(t)
	h := &fixture{DB: db, installed: catalogtest.Discover(t, manifests)}
	h.start(t, db.Pool(t))
	return h
}

// start starts the process again, with the present content of the database.
func (h *fixture) start(t testing.TB, pool *pgxpool.Pool) {
	t.Helper()
	h.store = enablement.NewStore(pool)
	started, _, err := h.Resolve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.serve(started)
}

func (h *fixture) serve(started catalog.Resolution) {
	h.service = enablement.New(enablement.Config{Catalog: h.installed, Started: started, Resolver: h,
		Store: h.store, Processes: h.processes, Screens: noScreens{}})
}

// noScreens fails when it is called, because no module here has a display.
type noScreens struct{}

func (noScreens) PairedScreens(context.Context, []string) (map[string]int, error) {
	return nil, httpapi.ErrInternal
}

// Resolve makes the fixture its own resolver: no secret and no storage is supplied, and each module's size
// is configured as 0.
func (h *fixture) Resolve(ctx context.Context) (catalog.Resolution, enablement.Decisions, error) {
	if h.meanwhile != nil {
		h.meanwhile()
	}
	decisions, err := h.store.Decisions(ctx)
	if err != nil {
		return catalog.Resolution{}, nil, err
	}
	return h.by(decisions), decisions, nil
}

// ResolveWith resolves what is stored, and that with one more decision.
func (h *fixture) ResolveWith(
	ctx context.Context, moduleID string, enabled bool,
) (next, changed catalog.Resolution, err error) {
	decisions, err := h.store.Decisions(ctx)
	if err != nil {
		return catalog.Resolution{}, catalog.Resolution{}, err
	}
	return h.by(decisions), h.by(decisions.With(moduleID, enabled)), nil
}

func (h *fixture) by(decisions enablement.Decisions) catalog.Resolution {
	return h.installed.Resolve(catalog.State{
		Enabled: decisions.Enabled,
		Stored:  func(string) map[string]string { return map[string]string{"size": "0"} },
	})
}

// preview requests the preview of a decision.
func (h *fixture) preview(t testing.TB, moduleID string, enabled string) *httptest.ResponseRecorder {
	t.Helper()
	return h.send(t.Context(), http.MethodPost, path+"/"+moduleID+"/preview", `{"enabled":`+enabled+`}`)
}

func (h *fixture) send(ctx context.Context, method, target, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return httpapitest.Send(r, h.service.Routes(), nil)
}

// decide sends a decision and returns the response.
func (h *fixture) decide(t testing.TB, moduleID string, enabled string) *httptest.ResponseRecorder {
	t.Helper()
	return h.send(t.Context(), http.MethodPut, path+"/"+moduleID+"/enabled", `{"enabled":`+enabled+`}`)
}

type entry struct {
	ID         string `json:"id"`
	Configured struct {
		Enabled  bool `json:"enabled"`
		Explicit bool `json:"explicit"`
	} `json:"configured"`
	Runtime struct {
		State string `json:"state"`
	} `json:"runtime"`
	RestartRequired bool `json:"restartRequired"`
}

func decode[T any](t testing.TB, w *httptest.ResponseRecorder) (into T) {
	t.Helper()
	if w.Code != http.StatusOK {
		t.Fatalf("status %d, want 200; body %s", w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &into); err != nil {
		t.Fatalf("body %s is not the JSON wanted: %v", w.Body, err)
	}
	return into
}

// changed returns the modules with restartRequired, by id.
func (h *fixture) changed(t testing.TB) (ids []string) {
	t.Helper()
	list := decode[struct {
		Modules []entry `json:"modules"`
	}](t, h.send(t.Context(), http.MethodGet, path, ""))
	for _, e := range list.Modules {
		if e.RestartRequired {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

func wantCode(t testing.TB, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	if w.Code != status || w.Body.String() != `{"code":"`+code+`"}` {
		t.Errorf("got %d %s, want %d %s", w.Code, w.Body, status, code)
	}
}

// rows returns the stored decisions as text.
func (h *fixture) rows(t testing.TB) (rows string) {
	t.Helper()
	if err := h.Pool(t).QueryRow(t.Context(), `
		SELECT coalesce(string_agg(module_id || '=' || enabled, ' ' ORDER BY module_id), '')
		FROM core.module_enablement`).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	return rows
}
