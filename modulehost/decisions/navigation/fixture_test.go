package navigation_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/decisions/navigation"
	"github.com/narthex-platform/narthex/modulehost/publication"
	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/principal"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

const (
	path       = "/api/v1/dashboard/navigation"
	groups     = path + "/groups/"
	placements = path + "/placements/"
	readUI     = "core.modules.ui.read"
	manage     = "core.dashboard.navigation.manage"
	origin     = "https://church.example.org"
	patience   = time.Minute // longer than any deadline of the platform
)

// allModules are installed in most tests: ant to eel have a page, mute has none.
var allModules = []string{"ant", "bee", "cat", "dog", "eel", "mute"}

func discover(t testing.TB, ids ...string) *catalog.Catalog {
	t.Helper()
	dir := t.TempDir()
	for _, id := range ids {
		ui := `, "entrypoints": {"ui": "ui.js"}`
		if id == "mute" {
			ui = ""
		}
		for name, text := range map[string]string{
			"module.json": `{"manifestVersion": 7, "id": "` + id + `", "name": "The ` + id + `", "version": "1.0.0",
				"compatibility": {"platform": "*", "moduleSdk": "*"},
				"permissions": [{"id": "` + id + `.use", "baseline": "restricted"}]` + ui + `}`,
			"ui.js": "// " + id,
		} {
			file := filepath.Join(dir, id, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
				os.WriteFile(file, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	installed, err := catalog.Discover(dir, true, "0.1.2")
	if err != nil {
		t.Fatal(err)
	}
	return installed
}

// fixture is one API process with its own database and the platform's HTTP pipeline.
type fixture struct {
	*databasetest.DB
	pool      *pgxpool.Pool
	inventory *publication.Service
	handler   http.Handler
}

func setup(t testing.TB) *fixture {
	t.Helper()
	db := databasetest.New(t)
	h := &fixture{DB: db, pool: db.Pool(t)}
	h.start(t, discover(t, allModules...))
	return h
}

// start starts the process again.
func (h *fixture) start(t fataler, installed *catalog.Catalog, disabled ...string) {
	t.Helper()
	var err error
	h.inventory, err = publication.New(publication.Config{
		Catalog: installed,
		Started: installed.Resolve(catalog.State{Enabled: func(id string) bool {
			return !slices.Contains(disabled,
				id)
		}}),
		Screens: h,
		Log:     zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	service := navigation.New(navigation.Config{Catalog: installed, Inventory: h.inventory,
		Store: navigation.NewStore(h.pool)})
	h.handler, err = httpserver.New(httpserver.Config{
		Routes:         service.Routes(),
		TrustedOrigins: []environment.Origin{origin},
		ClientAddress:  clientaddress.New(environment.ClientAddress{}),
		Resolver:       h,
		Authorizer:     h,
		Log:            zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fataler is the part of testing.TB that rapid.T also has.
type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

func (h *fixture) Label(context.Context, string) (string, error) { return "", nil }

func (h *fixture) Renew(context.Context, http.Header, *http.Request) error { return nil }

func (h *fixture) ForgetClaim(http.Header, *http.Request) error { return nil }

// Resolve reads a person's permissions from a header, and keeps them in place of the UserID for Allowed. A
// request without the header is anonymous.
func (h *fixture) Resolve(_ context.Context, r *http.Request) (principal.Principal, error) {
	if held := r.Header.Get("Test-Holds"); held != "" {
		return principal.Person(held), nil
	}
	return principal.Principal{}, nil
}

func (h *fixture) Caller(p principal.Principal) httpapi.Caller { return caller{p} }

type caller struct{ who principal.Principal }

func (c caller) Principal() principal.Principal { return c.who }

// Allowed reads the permissions from the UserID, where Resolve put them. With "broken" among them it fails
// for each that the caller does not have, as authorization does without its database.
func (c caller) Allowed(_ context.Context, permission string) (bool, error) {
	held := strings.Fields(c.who.UserID)
	if slices.Contains(held, "broken") && !slices.Contains(held, permission) {
		return false, httpapi.ErrPrincipal
	}
	return slices.Contains(held, permission), nil
}

// send sends a request of a caller with both permissions. headers are pairs of name and value that override
// the default headers; an empty value removes a header.
func (h *fixture) send(ctx context.Context, method, target, body string,
	headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	r.Header.Set("Origin", origin)
	r.Header.Set("Test-Holds", readUI+" "+manage)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	return w
}

// mustSend sends requests that must succeed, such as "PUT groups/worship {...}" and "DELETE placements/ant",
// below navigation's path.
func (h *fixture) mustSend(t testing.TB, requests ...string) {
	t.Helper()
	for _, request := range requests {
		method, rest, _ := strings.Cut(request, " ")
		target, body, _ := strings.Cut(rest, " ")
		w := h.send(t.Context(), method, path+"/"+target, body)
		if w.Code != map[string]int{"PUT": http.StatusOK, "DELETE": http.StatusNoContent}[method] {
			t.Fatalf("%s: status %d, want success; body %s", request, w.Code, w.Body)
		}
	}
}

type view struct {
	Groups []struct {
		ID      string  `json:"id"`
		Label   string  `json:"label"`
		Order   int     `json:"order"`
		Modules []entry `json:"modules"`
	} `json:"groups"`
	Ungrouped   []entry  `json:"ungrouped"`
	Permissions []string `json:"permissions"`
}

type entry struct {
	ModuleID string         `json:"moduleId"`
	Name     string         `json:"name"`
	Order    *int           `json:"order"`
	UI       jsontext.Value `json:"ui"`
}

func (h *fixture) read(t fataler) (v view) {
	t.Helper()
	w := h.send(context.Background(), http.MethodGet, path, "")
	if w.Code != http.StatusOK {
		t.Fatalf("GET navigation: status %d, want 200; body %s", w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("body %s is not the JSON wanted: %v", w.Body, err)
	}
	return v
}

// summary returns a short form of the view: "music[ant bee] empty[] | cat dog".
func (v view) summary() string {
	var parts []string
	for _, g := range v.Groups {
		parts = append(parts, g.ID+"["+ids(g.Modules)+"]")
	}
	return strings.Join(append(parts, "| "+ids(v.Ungrouped)), " ")
}

func ids(modules []entry) string {
	var list []string
	for _, m := range modules {
		list = append(list, m.ModuleID)
	}
	return strings.Join(list, " ")
}

func (h *fixture) assertSummary(t testing.TB, want string) {
	t.Helper()
	if got := h.read(t).summary(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func wantCode(t testing.TB, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	if w.Code != status || w.Body.String() != `{"code":"`+code+`"}` {
		t.Errorf("got %d %s, want %d %s", w.Code, w.Body, status, code)
	}
}

// rows returns all rows of the navigation, as text.
func (h *fixture) rows(t testing.TB) (rows string) {
	t.Helper()
	if err := h.pool.QueryRow(t.Context(), `
		SELECT coalesce(string_agg(row, ' ' ORDER BY row COLLATE "C"), '')
		FROM (
			SELECT 'group:' || id || ':' || label || ':' || position FROM core.navigation_group
			UNION ALL
			SELECT 'place:' || module_id || ':' || coalesce(group_id, '-') || ':' || position
			FROM core.navigation_placement
		) AS stored (row)`).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	return rows
}
