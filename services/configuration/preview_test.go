package configuration_test

import (
	"net/http"
	"testing"
)

const (
	running = `{"state":"running"}`
	nothing = `{"modules":[],"screens":[]}`

	missingTitle = `{"state":"blocked","reason":"configuration_missing","configurationKey":"title"}`
	blockedGuest = `{"state":"blocked","reason":"required_dependency_blocked",` +
		`"dependency":{"kind":"module","moduleId":"rota"}}`
)

// difference returns the preview with rota and guest, which requires rota.
func difference(rotaNow, rotaThen, guestNow, guestThen string) string {
	return `{"modules":[{"moduleId":"guest","name":"The guest","now":` + guestNow + `,"then":` + guestThen +
		`},{"moduleId":"rota","name":"The rota","now":` + rotaNow + `,"then":` + rotaThen + `}],"screens":[]}`
}

func TestPreview(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.insert(t, "rota", "zulu", "kept") // undeclared
	assertPreview := func(values, want string) {
		t.Helper()
		before := h.rows(t, "rota")
		if w := h.preview(t, "rota", values); w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("preview of %s: status %d, body\n%s\nwant\n%s", values, w.Code, w.Body, want)
		}
		if after := h.rows(t, "rota"); after != before {
			t.Errorf("the preview of %s has stored %q, before %q", values, after, before)
		}
	}
	assertPreview(`{}`, nothing)
	assertPreview(`{"size":4}`, nothing) // still blocked
	assertPreview(`{"title":"abc"}`, difference(missingTitle, running, blockedGuest, running))

	h.put(t, "rota", `{"title":"abc"}`)
	assertPreview(`{}`, nothing) // same values as at the start of this process
	h.start(t, h.Pool(t))
	assertPreview(`{"title":"abd","size":5}`, nothing) // it runs with other values
	assertPreview(`{"size":5}`, difference(running, missingTitle, running, blockedGuest))
	if got := decode[view](t, h.get(t, path+"/rota")); got.Rev != 1 {
		t.Errorf("revision %d after previews, want 1", got.Rev)
	}
}

func TestPreviewStoreDown(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.Exec(t, `ALTER TABLE core.module_configuration_document RENAME TO lost`)
	wantCode(t, h.preview(t, "rota", `{}`), http.StatusServiceUnavailable, "STORE_UNAVAILABLE")
}
