package enablement_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// TestList checks every state and reason, and changes that were stored after the start of the process.
func TestList(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.decide(t, "base", "false")
	h.decide(t, "optional", "true")
	h.start(t, h.Pool(t))
	h.decide(t, "base", "true")
	// a decision about a module that is not installed is kept and ignored
	h.Exec(t, `INSERT INTO core.module_enablement (module_id, enabled) VALUES ('gone', false)`)

	file, err := os.ReadFile("testdata/lifecycle.json")
	if err != nil {
		t.Fatal(err)
	}
	want := jsontext.Value(file)
	if err := want.Compact(); err != nil {
		t.Fatal(err)
	}
	if w := h.send(t.Context(), http.MethodGet, path, ""); w.Code != http.StatusOK ||
		w.Body.String() != string(want) {
		t.Errorf("GET the list: status %d, want 200; body\n%s\nwant\n%s", w.Code, w.Body, want)
	}
	if rows := h.rows(t); rows != "base=true gone=false optional=true" {
		t.Errorf("stored %q, want base=true gone=false optional=true", rows)
	}
}

// TestRestartRequired checks that restartRequired spreads along required dependencies of either kind, and
// that it is reset when the change is undone.
func TestRestartRequired(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for _, row := range []struct {
		moduleID, enabled string
		restart           bool // whether the process is restarted afterwards
		want              string
	}{
		{"by-module", "true", false, ""}, // same as the default
		{"base", "false", false, "base by-capability by-module chained"},
		{"base", "true", false, ""},
		{"by-module", "false", false, "by-module chained"},
		{"base", "false", false, "base by-capability by-module chained"},
		{"by-module", "true", true, ""},
		{"base", "true", false, "base by-capability by-module chained"},
		{"chained", "false", false, "base by-capability by-module"},
		{"unset", "false", false, "base by-capability by-module"}, // "unset" itself was not running
		{"base", "false", false, ""},
	} {
		e := decode[entry](t, h.decide(t, row.moduleID, row.enabled))
		if e.ID != row.moduleID || e.Configured.Enabled != (row.enabled == "true") || !e.Configured.Explicit {
			t.Errorf("%+v: response %+v, want the decision and restartRequired to fit", row, e)
		}
		if named := slices.Contains(strings.Fields(row.want), row.moduleID); !row.restart &&
			e.RestartRequired != named {
			t.Errorf("%+v: response %+v, want the decision and restartRequired to fit", row, e)
		}
		if row.restart {
			h.start(t, h.Pool(t))
		}
		if got := strings.Join(h.changed(t), " "); got != row.want {
			t.Errorf("%+v: changed %s, want %s", row, got, row.want)
		}
	}
}

// TestRefused checks refusals of a decision and of its preview: the body is checked before the module, and
// nothing is written.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for _, target := range []struct{ method, suffix string }{
		{http.MethodPut, "/enabled"}, {http.MethodPost, "/preview"},
	} {
		send := func(moduleID, query, body string) *httptest.ResponseRecorder {
			return h.send(t.Context(), target.method, path+"/"+moduleID+target.suffix+query, body)
		}
		for _, moduleID := range []string{"base", "unknown"} {
			for _, body := range []string{
				``, `{}`, `[]`, `null`, `true`, `{"enabled":null}`, `{"enabled":"true"}`, `{"enabled":1}`,
				`{"Enabled":true}`,
				`{"enabled":true,"enabled":false}`, `{"enabled":true,"id":"base"}`, `{"enabled":true}{}`,
				"{\"enabled\":true,\"\xff\":1}",
			} {
				wantCode(t, send(moduleID, "", body), http.StatusBadRequest, "REQUEST_INVALID")
			}
			for _, query := range []string{"?enabled=false", "?a", "?a=", "?=", "?%zz", "?a;b"} {
				wantCode(t, send(moduleID, query, `{"enabled":false}`), http.StatusBadRequest, "REQUEST_INVALID")
			}
		}
		for _, moduleID := range []string{"unknown", "Base", "base%20", "core", "base.thing"} {
			wantCode(t, send(moduleID, "", `{"enabled":true}`), http.StatusNotFound, "MODULE_NOT_INSTALLED")
		}
		long := `{"enabled":true` + strings.Repeat(" ", 16<<10) + `}`
		wantCode(t, send("base", "", long), http.StatusRequestEntityTooLarge, "REQUEST_BODY_TOO_LARGE")
	}
	if rows := h.rows(t); rows != "" {
		t.Errorf("stored %q after refusals, want nothing", rows)
	}
}

// TestEntriesAreOfOneState checks that the decision and restartRequired are of one state, even if another
// request stores a decision in the meantime.
func TestEntriesAreOfOneState(t *testing.T) {
	t.Parallel()
	h := setup(t)
	enabled := true
	h.meanwhile = func() {
		enabled = !enabled
		if err := h.store.Decide(t.Context(), chain.Operator(), "base", enabled); err != nil {
			t.Errorf("Decide beside a read: error %v, want none", err)
		}
	}
	judge := func(e entry) {
		t.Helper()
		if e.Configured.Enabled != enabled || e.RestartRequired == enabled {
			t.Errorf("stored enabled=%v in a process that runs it: got enabled=%v, restartRequired=%v",
				enabled, e.Configured.Enabled, e.RestartRequired)
		}
	}
	for range 4 {
		list := decode[struct {
			Modules []entry `json:"modules"`
		}](t, h.send(t.Context(), http.MethodGet, path, ""))
		judge(list.Modules[slices.IndexFunc(list.Modules, func(e entry) bool { return e.ID == "base" })])
		judge(decode[entry](t, h.decide(t, "base", "true")))
	}
}

func TestGates(t *testing.T) {
	t.Parallel()
	for _, route := range setup(t).service.Routes() {
		if route.Permission != "core.modules.lifecycle.manage" {
			t.Errorf("%s %s needs %q, want core.modules.lifecycle.manage", route.Method, route.Path,
				route.Permission)
		}
		write := route.Method != http.MethodGet
		if write != (route.Origin == httpapi.TrustedOrigin) || write != (route.Body == httpapi.WholeBody) ||
			write != (route.MaxBody == 16<<10) {
			t.Errorf("%s %s: gates %+v, want origin and body limit for a write alone", route.Method,
				route.Path, route)
		}
	}
}
