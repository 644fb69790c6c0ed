package script_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/script"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
	"github.com/narthex-platform/narthex/web"
	"github.com/narthex-platform/narthex/web/bundle"
)

// TestGuide: the module of docs/modules-typescript.md is built of the page's blocks, and answers as the page
// says.
func TestGuide(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/modules-typescript.md")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "checklists")
	block := regexp.MustCompile("(?ms)^```(?:json|sql|ts) (\\S+)\n(.*?)^```$")
	for _, found := range block.FindAllStringSubmatch(string(page), -1) {
		path := filepath.Join(folder, found[1])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(found[2]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sdk, err := bundle.ReadSDK(web.SDK())
	if err != nil {
		t.Fatal(err)
	}
	built, err := bundle.Module(folder, sdk)
	if err != nil || len(built) != 1 || built[0].Path != "server/index.js" {
		t.Fatalf("the page's server: %d scripts, error %v, want server/index.js", len(built), err)
	}
	m := sdktest.Start(t, script.New(built[0].Path, built[0].Bytes), sdktest.Options{Folder: folder})
	callers := map[string]*sdktest.Caller{"editor": m.Person("checklists.edit"), "member": m.Person()}
	list := callers["member"].Subscribe("list")
	if got := list.String(); got != `200 {"rev":0,"items":[]}` {
		t.Errorf("the list at first: %s, want it empty", got)
	}
	rows := regexp.MustCompile("(?m)^\\| (editor|member) \\| `(\\w+) (\\S+)(?: ([^`]*))?` " +
		"\\| (\\d+)(?: `([^`]*)`)? \\|$")
	answers := rows.FindAllStringSubmatch(string(page), -1)
	if len(answers) < 6 {
		t.Errorf("the page has %d answers, want at least 6", len(answers))
	}
	for _, row := range answers {
		var body any
		if row[4] != "" {
			body = row[4]
		}
		got := callers[row[1]].Do(row[2], row[3], body)
		if strconv.Itoa(got.Status) != row[5] || row[6] != "" && string(got.Body) != row[6] {
			t.Errorf("%s: %s %s %s: %v, want %s %s", row[1], row[2], row[3], row[4], got, row[5], row[6])
		}
	}
}
