package enablement_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
)

type previewed struct {
	Modules differences `json:"modules"`
	Waiting differences `json:"waiting"`
	Screens []struct{}  `json:"screens"`
}

type differences []struct {
	ModuleID string          `json:"moduleId"`
	Name     string          `json:"name"`
	Now      catalog.Runtime `json:"now"`
	Then     catalog.Runtime `json:"then"`
}

// summary returns a short form: "base:running>disabled".
func (d differences) summary() string {
	var parts []string
	for _, m := range d {
		parts = append(parts, m.ModuleID+":"+short(m.Now)+">"+short(m.Then))
	}
	return strings.Join(parts, " ")
}

func short(r catalog.Runtime) string {
	if r.Reason != "" {
		return string(r.Reason)
	}
	return string(r.State)
}

// TestPreview compares each preview with a start after the decision was really stored.
func TestPreview(t *testing.T) {
	t.Parallel()
	h := setup(t)
	const offBase = "base:running>disabled by-capability:running>required_dependency_disabled " +
		"by-module:running>required_dependency_disabled chained:running>required_dependency_blocked"
	for _, row := range []struct{ moduleID, enabled, want string }{
		{"optional", "true", ""},
		{"optional", "false", "optional:running>disabled"},
		{"base", "false", offBase},
		{"unset", "false", "unset:configuration_missing>disabled"},
	} {
		before := h.rows(t)
		p := decode[previewed](t, h.preview(t, row.moduleID, row.enabled))
		if got := p.Modules.summary(); got != row.want {
			t.Errorf("preview of %s enabled=%s: %q, want %q", row.moduleID, row.enabled, got, row.want)
		}
		if after := h.rows(t); after != before {
			t.Errorf("the preview of %s has stored %q, before %q", row.moduleID, after, before)
		}
		h.decide(t, row.moduleID, row.enabled)
		next, _, err := h.Resolve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range p.Modules {
			if then := next.Outcome(m.ModuleID).Runtime(); short(then) != short(m.Then) {
				t.Errorf("%s: the next start says %v, the preview said %v", m.ModuleID, then, m.Then)
			}
		}
		h.Exec(t, `DELETE FROM core.module_enablement`)
	}
}

// TestPreviewOfWaitingChanges: a change that is already stored and not yet started is not blamed on another
// one. Taken back, it ends what waits.
func TestPreviewOfWaitingChanges(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.decide(t, "by-module", "false")
	for _, row := range []struct{ moduleID, enabled, modules, waiting string }{
		{"optional", "false", "optional:running>disabled",
			"by-module:running>disabled chained:running>required_dependency_disabled"},
		{"by-module", "true", "by-module:disabled>running chained:required_dependency_disabled>running",
			"by-module:running>disabled chained:running>required_dependency_disabled"},
		{"by-module", "false", "", "by-module:running>disabled chained:running>required_dependency_disabled"},
		{"chained", "false", "chained:required_dependency_disabled>disabled",
			"by-module:running>disabled chained:running>required_dependency_disabled"},
	} {
		p := decode[previewed](t, h.preview(t, row.moduleID, row.enabled))
		if got := p.Modules.summary(); got != row.modules {
			t.Errorf("%s enabled=%s alters %q, want %q", row.moduleID, row.enabled, got, row.modules)
		}
		if got := p.Waiting.summary(); got != row.waiting {
			t.Errorf("beside %s enabled=%s waits %q, want %q", row.moduleID, row.enabled, got, row.waiting)
		}
	}
}

func TestPreviewShowsTheRuntimeObject(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.decide(t, "chained", "false")
	h.decide(t, "by-module", "false")
	h.start(t, h.Pool(t))
	const want = `{"modules":[{"moduleId":"base","name":"The base","now":{"state":"running"},` +
		`"then":{"state":"disabled"}},{"moduleId":"by-capability","name":"The by-capability",` +
		`"now":{"state":"running"},"then":{"state":"blocked","reason":"required_dependency_disabled",` +
		`"dependency":{"kind":"capability","moduleId":"base","capability":"base.thing"}}}],` +
		`"waiting":[],"screens":[]}`
	if w := h.preview(t, "base", "false"); w.Code != http.StatusOK || w.Body.String() != want {
		t.Errorf("status %d, body\n%s\nwant\n%s", w.Code, w.Body, want)
	}
}

func TestPreviewStoreDown(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.Exec(t, `ALTER TABLE core.module_enablement RENAME TO lost`)
	wantCode(t, h.preview(t, "base", "false"), http.StatusServiceUnavailable, "STORE_UNAVAILABLE")
}
