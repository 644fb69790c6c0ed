package e2e

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// corePermissions is the number of the platform's own permissions.
const corePermissions = 11

// assertCommand runs a command and checks its exit status and its output: standard output, followed by
// standard error.
func (i *installation) assertCommand(t *testing.T, status int, want string, args ...string) {
	t.Helper()
	r := runCommand(t, i.environment, "", args...)
	if got := r.stdout.String() + r.stderr.String(); r.awaitExit(t) != status || got != want {
		t.Errorf("%v: exit %d\n%s\nwant exit %d\n%s", args, r.awaitExit(t), got, status, want)
	}
}

func TestListAndValidate(t *testing.T) {
	t.Parallel()
	i := install(t, "base", "tail", "configured")
	i.assertCommand(t, cli.ExitSuccess, `MODULE       VERSION   DECISION         AT THE NEXT START
base         1.0.0     none (enabled)   runs
configured   1.0.0     none (enabled)   blocked: the configuration key title has no value yet
tail         1.0.0     none (enabled)   runs
`, "modules:list")
	i.assertCommand(t, cli.ExitSuccess, "Stored: base does not start with the platform, from its next start "+
		"on. See: narthex modules:list\n",
		"modules:disable", "--", "--module", "base")
	i.assertCommand(t, cli.ExitSuccess, `MODULE       VERSION   DECISION         AT THE NEXT START
base         1.0.0     disabled         disabled
configured   1.0.0     none (enabled)   blocked: the configuration key title has no value yet
tail         1.0.0     none (enabled)   blocked: needs base, which is disabled
`, "modules:list")
	i.assertCommand(t, cli.ExitSuccess, `{"modules":[{"id":"base","name":"Base","version":"1.0.0",`+
		`"configured":{"enabled":false,"explicit":true},"next":{"state":"disabled"}}`+
		`,{"id":"configured","name":"Configured","version":"1.0.0","configured":{"enabled":true,"explicit":false},`+
		`"next":{"state":"blocked","reason":"configuration_missing","configurationKey":"title"}}`+
		`,{"id":"tail","name":"Tail","version":"1.0.0","configured":{"enabled":true,"explicit":false},`+
		`"next":{"state":"blocked","reason":"required_dependency_disabled","dependency":{"kind":"module",`+
		`"moduleId":"base"}}}]}`+"\n",
		"modules:list", "--json")
	i.assertCommand(t, cli.ExitFailure, "MODULE_NOT_INSTALLED: No module of that id is installed here; see: "+
		"narthex modules:list\n",
		"modules:enable", "--", "--module", "gone")
	i.assertCommand(t, cli.ExitUsage, "--module is required; see: narthex modules:enable --help\n",
		"modules:enable")

	i.environment["DATABASE_URL"] = "" // validation does not need it
	i.assertCommand(t, cli.ExitSuccess, fmt.Sprintf("Valid: 3 modules, %d permissions.\n", corePermissions+3),
		"modules:validate")
	i.assertCommand(t, cli.ExitSuccess, "base is valid.\n", "modules:validate", "--module", "base")
}

// writeBrowserModule writes a module without a server.
func writeBrowserModule(t *testing.T, dir, id, version, members string) {
	t.Helper()
	folder := filepath.Join(dir, id)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	text := `{"manifestVersion":7,"id":"` + id + `","name":"A module","version":"` + version +
		`","compatibility":{"platform":"^0.1.0","moduleSdk":"^0.1.0"}` + members + `}`
	for name, content := range map[string]string{"module.json": text, "ui.js": "export {}\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func contributionTo(capability, versions string) string {
	return `,"contributions":[{"id":"lamp.slide","version":"1.0.0","capability":"` + capability + `","range":"` +
		versions + `","artifact":"ui.js"}]`
}

// TestMisspeltNames: an optional dependency and a contribution that find nobody are valid; when they have
// almost the name of something installed, three commands say so.
func TestMisspeltNames(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	dir := i.environment["SERVICE_MODULES_DIR"]
	writeBrowserModule(t, dir, "wall", "1.0.0", `,"provides":[{"capability":"wall.slides","version":"1.2.0"}]`)
	writeBrowserModule(t, dir, "lamp", "1.0.0", contributionTo("wall.sldies", "^1.0.0")+
		`,"dependencies":{"optional":[{"kind":"module","id":"clock","range":"*"},`+
		`{"kind":"module","id":"wal","range":"*"},{"kind":"capability","id":"wall.slide","range":"*"},`+
		`{"kind":"module","id":"wall","range":"^9.0.0"}]}`)
	want := []string{
		"lamp at /dependencies/optional/1/id: no installed module has the module wal; did you mean wall?",
		"lamp at /dependencies/optional/2/id: no installed module has the capability wall.slide; " +
			"did you mean wall.slides?",
		"lamp at /contributions/0/capability: no installed module has the capability wall.sldies; " +
			"did you mean wall.slides?",
	}
	i.assertCommand(t, cli.ExitSuccess, fmt.Sprintf("Valid: 3 modules, %d permissions.\n", corePermissions+2)+
		strings.Join(want, "\n")+"\n"+`
CONTRIBUTION   VERSION   CAPABILITY    RANGE    PROVIDER
lamp.slide     1.0.0     wall.sldies   ^1.0.0   none installed: not published
`, "modules:validate")
	i.assertCommand(t, cli.ExitSuccess, "wall is valid.\n", "modules:validate", "--module", "wall")
	said := runCommand(t, i.environment, "", "doctor")
	said.awaitExit(t)
	for _, line := range want {
		if line = "warning   DEPENDENCY_MISSPELT: " + line + "\n"; !strings.Contains(said.stdout.String(), line) {
			t.Errorf("doctor prints\n%s\nwant %q in it", said.stdout.String(), line)
		}
	}
}

func TestValidateReports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	i := &installation{environment: map[string]string{"SERVICE_MODULES_DIR": dir}}
	writeBrowserModule(t, dir, "wall", "1.0.0", `,"provides":[{"capability":"wall.slides","version":"1.2.0"}]`)
	i.assertCommand(t, cli.ExitSuccess, fmt.Sprintf("Valid: 1 module, %d permissions.\n", corePermissions),
		"modules:validate")
	writeBrowserModule(t, dir, "lamp", "1.0.0", contributionTo("wall.slides", "^1.0.0"))
	i.assertCommand(t, cli.ExitSuccess, fmt.Sprintf("Valid: 2 modules, %d permissions.\n", corePermissions)+`
CONTRIBUTION   VERSION   CAPABILITY    RANGE    PROVIDER
lamp.slide     1.0.0     wall.slides   ^1.0.0   wall
`, "modules:validate")
	writeBrowserModule(t, dir, "lamp", "1.0.0", contributionTo("wall.slides", "^2.0.0"))
	i.assertCommand(t, cli.ExitSuccess, `lamp is valid.

CONTRIBUTION   VERSION   CAPABILITY    RANGE    PROVIDER
lamp.slide     1.0.0     wall.slides   ^2.0.0   none installed: not published
`, "modules:validate", "--module", "lamp")
	for _, id := range []string{"typo", "../lamp", "Lamp", "core"} {
		i.assertCommand(t, cli.ExitFailure, notInstalled, "modules:validate", "--", "--module", id)
	}
	writeBrowserModule(t, dir, "lamp", "1.0.0",
		`,"extra":1,"permissions":[{"id":"core.see","baseline":"restricted"}]`)
	i.assertCommand(t, cli.ExitFailure, "MANIFEST_INVALID: module lamp at /extra: "+
		"module.json has a field \"extra\" that manifest version 7 does not know.\n"+
		"PERMISSION_NAMESPACE_RESERVED: module lamp at /permissions/0/id: "+
		"permissions[].id must not be in the platform's own namespace.\n", "modules:validate")
	// Findings about one module must not appear for another one that does not exist.
	for _, id := range []string{"typo", "../lamp", "Lamp", "core"} {
		i.assertCommand(t, cli.ExitFailure, notInstalled, "modules:validate", "--", "--module", id)
	}
	i.assertCommand(t, cli.ExitSuccess, "wall is valid.\n", "modules:validate", "--module", "wall")
}

const notInstalled = "MODULE_NOT_INSTALLED: No module of that id is installed here; see: narthex " +
	"modules:list\n"

func TestInstallAndRemove(t *testing.T) {
	t.Parallel()
	sources, dir, packages := t.TempDir(), t.TempDir(), t.TempDir()
	i := &installation{environment: map[string]string{"SERVICE_MODULES_DIR": dir}}
	pack := func(id, version, members string) string {
		t.Helper()
		writeBrowserModule(t, sources, id, version, members)
		path, err := archive.Pack(filepath.Join(sources, id), abi.PlatformVersion, packages)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	wall := pack("wall", "1.0.0", "")
	lamp := pack("lamp", "1.0.0", `,"dependencies":{"required":[{"kind":"module","id":"wall","range":"^1.`+
		`0.0"}]}`)
	const refused = "Nothing was changed: the platform would not start with this package (--force installs " +
		"it all the same):\n"
	const missing = "DEPENDENCY_MISSING: module lamp at /dependencies/required/0: " +
		"dependencies.required[] needs the module wall, which is not installed.\n"
	i.assertCommand(t, cli.ExitFailure, refused+missing, "modules:install", lamp)
	assertInstalled(t, dir)
	const broken = "The platform would not start with what is installed now:\n"
	i.assertCommand(t, cli.ExitSuccess, "Installed: lamp 1.0.0.\n"+broken+missing,
		"modules:install", "--force", lamp)
	// This needs no --force, because the installation does not get worse.
	i.assertCommand(t, cli.ExitSuccess, "Installed again: lamp 1.0.0.\n"+broken+missing,
		"modules:install", lamp)
	const next = "\nNext: narthex migrations:apply, then start the platform again.\n"
	i.assertCommand(t, cli.ExitSuccess, "Installed: wall 1.0.0."+next, "modules:install", "--", wall)
	i.assertCommand(t, cli.ExitSuccess, "Installed again: wall 1.0.0."+next, "modules:install", wall)
	newer := pack("wall", "1.1.0", "")
	i.assertCommand(t, cli.ExitSuccess, "Installed: wall 1.1.0 in place of 1.0.0."+next,
		"modules:install", newer)
	const outside = "DEPENDENCY_INCOMPATIBLE: module lamp at /dependencies/required/0: " +
		"dependencies.required[] needs the module wall in another version than the installed 2.0.0.\n"
	newest := pack("wall", "2.0.0", "")
	i.assertCommand(t, cli.ExitFailure, refused+outside, "modules:install", newest)
	assertInstalled(t, dir, "lamp 1.0.0", "wall 1.1.0")
	i.assertCommand(t, cli.ExitSuccess, "Installed: wall 2.0.0 in place of 1.1.0.\n"+broken+outside,
		"modules:install", "--force", "--", newest)
	i.assertCommand(t, cli.ExitFailure, "PACKAGE_DOWNGRADE: A newer version of this module is installed; "+
		"there is no way back to an older one.\n",
		"modules:install", newer)
	i.assertCommand(t, cli.ExitSuccess, "Installed: lamp 1.1.0 in place of 1.0.0."+next, "modules:install",
		pack("lamp", "1.1.0", `,"dependencies":{"required":[{"kind":"module","id":"wall","range":"^2.0.0"}]}`))
	i.assertCommand(t, cli.ExitFailure, "DEPENDENCY_MISSING: module lamp: needs the module that would be "+
		"removed; remove this one first.\n",
		"modules:remove", "--", "--module", "wall")
	i.assertCommand(t, cli.ExitSuccess, "Removed: lamp. Its data are kept. Start the platform again.\n",
		"modules:remove", "--module", "lamp")
	i.assertCommand(t, cli.ExitSuccess, "Removed: wall. Its data are kept. Start the platform again.\n",
		"modules:remove", "--module", "wall")
	i.assertCommand(t, cli.ExitFailure, "MODULE_NOT_INSTALLED: This module is not installed; modules:list "+
		"names those that are.\n", "modules:remove", "--module", "wall")

	if err := os.WriteFile(wall, []byte("another package"), 0o644); err != nil {
		t.Fatal(err)
	}
	i.assertCommand(t, cli.ExitFailure, "PACKAGE_CHECKSUM_MISMATCH: The package is not the file that its "+
		"checksum file describes; get both again.\n", "modules:install", wall)
	assertInstalled(t, dir)
	delete(i.environment, "SERVICE_MODULES_DIR") // without it the modules are a checkout's, which are sources
	i.assertCommand(t, cli.ExitUsage, "SERVICE_MODULES_DIR must be set: this command changes the modules "+
		"directory of an installation.\n", "modules:remove", "--module", "wall")
}

// assertInstalled checks that the modules directory holds exactly these modules and versions.
func assertInstalled(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		if entry.Name() == ".versions" { // what removed and replaced versions were installed from
			continue
		}
		module, err := catalog.Inspect(filepath.Join(dir, entry.Name()), abi.PlatformVersion)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, module.Manifest.ID+" "+module.Manifest.Version.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("installed are %q, want %q", got, want)
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	i := install(t, "base", "configured")
	healthy := runCommand(t, i.environment, "", "doctor")
	if healthy.awaitExit(t) != cli.ExitSuccess {
		t.Errorf("runCommand: exit status %v, want %v; stdout %v; stderr %v",
			healthy.awaitExit(t), cli.ExitSuccess, healthy.stdout.String(), healthy.stderr.String())
	}
	for _, line := range []string{
		"ok        Environment: every setting that is read is valid, for development (NODE_ENV).\n",
		"ok        Topology: the Dashboard and the API share one origin.\n",
		fmt.Sprintf("ok        Modules: 2 installed, %d permissions in the registry.\n", corePermissions+3),
		"ok        Module base 1.0.0: runs at the next start.\n",
		"warning   MODULE_BLOCKED: configured will not start: the configuration key title has no value yet.\n",
	} {
		if !strings.Contains(healthy.stdout.String(), line) {
			t.Errorf("without %q:\n%s", line, healthy.stdout.String())
		}
	}

	for name, c := range map[string]struct {
		variables map[string]string
		want      string
	}{
		"sign-up in production": {map[string]string{"NODE_ENV": "", "SERVICE_PUBLIC_SIGNUP_ENABLED": "true"},
			"blocking  PUBLIC_SIGNUP_UNSUPPORTED_IN_PRODUCTION: "},
		"database transport": {map[string]string{"SERVICE_DATABASE_TLS_MODE": "prefer"},
			"blocking  DATABASE_TLS_MODE_INVALID: "},
		"client address": {map[string]string{"SERVICE_CLIENT_ADDRESS_MODE": "trusted-proxy"},
			"blocking  CLIENT_ADDRESS_CONFIGURATION_INVALID: "},
		"Dashboard origin": {map[string]string{"SERVICE_DASHBOARD_ORIGIN": "https://x/"},
			"blocking  DASHBOARD_ORIGIN_INVALID: "},
		"object storage": {map[string]string{"OBJECT_STORAGE_ENDPOINT": "x"},
			"blocking  OBJECT_STORAGE_CONFIGURATION_INVALID: "},
		"not listed": {map[string]string{"SERVICE_DASHBOARD_ORIGIN": "http://app.marked.com"},
			"blocking  DASHBOARD_ORIGIN_NOT_TRUSTED: "},
		"no siblings": {map[string]string{
			"SERVICE_DASHBOARD_ORIGIN":         "https://app.marked.com",
			"SERVICE_IDENTITY_BASE_URL":        "https://api.marked.net",
			"SERVICE_IDENTITY_TRUSTED_ORIGINS": "https://app.marked.com",
		}, "warning   HOSTNAMES_NOT_SIBLINGS: "},
		"secret being replaced": {map[string]string{
			"SERVICE_IDENTITY_SECRET_PREVIOUS": "marked3f9a1c5e7b2d4860f1e2d3c4b5a69788",
		}, "warning   IDENTITY_SECRET_PREVIOUS_SET: "},
		"secret not replaced": {map[string]string{
			"SERVICE_IDENTITY_SECRET_PREVIOUS": i.environment["SERVICE_IDENTITY_SECRET"],
		}, "blocking  IDENTITY_SECRET_INVALID: "},
		"database down": {map[string]string{"DATABASE_URL": "postgres://someone@127.0.0.1:1/nothing"},
			"blocking  DATABASE_UNREACHABLE: The database did not accept a session (refused). Nothing accepts " +
				"connections "},
		"no NATS server": {map[string]string{
			"SERVICE_REALTIME_NATS_URL": "nats://marked:marked@127.0.0.1:1,nats://127.0.0.1:1",
		}, "warning   REALTIME_UNAVAILABLE: 2 of 2 NATS servers (SERVICE_REALTIME_NATS_URL) cannot be used: " +
			"unreachable, unreachable; "},
		"uploads in memory": {map[string]string{"OBJECT_STORAGE_ENDPOINT": "http://127.0.0.1:1",
			"OBJECT_STORAGE_ACCESS_KEY": "a",
			"OBJECT_STORAGE_SECRET_KEY": "b", "OBJECT_STORAGE_REGION": "c", "STATE_DIRECTORY": "/dev/shm"},
			"warning   SPOOL_IN_MEMORY: "},
		"no mail server": {map[string]string{"SERVICE_SMTP_HOST": "127.0.0.1", "SERVICE_SMTP_PORT": "1",
			"SERVICE_SMTP_FROM": "marked@example.org"},
			"warning   MAIL_UNUSABLE: The mail server cannot be used: CONNECTION_FAILED; see whether "},
		"no object storage": {map[string]string{"OBJECT_STORAGE_ENDPOINT": "http://127.0.0.1:1",
			"OBJECT_STORAGE_ACCESS_KEY": "a",
			"OBJECT_STORAGE_SECRET_KEY": "b", "OBJECT_STORAGE_REGION": "c"},
			"warning   OBJECT_STORAGE_UNUSABLE: The object storage cannot be used: UNAVAILABLE; see whether "},
		"mistyped": {map[string]string{"SERVICE_SMPT_HOST": "marked.example.org"},
			"warning   SETTING_UNREAD: Nothing reads SERVICE_SMPT_HOST; "},
		"mail without a server": {map[string]string{"SERVICE_SMTP_FROM": "marked@example.org"},
			"warning   SETTING_UNREAD: SERVICE_SMTP_FROM is not read without SERVICE_SMTP_HOST; "},
		"a proxy that is not trusted": {map[string]string{"SERVICE_CLIENT_ADDRESS_HEADER": "x-marked"},
			"warning   SETTING_UNREAD: SERVICE_CLIENT_ADDRESS_HEADER is not read without " +
				"SERVICE_CLIENT_ADDRESS_MODE; "},
		"a secret of no module": {map[string]string{"SERVICE_MODULE_SECRET__BASE__TOKEN": "marked"},
			"warning   SETTING_UNREAD: Nothing reads SERVICE_MODULE_SECRET__BASE__TOKEN; "},
		"no modules directory": {map[string]string{"SERVICE_MODULES_DIR": "/nonexistent-marked"},
			"blocking  MODULES_DIRECTORY_UNREADABLE: "},
	} {
		ill := maps.Clone(i.environment)
		maps.Copy(ill, c.variables)
		r := runCommand(t, ill, "", "doctor")
		said := r.stdout.String()
		if wantStatus := map[bool]int{true: cli.ExitFailure,
			false: cli.ExitSuccess}[strings.HasPrefix(c.want, "blocking")]; r.awaitExit(t) != wantStatus ||
			!strings.Contains(said, c.want) {
			t.Errorf("%s: exit status %d, want %d and %q; stdout %s", name, r.awaitExit(t), wantStatus,
				c.want, said)
		}
		if _, after, _ := strings.Cut(said, "\nwarning "); strings.Contains(after, "\nblocking ") {
			t.Errorf("%s: a warning comes before what blocks:\n%s", name, said)
		}
		for _, value := range []string{"marked", "127.0.0.1"} {
			if strings.Contains(said+r.stderr.String(), value) {
				t.Errorf("%s: %q shows\n%s", name, value, said)
			}
		}
	}
}

// TestDevelopmentCommands: narthex refers to narthex-dev for each command that only narthex-dev has.
func TestDevelopmentCommands(t *testing.T) {
	t.Parallel()
	program, err := narthexBinary()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range developmentCommands {
		r := startPrepared(t, exec.CommandContext(t.Context(), program, name, "--port", "1"))
		want := name + " is a command of narthex-dev, the program of people who develop; see: narthex-dev " + name +
			" --help\n"
		if status := r.awaitExit(t); status != cli.ExitUsage || r.stderr.String() != want {
			t.Errorf("narthex %s: exit status %d, want %d; %q, want %q", name, status, cli.ExitUsage,
				r.stderr.String(), want)
		}
		if r := runCommand(t, nil, "", name, "--help"); r.awaitExit(t) != cli.ExitSuccess {
			t.Errorf("narthex-dev %s --help: exit status %d, want %d", name, r.awaitExit(t), cli.ExitSuccess)
		}
	}
}
