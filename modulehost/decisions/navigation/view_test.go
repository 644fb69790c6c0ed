package navigation_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

// TestView compares the complete response byte for byte; the entry of ant is the inventory's, unchanged.
func TestView(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.start(t, discover(t, "ant", "bee", "mute"))
	const holds = readUI + " core.devices.manage other.thing ant.use"
	if w := h.send(t.Context(), http.MethodGet, path, "", "Test-Holds",
		holds); !strings.HasPrefix(w.Body.String(),
		`{"groups":[],"ungrouped":[{"moduleId":"ant","name":"The ant","order":null,"ui":{"moduleId":"ant",`) {
		t.Errorf("GET %s at first: status %d; body %s, want no group and The ant first", path, w.Code, w.Body)
	}
	h.mustSend(t, `PUT groups/music {"label":"Müsic & <more>","order":7}`,
		`PUT groups/empty {"label":"Empty","order":7}`,
		`PUT placements/ant {"groupId":"music","order":3}`, `PUT placements/mute {"groupId":"music","order":1}`)
	ui, err := h.inventory.Entries(t.Context(), h.Caller(principal.Person(holds)))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"groups":[{"id":"empty","label":"Empty","order":7,"modules":[]},` +
		`{"id":"music","label":"Müsic & <more>","order":7,"modules":[{"moduleId":"ant","name":"The ant",` +
		`"order":3,"ui":` + string(ui["ant"]) + `}]}],` +
		`"ungrouped":[{"moduleId":"bee","name":"The bee","order":null,"ui":` + string(ui["bee"]) + `}],` +
		`"permissions":["core.devices.manage","core.modules.ui.read"]}`
	w := h.send(t.Context(), http.MethodGet, path, "", "Test-Holds", holds)
	if w.Code != http.StatusOK || w.Body.String() != want || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("GET navigation: status %d, want 200; header %v\nbody %s\nwant %s", w.Code, w.Header(), w.Body,
			want)
	}
	if !strings.Contains(want, `"permissions":["ant.use"]`) {
		t.Error("the entry is not the caller's")
	}
}

func TestNothingInstalled(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.start(t, discover(t))
	if w := h.send(t.Context(), http.MethodGet, path, ""); w.Body.String() !=
		`{"groups":[],"ungrouped":[],"permissions":["`+manage+`","`+readUI+`"]}` {
		t.Errorf("GET navigation without modules: %s, want empty lists", w.Body)
	}
}

// TestOrder checks the order: groups by order, then id; modules by order, those never placed last, then id.
func TestOrder(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.assertSummary(t, "| ant bee cat dog eel")
	h.mustSend(t, `PUT groups/z {"label":"Z","order":0}`, `PUT groups/b {"label":"A","order":1}`,
		`PUT groups/a {"label":"B","order":1}`,
		`PUT groups/a0 {"label":"B","order":1}`, `PUT groups/a- {"label":"B","order":1}`,
		`PUT groups/0 {"label":"0","order":1000000}`,
		`PUT placements/eel {"groupId":"a","order":5}`, `PUT placements/bee {"groupId":"a","order":5}`,
		`PUT placements/ant {"groupId":"a","order":6}`,
		`PUT placements/dog {"groupId":null,"order":1000000}`)
	h.assertSummary(t, "z[] a[bee eel ant] a-[] a0[] b[] 0[] | dog cat")
}

// TestArranging follows the steps of an administrator. Each step is sent twice, and the second time changes
// nothing.
func TestArranging(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for _, step := range []struct{ request, want string }{
		{`DELETE groups/music`, "| ant bee cat dog eel"},
		{`DELETE placements/ant`, "| ant bee cat dog eel"},
		{`PUT groups/music {"label":"Music","order":2}`, "music[] | ant bee cat dog eel"},
		{`PUT placements/cat {"groupId":"music","order":1}`, "music[cat] | ant bee dog eel"},
		{`PUT placements/ant {"groupId":"music","order":2}`, "music[cat ant] | bee dog eel"},
		{`PUT placements/ant {"groupId":"music","order":0}`, "music[ant cat] | bee dog eel"},
		{`PUT groups/care {"label":"Care","order":1}`, "care[] music[ant cat] | bee dog eel"},
		{`PUT groups/care {"label":"Care","order":3}`, "music[ant cat] care[] | bee dog eel"},
		{`PUT placements/cat {"groupId":"care","order":1}`, "music[ant] care[cat] | bee dog eel"},
		{`PUT placements/cat {"groupId":null,"order":0}`, "music[ant] care[] | cat bee dog eel"},
		{`PUT placements/cat {"groupId":"music","order":9}`, "music[ant cat] care[] | bee dog eel"},
		{`PUT placements/mute {"groupId":"music","order":0}`, "music[ant cat] care[] | bee dog eel"},
		{`DELETE placements/ant`, "music[cat] care[] | ant bee dog eel"},
		{`PUT placements/ant {"groupId":"music","order":4}`, "music[ant cat] care[] | bee dog eel"},
		{`DELETE groups/music`, "care[] | ant cat bee dog eel"}, // ant and cat keep 4 and 9
		{`PUT groups/music {"label":"Music","order":2}`, "music[] care[] | ant cat bee dog eel"},
		{`DELETE groups/care {}`, "music[] | ant cat bee dog eel"},
		{`DELETE placements/cat {}`, "music[] | ant bee cat dog eel"},
		{`DELETE placements/ghost`, "music[] | ant bee cat dog eel"},
	} {
		for range 2 {
			h.mustSend(t, step.request)
			if got := h.read(t).summary(); got != step.want {
				t.Fatalf("%s: got %q, want %q", step.request, got, step.want)
			}
		}
	}
}

// TestWriteResponses checks that a write's response is the written object.
func TestWriteResponses(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for _, row := range []struct{ method, target, body, want string }{
		{"PUT", "groups/music", `{"label":"Music","order":2}`, `{"id":"music","label":"Music","order":2}`},
		{"PUT", "placements/ant", `{"groupId":"music","order":3}`,
			`{"moduleId":"ant","groupId":"music","order":3}`},
		{"PUT", "placements/ant", `{"order":0,"groupId":null}`, `{"moduleId":"ant","groupId":null,"order":0}`},
		{"DELETE", "placements/ant", ``, ``},
		{"DELETE", "groups/music", ``, ``},
	} {
		w := h.send(t.Context(), row.method, path+"/"+row.target, row.body)
		if w.Body.String() != row.want || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: status %d; header %v, want no-store; body %s, want %s", row.method, row.target,
				w.Code, w.Header(), w.Body, row.want)
		}
	}
}

// TestAbsentModules checks that a placement stays after its module was removed, can be changed, and is used
// again when the module is installed again.
func TestAbsentModules(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.mustSend(t, `PUT groups/music {"label":"Music","order":1}`, `PUT groups/care {"label":"Care","order":2}`,
		`PUT placements/ant {"groupId":"music","order":1}`, `PUT placements/bee {"groupId":"music","order":2}`)
	h.start(t, discover(t, "bee", "cat"), "bee")
	h.assertSummary(t, "music[] care[] | cat")
	h.mustSend(t, `PUT placements/ant {"groupId":"care","order":5}`,
		`PUT placements/bee {"groupId":"music","order":2}`)
	wantCode(t, h.send(t.Context(), http.MethodPut, placements+"dog", `{"groupId":null,"order":1}`),
		http.StatusNotFound, "MODULE_NOT_INSTALLED")
	wantCode(t, h.send(t.Context(), http.MethodPut, placements+"ant", `{"groupId":"ghost","order":1}`),
		http.StatusNotFound, "NAVIGATION_GROUP_NOT_FOUND")
	h.start(t, discover(t, allModules...))
	h.assertSummary(t, "music[bee] care[ant] | cat dog eel")
	h.start(t, discover(t))
	h.mustSend(t, `DELETE placements/ant`, `DELETE groups/music`)
	wantCode(t, h.send(t.Context(), http.MethodPut, placements+"ant", `{"groupId":null,"order":1}`),
		http.StatusNotFound, "MODULE_NOT_INSTALLED")
	h.start(t, discover(t, allModules...))
	h.assertSummary(t, "care[] | bee ant cat dog eel")
}

// TestStoresOfCaller checks that a failure to look up the caller's permissions, the platform's or a
// module's, gives 503.
func TestStoresOfCaller(t *testing.T) {
	t.Parallel()
	h := setup(t)
	none := discover(t)
	all := []string{readUI, "broken"}
	for _, permission := range none.Permissions {
		all = append(all, permission.ID)
	}
	of := func(holds []string) {
		t.Helper()
		w := h.send(t.Context(), http.MethodGet, path, "", "Test-Holds", strings.Join(holds, " "))
		wantCode(t, w, http.StatusServiceUnavailable, httpapi.ErrPrincipal.Code())
	}
	of(all)
	h.start(t, none)
	of(all[:2])
}
