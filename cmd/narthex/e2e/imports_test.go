package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/storage/storagetest"
)

// TestFilesOfManyMistakes: a file as long as an import may be, in which everything is wrong, or which names
// one thing again and again, gets a response of the module, which then still runs.
func TestFilesOfManyMistakes(t *testing.T) {
	t.Parallel()
	i := install(t, "stage", "rota", "announcements", "calendar")
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	i.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('rota')
		ON CONFLICT DO NOTHING`)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org')`)
	i.useObjectStorage("http://" + storagetest.New(t).Address)
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	filled := func(begin, repeated, end string, size int) string {
		return begin + strings.Repeat(repeated, (size-len(begin)-len(end))/len(repeated)) + end
	}
	var rooms strings.Builder
	for n := range 380_000 {
		fmt.Fprintf(&rooms, `"%06d",`, n)
	}
	const invalid = `{"code":"IMPORT_INVALID"}`
	for _, row := range []struct {
		path, body, want string
		status           int
	}{
		{"stage/import", filled(`{"songs":[0`, `,0`, `]}`, 8<<20), invalid, 400},
		{"stage/import", filled(`{"services":[0`, "\n,0", `]}`, 8<<20), invalid, 400},
		{"stage/songs/import", filled(`{"songs":[0`, `,0`, `]}`, 256<<10), invalid, 400},
		{"stage/songs/import", filled("x\n", "---\nx\n", "", 256<<10), invalid, 400},
		{"announcements/import", filled(`{"announcements":1,"notices":[],"pictures":[{}`, `,{}`, `]}`, 32<<20),
			invalid, 400},
		{"rota/import", filled(`{"rota":1,"roles":[],"volunteers":[],"assignments":[{}`, `,{}`, `]}`, 1<<20),
			`{"code":"REQUEST_INVALID"}`, 400},
		{"rota/volunteers/import", filled("name\n", "x\n", "", 512<<10), "TWICE", 422},
		{"rota/volunteers/import", filled("name;roles\nx;\"a", ";a", "\"\n", 512<<10), "ROLE_INVALID", 422},
		{"calendar/import?format=json", `{"format":"narthex-calendar-1","zone":"UTC","rooms":[` + rooms.String() +
			`"Hall"],"events":[]}`, "TOO_MANY", 400},
	} {
		got := owner.do("POST", "/api/v1/modules/"+row.path, strings.NewReader(row.body))
		if got.status != row.status || !strings.Contains(got.body, row.want) {
			t.Errorf("POST /%s of %.40s...: status %d, want %d; body %.100s, want %s",
				row.path, row.body, got.status, row.status, got.body, row.want)
		}
	}
	for _, module := range []string{"stage", "rota", "announcements", "calendar"} {
		var process struct {
			Starts int `json:"starts"`
		}
		told := owner.do("GET", "/api/v1/module-lifecycle/"+module+"/process", nil)
		if err := json.Unmarshal([]byte(told.body), &process); err != nil || process.Starts != 1 {
			t.Errorf("the process of %s afterwards: %s, want one start", module, told.body)
		}
	}
}
