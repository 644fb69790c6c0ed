package e2e

import (
	"encoding/json"
	"testing"
)

// TestPreview requests what a decision and a configuration would change, with a paired screen: the response
// counts the screen, and nothing is stored.
func TestPreview(t *testing.T) {
	t.Parallel()
	i := installScreenModule(t)
	i.inProcess(t)
	owner := i.visitorFrom(t, 1).signInAs(t, ownerAddress)
	i.pairScreen(t, owner, 10)
	_, removed := i.pairScreen(t, owner, 11)
	owner.create(t, 200, "/api/v1/devices/"+removed+"/revoke", struct{}{})
	const lifecycle, settings = "/api/v1/module-lifecycle", "/api/v1/module-configuration/announcements"
	before := owner.do("GET", lifecycle, nil).body

	assertPreview := func(path string, body any, want string) {
		t.Helper()
		got, err := json.Marshal(owner.create(t, 200, path, body))
		if err != nil || string(got) != want {
			t.Errorf("POST %s %v: %s (%v), want %s", path, body, got, err, want)
		}
	}
	assertPreview(lifecycle+"/announcements/preview", map[string]bool{"enabled": false},
		`{"modules":[{"moduleId":"announcements","name":"Announcements","now":{"state":"running"},`+
			`"then":{"state":"disabled"},"translations":{"de":{"name":"Meldungen"}}}],`+
			`"screens":[{"count":1,"moduleId":"announcements"}],"waiting":[]}`)
	assertPreview(lifecycle+"/announcements/preview", map[string]bool{"enabled": true},
		`{"modules":[],"screens":[],"waiting":[]}`)
	assertPreview(settings+"/preview", map[string]any{"values": struct{}{}},
		`{"modules":[],"screens":[],"waiting":[]}`)
	if after := owner.do("GET", lifecycle, nil).body; after != before {
		t.Errorf("GET %s after the previews: %s, want it unchanged: %s", lifecycle, after, before)
	}
}
