package configuration_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// TestView checks that valid stored values are shown, but neither invalid values nor a value that is stored
// under a secret's key.
func TestView(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.insert(t, "rota", "title", "abc", "size", "11", "free", "0", "dark", "false", "link", "ftp://files.test",
		"note", "",
		"apiToken", "stale", "otherToken", "stale", "zulu", "1", "alpha", "2")
	h.insert(t, "guest", "gone", "1")
	file, err := os.ReadFile("testdata/view.json")
	if err != nil {
		t.Fatal(err)
	}
	want := jsontext.Value(file)
	if err := want.Compact(); err != nil {
		t.Fatal(err)
	}
	if w := h.get(t, path+"/rota"); w.Code != http.StatusOK || w.Body.String() != string(want) {
		t.Errorf("GET rota: status %d, want 200; body %s, want %s", w.Code, w.Body, want)
	}
	for moduleID, want := range map[string]string{
		"guest": `{"moduleId":"guest","version":"1.0.0","rev":0,"keys":[],"unknownKeys":["gone"],` +
			`"restartRequired":false}`,
		"plain": `{"moduleId":"plain","version":"1.0.0","rev":0,"keys":[],"unknownKeys":[],` +
			`"restartRequired":false}`,
	} {
		if w := h.get(t, path+"/"+moduleID); w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("GET %s: status %d, want 200; body %s, want %s", moduleID, w.Code, w.Body, want)
		}
	}
	wantCode(t, h.get(t, path+"/unknown"), http.StatusNotFound, "MODULE_NOT_INSTALLED")
}

func TestList(t *testing.T) {
	t.Parallel()
	h := setup(t)
	want := `{"modules":[{"moduleId":"guest","name":"The guest","version":"1.0.0","restartRequired":false},` +
		`{"moduleId":"plain","name":"The plain","version":"1.0.0","restartRequired":false},` +
		`{"moduleId":"rota","name":"The rota","version":"1.0.0","restartRequired":false}]}`
	if w := h.get(t, path); w.Code != http.StatusOK || w.Body.String() != want {
		t.Errorf("GET the list: status %d, want 200; body %s, want %s", w.Code, w.Body, want)
	}
}

// TestRestartRequired checks which modules a change affects: a module that starts or stops running also
// affects those that need it; other values affect only the module itself; returning to the started values
// requires no restart.
func TestRestartRequired(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for _, row := range []struct {
		values  string
		restart bool // whether the process is restarted afterwards
		want    string
	}{
		{`{}`, false, ""},
		{`{"size":4}`, false, ""}, // still blocked
		{`{"title":"abc"}`, false, "guest rota"},
		{`{}`, false, ""},
		{`{"title":"abc"}`, true, ""},
		{`{"title":"abd"}`, false, "rota"},
		{`{"title":"abc","size":3,"dark":false,"colour":"red"}`, false, ""}, // same as the defaults
		{`{"title":"abc","size":4}`, false, "rota"},
		{`{"title":"abc","note":""}`, false, "rota"}, // different from no value
		{`{}`, false, "guest rota"},
		{`{"title":"abc"}`, false, ""},
	} {
		shown := decode[view](t, h.put(t, "rota", row.values))
		if row.restart {
			h.start(t, h.Pool(t))
			shown = decode[view](t, h.get(t, path+"/rota"))
		}
		if got := h.changed(t); got != row.want || shown.RestartRequired != (row.want != "") {
			t.Errorf("PUT %s: changed %q, want %q; restartRequired %v", row.values, got, row.want,
				shown.RestartRequired)
		}
	}
}

func TestGates(t *testing.T) {
	t.Parallel()
	for _, route := range setup(t).service.Routes() {
		if route.Permission != "core.modules.configuration.manage" {
			t.Errorf("%s %s needs %q, want core.modules.configuration.manage", route.Method, route.Path,
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
