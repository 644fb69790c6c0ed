package configuration_test

import (
	"net/http"
	"testing"
)

const (
	running = `{"state":"running"}`
	nothing = `{"modules":[],"waiting":[],"screens":[]}`

	missingTitle = `{"state":"blocked","reason":"configuration_missing","configurationKey":"title"}`
	blockedGuest = `{"state":"blocked","reason":"required_dependency_blocked",` +
		`"dependency":{"kind":"module","moduleId":"rota"}}`
)

// difference returns the entries of rota and guest, which requires rota.
func difference(rotaNow, rotaThen, guestNow, guestThen string) string {
	return `[{"moduleId":"guest","name":"The guest","now":` + guestNow + `,"then":` + guestThen +
		`},{"moduleId":"rota","name":"The rota","now":` + rotaNow + `,"then":` + rotaThen + `}]`
}

func altered(modules, waiting string) string {
	return `{"modules":` + modules + `,"waiting":` + waiting + `,"screens":[]}`
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
	begins := difference(missingTitle, running, blockedGuest, running)
	ends := difference(running, missingTitle, running, blockedGuest)
	assertPreview(`{"title":"abc"}`, altered(begins, `[]`))

	h.put(t, "rota", `{"title":"abc"}`)
	assertPreview(`{"title":"abd"}`, altered(`[]`, begins)) // the stored title does it already
	assertPreview(`{}`, altered(ends, begins))              // takes that back
	h.start(t, h.Pool(t))
	assertPreview(`{"title":"abd","size":5}`, nothing) // it runs with other values
	assertPreview(`{"size":5}`, altered(ends, `[]`))
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
