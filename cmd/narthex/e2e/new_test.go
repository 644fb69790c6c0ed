package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// linkCheckout returns a folder with links to this checkout's files and a modules folder of its own.
func linkCheckout(t *testing.T) string {
	t.Helper()
	real, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := sharedFolder(t)
	copyFile(t, filepath.Join(real, "go.mod"), filepath.Join(dir, "go.mod"))
	copyFile(t, filepath.Join(real, "go.sum"), filepath.Join(dir, "go.sum"))
	entries, err := os.ReadDir(real)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		switch name := entry.Name(); {
		case name == "go.mod", name == "go.sum", name == "modules", strings.HasPrefix(name, "."):
		default:
			if err := os.Symlink(filepath.Join(real, name), filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// runProgram runs a program in a folder, and fails the test with its output if it fails.
func runProgram(t *testing.T, dir string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), args[0], args[1:]...)
	command.Dir = dir
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v, want success; output %s", strings.Join(args, " "), err, output)
	}
}

// TestNewModule: the sources that modules:new writes build, pass their test, match the page that is built
// from them, and run, inside a checkout and elsewhere.
func TestNewModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the Go toolchain on a copy of the checkout")
	}
	t.Parallel()
	checkout, elsewhere := linkCheckout(t), t.TempDir()
	environment := map[string]string{"PWD": checkout}
	write := func(want string, args ...string) {
		t.Helper()
		r := runCommand(t, environment, "", append([]string{"modules:new", "--", "--module"}, args...)...)
		if r.stdout.String()+r.stderr.String() != want {
			t.Errorf("narthex modules:new %s: wrote %s, want %s", strings.Join(args, " "),
				r.stdout.String()+r.stderr.String(), want)
		}
	}
	write("Written: inner-list. Next: make dev, or go test ./modules/inner-list\n", "inner-list")
	write("Written: outer-list. Next: see README.md in its folder.\n", "outer-list", "--dir", elsewhere)
	write("MODULE_FOLDER_EXISTS: There is something of that name already; nothing was changed.\n", "inner-list")

	inner, outer := filepath.Join(checkout, "modules", "inner-list"), filepath.Join(elsewhere, "outer-list")
	page, err := os.ReadFile(filepath.Join(inner, "ui", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	runProgram(t, checkout, "go", "run", "./web/build", inner, outer)
	for _, folder := range []string{inner, outer} {
		if built, err := os.ReadFile(filepath.Join(folder, "ui", "index.js")); err != nil ||
			string(built) != string(page) {
			t.Errorf("the page is not what its sources give: %v", err)
		}
	}
	runProgram(t, checkout, "make", "module-inner-list")
	runProgram(t, checkout, "go", "vet", "./modules/inner-list")
	runProgram(t, checkout, "go", "test", "./modules/inner-list")
	runProgram(t, outer, "sh", "-c", `CGO_ENABLED=0 go build -trimpath -o "bin/$(go env GOOS)-$(go env `+
		`GOARCH)/outer-list" .`)
	runProgram(t, outer, "go", "test", ".")

	i := prepare(t, databasetest.Empty(t))
	for _, folder := range []string{inner, outer} {
		if err := os.CopyFS(filepath.Join(i.environment["SERVICE_MODULES_DIR"], filepath.Base(folder)),
			os.DirFS(folder)); err != nil {
			t.Fatal(err)
		}
	}
	i.migrateWithOwner(t)
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	for _, id := range []string{"inner-list", "outer-list"} {
		if got := owner.do("POST", "/api/v1/modules/"+id+"/notes",
			map[string]string{"text": ""}); got.status != http.StatusBadRequest {
			t.Errorf("%v: POST %s: status %v, want %v",
				id, "/api/v1/modules/"+id+"/notes", got.status, http.StatusBadRequest)
		}
		const empty = `{"nextCursor":null,"notes":[],"rev":1}`
		if got := owner.do("GET", "/api/v1/modules/"+id+"/notes", nil); got.body != empty {
			t.Errorf("%v: GET %s: body %.200q, want %.200q",
				id, "/api/v1/modules/"+id+"/notes", got.body, empty)
		}
	}
}
