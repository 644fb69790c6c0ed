package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/migrations"
)

const project = "github.com/narthex-platform/narthex/"

// ranks is the layer of each package. A package imports only packages of lower rank (docs/architecture.md). A
// package that is not listed fails the test, so that the rank of a new one is a decision.
var ranks = map[string]int{
	"cmd/narthex":     9,
	"cmd/narthex-dev": 9,
	"cmd/narthex/e2e": 9, // only tests

	"cmd/narthex/program": 8,

	"cmd/narthex/operator": 7,
	"cmd/narthex/doctor":   7,
	"cmd/narthex/dev":      8,
	"cmd/narthex/conform":  7,

	"cmd/narthex/dev/sample": 6,

	"cmd/narthex/platform":    6,
	"modulehost/archive/pack": 6, // a program
	"deploy/debian/pack":      9, // a program
	"modulehost/sdktest":      6, // only for tests of modules
	"modulehost/scripttest":   7, // the same in TypeScript, with sdktest
	"modulehost/conformance":  6,

	"services/httpserver": 5,
	"modulehost/gateway":  5,

	"services/activity":                  4,
	"services/authorization":             4,
	"modulehost/decisions/configuration": 4,
	"services/dashboard":                 4,
	"services/house":                     4,
	"modulehost/decisions/navigation":    4,
	"services/people":                    4,
	"modulehost/schedule":                4,
	"modulehost/publication":             4,
	"services/devices":                   4,
	"services/feeds":                     4,
	"services/links":                     4,
	"services/secondfactor":              4,
	"modulehost/decisions/displays":      4,
	"modulehost/decisions/linkpage":      5,
	"modulehost/decisions/enablement":    4,
	"services/health":                    4,
	"services/identity":                  4,
	"services/database/databasetest":     4, // only for tests
	"services/database/poolertest":       3, // only for tests
	"services/httpapi/httpapitest":       4, // only for tests
	"services/httpapi/openapitest":       1, // only for tests
	"storage/storagetest":                4, // only for tests
	"services/natstest":                  2, // only for tests
	"modulehost/facade":                  4,
	"modulehost/modulelogs":              4,

	"services/backup":      3,
	"services/emails":      3,
	"services/httpapi":     3,
	"modulehost/archive":   3,
	"modulehost/process":   3,
	"modulehost/preview":   3,
	"modulehost/scaffold":  3,
	"modulehost/authoring": 3,

	"modulehost/catalog/catalogtest": 3, // only for tests

	"services/activity/chain": 2,

	"services/clientaddress": 2,
	"services/metrics":       2,
	"services/database":      2,
	"services/expiry":        2,
	"services/idle":          2,
	"services/lookup":        2,
	"services/principal":     2,
	"services/store":         2,
	"services/loglimit":      2,
	"services/ratelimit":     2,
	"mail":                   2,
	"realtime/update":        1,
	"realtime/stream":        2,
	"realtime/backplane":     2,
	"realtime/hub":           3,
	"storage":                2,
	"migrations":             2,
	"modulehost/catalog":     2,
	"modulehost/sdkexport":   2,
	"modulehost/script":      2,

	"cmd/narthex/cli":             2,
	"supervisor":                  1,
	"supervisor/deadlines":        1,
	"supervisor/setting":          0,
	"migrations/folding":          1,
	"web":                         1,
	"web/bundle":                  1,
	"":                            1, // the sources of the test kit
	"services/httpserver/ginmode": 1,
	"services/environment":        1,
	"services/buildtest":          1, // only for tests
	"services/leaktest":           1, // only for tests
	"services/porttest":           1, // only for tests
	"services/waittest":           1, // only for tests
	"services/emails/mailtexts":   1, // only for tests

	"services/secondfactor/authenticatortest": 1, // only for tests

	"services/randomtest":         1, // only for tests
	"services/database/cluster":   1,
	"modulehost/manifest":         1,
	"modulehost/sdk/abi":          1,
	"modulehost/sdk/link":         1,
	"modulehost/hostmemory":       1,
	"modulehost/process/launcher": 1,
}

// outside are the packages without a rank: what module authors import, the modules, whichever there are, and
// generators. sdktest imports the platform, and it imports the SDK as a module does.
var outside = map[string][]string{
	"modulehost/sdk":       {"modulehost/sdk/abi", "modulehost/sdk/link"},
	"modulehost/sdk/sqldb": {"modulehost/sdk"},
	"modulehost/sdk/files": nil,
	"modulehost/sdk/ical":  nil,

	"modulehost/sdk/files/filestest": nil, // only for tests
	"modulehost/sdk/ical/icaltest":   nil, // only for tests

	"modules": {"modulehost/sdk", "modulehost/sdk/sqldb", "modulehost/sdk/files",
		"modulehost/sdk/ical"},
	"modulehost/abigen":      nil,
	"modulehost/sdktest/e2e": nil, // only tests
	"web/build":              {"services/httpapi", "web", "web/bundle"},
	"web/browsertest":        nil, // only tests
}

// importSDK are the parts of the platform that import the SDK as a module does, or contain its sources.
var importSDK = []string{"modulehost/sdktest", "modulehost/sdkexport", "modulehost/script",
	"modulehost/scripttest"}

// importers are the packages that may import a library. For pgx they are also the store files of any package.
var importers = map[string][]string{
	"github.com/thejerf/suture/v4": {"supervisor"},
	"github.com/gin-gonic/gin":     {"services/httpserver"},
	"golang.org/x/crypto":          {"services/identity", "modulehost/archive"},
	"golang.org/x/text":            {"services/identity", "migrations/folding", "modulehost/sdk/files"},
	"github.com/hiddeco/sshsig":    {"modulehost/archive"},
	"github.com/go-webauthn":       {"services/secondfactor"},
	"github.com/jackc/pgx/v5/pgtype": {"modulehost/facade", "modulehost/sdk", "services/database",
		"migrations"},
	"github.com/jackc/pgx/v5/pgxpool": {"modulehost/facade", "services/database", "migrations",
		"services/database/databasetest", "services/store", "services/*/store*.go"},
	"filippo.io/age": {"services/backup"},
	"github.com/jackc/pgx/v5": {"modulehost/facade", "services/database", "migrations", "services/backup",
		"services/database/databasetest", "services/store", "services/*/store*.go"},
	"github.com/jackc/pgx/v5/pgconn": {"modulehost/facade", "services/database", "migrations", "services/backup",
		"services/database/databasetest", "services/store", "services/*/store*.go"},
	"github.com/spf13/cobra": {
		"cmd/narthex/program", "cmd/narthex/cli", "cmd/narthex/operator", "cmd/narthex/doctor", "cmd/narthex/dev",
		"cmd/narthex/conform", "deploy/debian/pack",
	},
	"github.com/wneessen/go-mail":       {"mail"},
	"github.com/prometheus":             {"services/metrics"},
	"github.com/johannesboyne/gofakes3": {"cmd/narthex/dev", "modulehost/sdktest"},
	"github.com/aws":                    {"storage"},
	"github.com/r3labs/sse":             {"realtime/stream"},
	"github.com/nats-io":                {"realtime/backplane"},
	"github.com/evanw/esbuild":          {"web/build", "web/bundle"},
	"github.com/dop251/goja":            {"modulehost/script"},
	"github.com/coreos/go-systemd":      {"supervisor", "cmd/narthex/platform"},
	"github.com/anishathalye/porcupine": nil, // only tests
	"github.com/getkin/kin-openapi":     {"services/httpapi/openapitest"},
}

// goPackage is one line of the output of go list.
type goPackage struct {
	path    string
	imports []string
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`,
		project+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	for line := range strings.Lines(string(output)) {
		fields := strings.Fields(line)
		path := strings.Trim(strings.TrimPrefix(fields[0]+"/", project), "/")
		packages = append(packages, goPackage{path, fields[1:]})
	}
	return packages
}

// TestArchitectureOfMigrations finds two migrations with the same number. Two branches may both use the next
// number, and a merge reports no conflict.
func TestArchitectureOfMigrations(t *testing.T) {
	if _, err := migrations.Core(); err != nil {
		t.Error(err)
	}
}

func TestImportsPointDown(t *testing.T) {
	for _, p := range listPackages(t) {
		allowed, special := outside[p.path]
		if strings.HasPrefix(p.path, "modules/") {
			allowed, special = outside["modules"], true
		}
		rank, ranked := ranks[p.path]
		if !special && !ranked {
			t.Errorf("package %s has no rank, want one in the table ranks", p.path)
			continue
		}
		for _, imported := range p.imports {
			own, ours := strings.CutPrefix(imported, project)
			other, known := ranks[own]
			switch {
			case !ours:
			case special && strings.HasPrefix(own, p.path+"/"): // a part of the same module
			case special && !slices.Contains(allowed, own):
				t.Errorf("%s imports %s, which is not its own to use", p.path, own)
			case slices.Contains(importSDK, p.path) && own == "modulehost/sdk":
			case ranked && (!known || other >= rank):
				t.Errorf("%s (rank %d) imports %s (rank %d)", p.path, rank, own, other)
			}
		}
	}
}

// folders is the layer of each top folder. A package imports from its own folder and from folders of a lower
// layer.
var folders = map[string]int{
	"cmd": 6, "deploy": 6, "modules": 5, "modulehost": 4, "services": 3,
	"mail": 2, "migrations": 2, "realtime": 2, "storage": 2, "supervisor": 1, "web": 1,
}

// TestTopFoldersPointDown: what a folder needs is in the folders below it, so each can be read without those
// above. web/build and deploy/debian/pack are programs.
func TestTopFoldersPointDown(t *testing.T) {
	for _, p := range listPackages(t) {
		folder, _, _ := strings.Cut(p.path, "/")
		if folder == "" || p.path == "web/build" || p.path == "deploy/debian/pack" {
			continue
		}
		for _, imported := range p.imports {
			own, ours := strings.CutPrefix(imported, project)
			if !ours {
				continue
			}
			if other, _, _ := strings.Cut(own, "/"); other != folder && folders[other] >= folders[folder] {
				t.Errorf("%s imports %s: the folder %s is not below %s", p.path, own, other, folder)
			}
		}
	}
}

func TestLibrariesAreImportedByFew(t *testing.T) {
	for _, p := range listPackages(t) {
		for _, imported := range p.imports {
			library := listedLibrary(imported)
			if library == "" || slices.Contains(importers[library], p.path) {
				continue
			}
			if !slices.Contains(importers[library], "services/*/store*.go") || !onlyInStoreFile(t, p.path, imported) {
				t.Errorf("%s imports %s, want that only in %s", p.path, imported, strings.Join(importers[library], ", "))
			}
		}
	}
}

// TestSDKHasFewDependencies limits the SDK's dependencies, because every module author downloads them. The
// SDK is a Go module of its own, so that it has none of the platform's dependencies.
func TestSDKHasFewDependencies(t *testing.T) {
	command := exec.CommandContext(t.Context(), "go", "list", "-mod=readonly", "-deps", "-test", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./...")
	command.Dir = "../../modulehost/sdk"
	output, err := command.Output()
	if err != nil {
		t.Fatalf("go list in modulehost/sdk: %v", err)
	}
	libraries := strings.Fields(string(output))
	slices.Sort(libraries)
	if libraries = slices.Compact(libraries); len(libraries) == 0 || len(libraries) >= 10 {
		t.Errorf("the SDK and its tests are built of %d other Go modules, want one to nine: %v", len(libraries),
			libraries)
	}
}

// TestProofLibrariesAreNotRequired: who builds the platform downloads nothing that only cmd/narthex-proof
// needs.
func TestProofLibrariesAreNotRequired(t *testing.T) {
	required, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, library := range []string{"nats-server", "nats-io/jwt"} {
		if strings.Contains(string(required), library) {
			t.Errorf("go.mod requires %s, want it only in that of cmd/narthex-proof", library)
		}
	}
}

// TestTestKitLibraries: the go.mod written for a module outside a checkout names every library that its tests
// are built from.
func TestTestKitLibraries(t *testing.T) {
	output, err := exec.CommandContext(t.Context(), "go", "list", "-tags=", "-deps", "-f", // without tags
		"{{with .Module}}{{.Path}}{{end}}", project+"modulehost/sdktest").Output()
	if err != nil {
		t.Fatalf("go list -deps of the test kit: %v", err)
	}
	wanted := slices.DeleteFunc(strings.Fields(string(output)), func(module string) bool {
		return strings.HasPrefix(module+"/", project)
	})
	slices.Sort(wanted)
	text := strings.Join(slices.Compact(wanted), "\n") + "\n"
	const file = "../../modulehost/scaffold/testkit.txt"
	if named, err := os.ReadFile(file); err != nil || string(named) != text {
		t.Errorf("%s: error %v; it names\n%s\nwant\n%s", file, err, named, text)
	}
}

// TestProductionCarriesNothingOfDevelopment: the production program contains no development object storage,
// no compiler of browser code and no browser driver.
func TestProductionCarriesNothingOfDevelopment(t *testing.T) {
	refused := []string{"github.com/johannesboyne/gofakes3", "github.com/evanw/esbuild", "github.com/chromedp",
		"github.com/bufbuild/protocompile", "github.com/nats-io/nats-server", "testing",
		project + "cmd/narthex/dev", project + "modulehost/scaffold", project + "modulehost/sdktest"}
	for program, carries := range map[string]bool{"narthex": false, "narthex-dev": true} {
		output, err := exec.CommandContext(t.Context(), "go", "list", "-deps", project+"cmd/"+program).Output()
		if err != nil {
			t.Fatalf("go list -deps of %s: %v", program, err)
		}
		found := slices.DeleteFunc(strings.Fields(string(output)), func(linked string) bool {
			return !slices.ContainsFunc(refused, func(library string) bool {
				return linked == library || strings.HasPrefix(linked, library+"/")
			})
		})
		if len(found) > 0 != carries {
			t.Errorf("%s links %v of what only development needs, want some: %v", program, found, carries)
		}
	}
}

// listedLibrary returns the longest listed library path that an import belongs to.
func listedLibrary(imported string) (library string) {
	for candidate := range importers {
		if (imported == candidate || strings.HasPrefix(imported, candidate+"/")) && len(candidate) > len(library) {
			library = candidate
		}
	}
	return library
}

// onlyInStoreFile reports whether only store.go and store_<subject>.go files of a package import a library.
func onlyInStoreFile(t *testing.T, path, imported string) bool {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "grep", "-l", "--include=*.go", "-r", `"`+imported+`"`,
		"../../"+path).Output()
	if err != nil {
		t.Fatalf("grep: %v", err)
	}
	for file := range strings.Lines(string(output)) {
		name := filepath.Base(strings.TrimSpace(file))
		if name != "store.go" && !strings.HasPrefix(name, "store_") && !strings.HasSuffix(name, "_test.go") {
			return false
		}
	}
	return true
}
