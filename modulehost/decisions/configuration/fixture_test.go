package configuration_test

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
	"github.com/narthex-platform/narthex/modulehost/decisions/configuration"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpapi/httpapitest"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

const (
	path     = "/api/v1/module-configuration"
	patience = 20 * time.Second // longer than any deadline of the platform
)

// manifests are the installed modules.
var manifests = map[string]string{
	"rota": `"entrypoints": {"server": "bin/server"}, "configuration": [
		{"key": "title", "type": "string", "required": true, "description": "On top",
			"minLength": 2, "maxLength": 5},
		{"key": "size", "type": "integer", "default": 3, "minimum": 1, "maximum": 10},
		{"key": "free", "type": "integer"},
		{"key": "dark", "type": "boolean", "default": false},
		{"key": "colour", "type": "enum", "values": ["red", "green"], "default": "red"},
		{"key": "link", "type": "url"},
		{"key": "note", "type": "string"},
		{"key": "apiToken", "type": "secret", "required": true},
		{"key": "otherToken", "type": "secret"}]`,
	"guest": `"dependencies": {"required": [{"kind": "module", "id": "rota", "range": "*"}]}`,
	"plain": ``,
}

// fixture is one API process with its own database.
type fixture struct {
	*databasetest.DB
	installed *catalog.Catalog
	store     *configuration.Store
	service   *configuration.Service
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
	h.store = configuration.NewStore(pool)
	started, _, err := h.Resolve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.serve(h, started)
}

func (h *fixture) serve(resolver configuration.Resolver, started catalog.Resolution) {
	h.service = configuration.New(configuration.Config{
		Catalog: h.installed, Started: started, Resolver: resolver, Store: h.store, Secret: supplied,
		Screens: noScreens{},
	})
}

// noScreens fails when it is called, because no module here has a display.
type noScreens struct{}

func (noScreens) PairedScreens(context.Context, []string) (map[string]int, error) {
	return nil, httpapi.ErrInternal
}

// supplied reports the secrets that the deployment supplies.
func supplied(moduleID, key string) bool { return moduleID == "rota" && key == "apiToken" }

// Resolve makes the fixture its own resolver. Every module is enabled.
func (h *fixture) Resolve(ctx context.Context) (catalog.Resolution, configuration.Documents, error) {
	if h.meanwhile != nil {
		h.meanwhile()
	}
	documents, err := h.store.All(ctx)
	if err != nil {
		return catalog.Resolution{}, nil, err
	}
	return h.installed.Resolve(catalog.State{Stored: documents.Of, Secret: supplied}), documents, nil
}

// ResolveWith resolves what is stored, and that with a document replaced.
func (h *fixture) ResolveWith(
	ctx context.Context, moduleID string, r configuration.Replacement,
) (next, changed catalog.Resolution, err error) {
	documents, err := h.store.All(ctx)
	if err != nil {
		return catalog.Resolution{}, catalog.Resolution{}, err
	}
	replaced := documents.With(moduleID, r)
	return h.installed.Resolve(catalog.State{Stored: documents.Of, Secret: supplied}),
		h.installed.Resolve(catalog.State{Stored: replaced.Of, Secret: supplied}), nil
}

// preview requests the preview of values.
func (h *fixture) preview(t testing.TB, moduleID, values string) *httptest.ResponseRecorder {
	t.Helper()
	target := path + "/" + moduleID + "/preview"
	return h.send(request(t.Context(), http.MethodPost, target, `{"values":`+values+`}`))
}

// insert stores values directly in the database, like values that an older version of a module has left.
func (h *fixture) insert(t testing.TB, moduleID string, keysAndValues ...string) {
	t.Helper()
	for i := 0; i < len(keysAndValues); i += 2 {
		h.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES ($1, $2, $3)`, moduleID,
			keysAndValues[i], keysAndValues[i+1])
	}
}

// rows returns a module's stored values as text, by key.
func (h *fixture) rows(t testing.TB, moduleID string) (rows string) {
	t.Helper()
	if err := h.Pool(t).QueryRow(t.Context(), `
		SELECT coalesce(string_agg(key || '=' || value, ' ' ORDER BY key COLLATE "C"), '')
		FROM core.module_configuration
		WHERE module_id = $1`, moduleID).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// request returns a request with a JSON body.
func request(ctx context.Context, method, target, body string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

func (h *fixture) send(r *http.Request) *httptest.ResponseRecorder {
	return httpapitest.Send(r, h.service.Routes(), nil)
}

func (h *fixture) get(t testing.TB, target string) *httptest.ResponseRecorder {
	t.Helper()
	return h.send(request(t.Context(), http.MethodGet, target, ""))
}

// putAt submits values with a revision.
func (h *fixture) putAt(t testing.TB, moduleID, values, rev string) *httptest.ResponseRecorder {
	t.Helper()
	return h.send(request(t.Context(), http.MethodPut, path+"/"+moduleID, `{"values":`+values+`,"rev":`+rev+`}`))
}

// put submits values, which need not be valid JSON.
func (h *fixture) put(t testing.TB, moduleID, values string) *httptest.ResponseRecorder {
	t.Helper()
	return h.send(request(t.Context(), http.MethodPut, path+"/"+moduleID, `{"values":`+values+`}`))
}

type view struct {
	Rev  int64 `json:"rev"`
	Keys []struct {
		Key        string `json:"key"`
		Value      any    `json:"value"`
		Configured bool   `json:"configured"`
	} `json:"keys"`
	UnknownKeys     []string `json:"unknownKeys"`
	RestartRequired bool     `json:"restartRequired"`
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

func wantCode(t testing.TB, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	if w.Code != status || w.Body.String() != `{"code":"`+code+`"}` {
		t.Errorf("got %d %s, want %d %s", w.Code, w.Body, status, code)
	}
}

// changed returns the modules with restartRequired, by id.
func (h *fixture) changed(t testing.TB) string {
	t.Helper()
	var ids []string
	for _, m := range decode[struct {
		Modules []struct {
			ModuleID        string `json:"moduleId"`
			RestartRequired bool   `json:"restartRequired"`
		} `json:"modules"`
	}](t, h.get(t, path)).Modules {
		if m.RestartRequired {
			ids = append(ids, m.ModuleID)
		}
	}
	return strings.Join(ids, " ")
}
