package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/conformance"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/buildtest"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
)

var broken []byte // the executable of testdata/broken

// TestMain builds the broken module as modules are built: static, and without the race detector.
func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "conformance-test-")
	if err == nil {
		program := filepath.Join(folder, "broken")
		if err = buildtest.Module(program, "./testdata/broken"); err == nil {
			broken, err = os.ReadFile(program)
		}
		_ = os.RemoveAll(folder)
	}
	if err == nil {
		err = process.Harden()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	databasetest.Main(m)
}

// files are the files of a module, by their paths below its folder.
type files map[string]string

// trialManifest declares everything that testdata/broken registers.
const trialManifest = `{
  "manifestVersion": 7, "id": "trial", "name": "Trial", "version": "1.0.0",
  "compatibility": { "platform": "^0.1.0", "moduleSdk": "^0.1.0" },
  "permissions": [{ "id": "trial.use", "baseline": "restricted" }],
  "provides": [{ "capability": "trial.things", "version": "1.0.0" }],
  "entrypoints": { "server": "bin/{os}-{arch}/NAME", "ui": "ui/index.js",
    "display": { "artifact": "display/index.js", "permission": "trial.use" } },
  "database": { "abi": 1, "migrations": "migrations" },
  "storage": { "buckets": ["pictures"] },
  "configuration": [{ "key": "greeting", "type": "string", "required": true, "minLength": 3 },
    { "key": "key", "type": "secret", "required": true }]
}`

// trialModule is the module of testdata/broken that breaks the promise with this name.
func trialModule(name string) files {
	return files{
		"module.json":                strings.Replace(trialManifest, "NAME", name, 1),
		executablePath(name):         string(broken),
		"ui/index.js":                "export default { narthex: 'module-ui', abi: 1, mount() {} };\n",
		"display/index.js":           "const d = { narthex: 'display', abi: 1 };\nexport { d as default };\n",
		"migrations/0001_things.sql": "CREATE TABLE things (id int PRIMARY KEY);\n",
	}
}

func executablePath(name string) string {
	return "bin/" + runtime.GOOS + "-" + runtime.GOARCH + "/" + name
}

// write writes the files into a new folder with the module's id as its name.
func (f files) write(t *testing.T) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), f.id(t))
	for path, content := range f {
		path = filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// pack makes the package of the files.
func (f files) pack(t *testing.T) string {
	t.Helper()
	path, err := archive.Pack(f.write(t), abi.PlatformVersion, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// options returns the options of a trial with its own database.
func options(t *testing.T, path string) conformance.Options {
	return conformance.Options{
		Package: path,
		Database: func(context.Context) (environment.Database, func() error, error) {
			return databasetest.Empty(t).Settings, func() error { return nil }, nil
		},
	}.Calls(600)
}

// try runs a trial and returns its results by check, and the failed ones.
func try(t *testing.T, o conformance.Options) (all map[string]conformance.Result, failed []string) {
	t.Helper()
	return tryUntil(t, o, "")
}

// tryUntil ends the trial after the check last, which relies on earlier checks but not on later ones; ""
// means that all checks run.
func tryUntil(
	t *testing.T, o conformance.Options, last string,
) (all map[string]conformance.Result, failed []string) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	all = make(map[string]conformance.Result)
	err := conformance.Run(ctx, o, func(r conformance.Result) {
		all[r.Check] = r
		if r.Verdict == conformance.Failed {
			failed = append(failed, r.Check)
		}
		if r.Check == last {
			end()
		}
	})
	if _, reached := all[last]; err != nil && !(reached && errors.Is(err, context.Canceled)) {
		t.Fatalf("the trial ended with %v", err)
	}
	return all, failed
}

// id returns the module's id from its manifest.
func (f files) id(t *testing.T) string {
	t.Helper()
	_, rest, _ := strings.Cut(f["module.json"], `"id": "`)
	id, _, found := strings.Cut(rest, `"`)
	if !found {
		t.Fatal("the manifest has no id")
	}
	return id
}
