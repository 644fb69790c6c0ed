package publication_test

import (
	"errors"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/publication"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

const received = `[
	{"moduleId":"agenda","moduleVersion":"2.0.0-rc.1+b5","id":"agenda.slide",
		"version":"0.1.0","capability":"board.slides"},
	{"moduleId":"clock","moduleVersion":"1.0.0","id":"clock.slide",
		"version":"1.1.0","capability":"board.slides"},
	{"moduleId":"clock","moduleVersion":"1.0.0","id":"clock.digits",
		"version":"1.3.0","capability":"board.slides"}]`

const agenda = `{"moduleId":"agenda","name":"The agenda","version":"2.0.0-rc.1+b5","icon":null,
	"artifactUrl":"/api/v1/module-ui/agenda/2.0.0-rc.1+b5",
	"apiRoot":"/api/v1/modules/agenda",
	"realtimeRoot":"/api/v1/module-realtime/agenda","permissions":[],"contributions":[]}`

// board returns the board's entry for a caller with these permissions.
func board(artifact, permissions string) string {
	return `{"moduleId":"board","name":"The board","version":"1.0.0","icon":"megaphone",
	"artifactUrl":"` + artifact + `",
	"apiRoot":"/api/v1/modules/board","realtimeRoot":"/api/v1/module-realtime/board",
	"permissions":` + permissions + `,"contributions":` + received + `}`
}

// compactJSON removes white space from JSON.
func compactJSON(t testing.TB, text string) string {
	t.Helper()
	value := jsontext.Value(text)
	if err := value.Compact(); err != nil {
		t.Fatalf("%v: value.Compact: error %v, want none", text, err)
	}
	return string(value)
}

func TestInventory(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for who, held := range map[string]string{
		"person " + readUI: `[]`,
		"person board.edit off.view screen.view " + readUI:    `["board.edit"]`,
		"person board.view board.edit board.read x " + readUI: `["board.read","board.edit","board.view"]`,
	} {
		want := compactJSON(t, `{"modules":[`+agenda+`,`+board("/api/v1/module-ui/board/1.0.0", held)+`]}`)
		w := h.send(t, http.MethodGet, inventory, "Test-Who", who)
		if w.Code != http.StatusOK || w.Body.String() != want || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v\n%s\n%s", who, w.Code, w.Header(), w.Body, want)
		}
	}
	wantCode(t, h.send(t, http.MethodGet, inventory), http.StatusUnauthorized, "AUTHENTICATION_REQUIRED")
	wantCode(t, h.send(t, http.MethodGet, inventory, "Test-Who", "device board.view"), http.StatusForbidden,
		"PERMISSION_DENIED")
	wantCode(t, h.send(t, http.MethodGet, inventory, "Test-Who", "person broken "+readUI),
		http.StatusServiceUnavailable, "PRINCIPAL_RESOLUTION_FAILED")
	wantCode(t, h.send(t, http.MethodHead, inventory, "Test-Who", "person "+readUI), http.StatusNotFound,
		"NOT_FOUND")
	if h.renewed.Load() != 0 {
		t.Error("the inventory renewed a cookie")
	}
}

// TestEntriesAreTheInventory checks that Entries has the same bytes as the inventory's response.
func TestEntriesAreTheInventory(t *testing.T) {
	t.Parallel()
	h := setup(t)
	const who = "person board.edit " + readUI
	entries, err := h.service.Entries(t.Context(), h.Caller(principal.Person(who)))
	if err != nil || len(entries) != 2 {
		t.Fatalf("Entries: error %v, want none; number of entries %v, want %v", err, len(entries), 2)
	}
	for _, entry := range entries {
		if got := h.send(t, http.MethodGet, inventory, "Test-Who", who).Body.String(); !strings.Contains(got,
			string(entry)) {
			t.Errorf("%s\nis not in\n%s", entry, got)
		}
	}
	if _, err := h.service.Entries(t.Context(), h.Caller(principal.Person("broken"))); !errors.Is(err,
		httpapi.ErrPrincipal) {
		t.Errorf("Entries: error %v, want %v", err, httpapi.ErrPrincipal)
	}
}

// TestEmptyListIsAnArray checks that an empty list is [], not null.
func TestEmptyListIsAnArray(t *testing.T) {
	t.Parallel()
	h := start(t, discover(t, nil))
	if w := h.send(t, http.MethodGet, inventory, "Test-Who",
		"person "+readUI); w.Body.String() != `{"modules":[]}` {
		t.Errorf("the inventory without modules: %s, want an empty list", w.Body)
	}
}

// TestAddresses requests every address in the inventory's entries.
func TestAddresses(t *testing.T) {
	t.Parallel()
	h := setup(t)
	var got struct {
		Modules []struct {
			ArtifactURL   string                                         `json:"artifactUrl"`
			Contributions []struct{ ModuleID, ModuleVersion, ID string } `json:"contributions"`
		} `json:"modules"`
	}
	w := h.send(t, http.MethodGet, inventory, "Test-Who", "person "+readUI)
	if err := json.Unmarshal(w.Body.Bytes(), &got, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	var addresses []string
	for _, m := range got.Modules {
		addresses = append(addresses, m.ArtifactURL)
		for _, c := range m.Contributions {
			addresses = append(addresses, inventory+"/"+c.ModuleID+"/"+c.ModuleVersion+"/contributions/"+c.ID)
		}
	}
	if len(addresses) != 5 {
		t.Error(addresses)
	}
	for _, address := range addresses {
		if w := h.send(t, http.MethodGet, address); w.Code != http.StatusOK {
			t.Errorf("send: code %v, want %v; address %v", w.Code, http.StatusOK, address)
		}
	}
}

func TestDescriptor(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for who, screen := range map[string]string{"device board.view": `,"screen":{"label":"Foyer"}}`,
		"person board.view": "}"} {
		want := compactJSON(t, board("/api/v1/module-ui/board/1.0.0/display", `["board.view"]`))
		want = strings.TrimSuffix(want, "}") + screen
		w := h.send(t, http.MethodGet, displays+"board", "Test-Who", who)
		if w.Code != http.StatusOK || w.Body.String() != want || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v\n%s\n%s", who, w.Code, w.Header(), w.Body, want)
		}
		if w.Header().Get("Set-Cookie") != "credential=renewed" {
			t.Errorf("%s: not renewed", who)
		}
	}
}

// TestDescriptorRefused: the permission is checked first, and a refused screen's cookie is not renewed. A
// display that does not run is the same 404 for all callers.
func TestDescriptorRefused(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for _, row := range []struct {
		module, who string
		status      int
		code        string
	}{
		{"board", "", http.StatusUnauthorized, "AUTHENTICATION_REQUIRED"},
		{"board", "person " + readUI + " board.edit screen.view", http.StatusForbidden, "PERMISSION_DENIED"},
		{"board", "device board.read", http.StatusForbidden, "PERMISSION_DENIED"},
		{"board", "device broken board.view", http.StatusServiceUnavailable, "PRINCIPAL_RESOLUTION_FAILED"},
		{"off", "device off.view", http.StatusNotFound, "NOT_FOUND"},
		{"off", "", http.StatusNotFound, "NOT_FOUND"},
		{"ghost", "device ghost.view", http.StatusNotFound, "NOT_FOUND"},
		{"agenda", "person board.view", http.StatusNotFound, "NOT_FOUND"},
		{"board/", "device board.view", http.StatusNotFound, "NOT_FOUND"},
	} {
		w := h.send(t, http.MethodGet, displays+row.module, "Test-Who", row.who)
		wantCode(t, w, row.status, row.code)
		if w.Header().Get("Set-Cookie") != "" {
			t.Errorf("%+v: Set-Cookie %q, want none", row, w.Header().Get("Set-Cookie"))
		}
	}
	if h.renewed.Load() != 0 {
		t.Error("who was refused was renewed")
	}
}

// TestRenewalFails checks that the screen gets its descriptor, and that the log has one line with only the
// request's id.
func TestRenewalFails(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.renewal = errors.New("host=db.test hunter2")
	w := h.send(t, http.MethodGet, displays+"screen", "Test-Who", "device screen.view")
	if w.Code != http.StatusOK || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("GET with a failing renewal: status %d, want 200; header %v, want no Set-Cookie", w.Code,
			w.Header())
	}
	lines := h.logs.All()
	want := map[string]any{"request_id": w.Header().Get("X-Request-Id"), "cause": "other"}
	if len(lines) != 1 || !maps.Equal(lines[0].ContextMap(), want) {
		t.Errorf("log %+v, want one line with %v alone", lines, want)
	}
}

func TestIncompleteConfig(t *testing.T) {
	t.Parallel()
	if _, err := publication.New(publication.Config{}); err == nil {
		t.Error("accepted")
	}
}
