package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// packed makes a package of a browser module.
func packed(t *testing.T, id, version, members string) string {
	t.Helper()
	sources := t.TempDir()
	writeBrowserModule(t, sources, id, version, members)
	path, err := archive.Pack(filepath.Join(sources, id), abi.PlatformVersion, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

const writePermission = `,"permissions":[{"id":"wall.write","baseline":"restricted"}]`

// TestVersionTaken: other bytes under one version need --force and a development installation.
func TestVersionTaken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	i := &installation{environment: map[string]string{"SERVICE_MODULES_DIR": dir}}
	const next = "\nNext: narthex migrations:apply, then start the platform again.\n"
	const taken = "PACKAGE_VERSION_TAKEN: This version of the module was installed from another package, and " +
		"one version has one content; ask its author for a package with a higher version.\n"
	first, other := packed(t, "wall", "1.0.0", ""), packed(t, "wall", "1.0.0", writePermission)
	i.assertCommand(t, cli.ExitSuccess, "Installed: wall 1.0.0."+next, "modules:install", first)
	i.assertCommand(t, cli.ExitFailure, taken, "modules:install", other)
	i.assertCommand(t, cli.ExitFailure, taken, "modules:install", "--force", other)
	i.assertCommand(t, cli.ExitSuccess, "Removed: wall. Its data are kept. Start the platform again.\n",
		"modules:remove", "--module", "wall")
	i.assertCommand(t, cli.ExitFailure, taken, "modules:install", other)
	assertInstalled(t, dir)
	i.environment["NODE_ENV"] = "development"
	i.assertCommand(t, cli.ExitFailure, taken, "modules:install", other)
	i.assertCommand(t, cli.ExitSuccess, "Installed: wall 1.0.0."+next, "modules:install", "--force", other)
	i.assertCommand(t, cli.ExitSuccess, "Installed again: wall 1.0.0."+next, "modules:install", other)
	i.assertCommand(t, cli.ExitSuccess, "Installed: wall 1.1.0 in place of 1.0.0.\n"+
		"The new version has no permission wall.write any more. Whether people hold it is not known, because the "+
		"database could not be read; narthex doctor says it later."+next, "modules:install",
		packed(t, "wall", "1.1.0", ""))
}

// TestDroppedPermission: a version without a permission that people hold is told before and after its
// installation, and their grants stay and are marked.
func TestDroppedPermission(t *testing.T) {
	t.Parallel()
	i := keepWith(t)
	dir := i.environment["SERVICE_MODULES_DIR"]
	i.migrateWithOwner(t)
	i.assertCommand(t, cli.ExitSuccess, "Installed: wall 1.0.0.\nNext: narthex migrations:apply, then start "+
		"the platform again.\n", "modules:install", packed(t, "wall", "1.0.0", writePermission))
	i.db.Exec(t, `
		WITH people AS (
			INSERT INTO core.person (email, name) VALUES ('a@example.org', 'A'), ('b@example.org', 'B'),
				('c@example.org', 'C') RETURNING id, email)
		INSERT INTO core.permission_grant (person_id, permission_id, revoked_at, expires_at)
		SELECT id, 'wall.write', CASE email WHEN 'c@example.org' THEN now() END, NULL::timestamptz FROM people
		UNION ALL SELECT id, 'gone.write', NULL::timestamptz, NULL FROM people
		UNION ALL SELECT id, 'wall.write', NULL, now() - interval '1 hour' FROM people`)
	const told = "2 people hold the permission wall.write, which its module has no more. What they were given " +
		"stays and has no effect; withdraw it under Permissions, and give them what took its place."
	given := sharedFolder(t)
	sources := t.TempDir()
	writeBrowserModule(t, sources, "wall", "1.1.0", "")
	newer, err := archive.Pack(filepath.Join(sources, "wall"), abi.PlatformVersion, given)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := i.rehearse(t, "--modules-dir", given)
	want := platform.RehearsalFinding{Module: "wall", Code: "PERMISSION_ORPHANED", Text: told}
	if r.Verdict != platform.WouldWarn || len(r.Findings) != 1 || r.Findings[0] != want {
		t.Errorf("the rehearsal found %+v with the verdict %s, want %+v and %s", r.Findings, r.Verdict, want,
			platform.WouldWarn)
	}
	doctor := func() string {
		said := runCommand(t, i.environment, "", "doctor")
		said.awaitExit(t)
		return said.stdout.String()
	}
	if said := doctor(); strings.Contains(said, "PERMISSION_ORPHANED") {
		t.Errorf("doctor warns before the upgrade:\n%s", said)
	}
	i.assertCommand(t, cli.ExitSuccess, "Installed: wall 1.1.0 in place of 1.0.0.\n"+told+
		"\nNext: narthex migrations:apply, then start the platform again.\n", "modules:install", newer)
	assertInstalled(t, dir, "wall 1.1.0")
	if said := doctor(); strings.Count(said, "warning   PERMISSION_ORPHANED: "+told+"\n") != 1 ||
		strings.Contains(said, "gone.write") {
		t.Errorf("doctor prints\n%s\nwant %q once, and nothing of a module that is not installed", said, told)
	}
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	for permission, orphaned := range map[string]bool{"wall.write": true, "core.people.manage": false} {
		if !orphaned {
			i.db.Exec(t, `INSERT INTO core.permission_grant (person_id, permission_id)
				SELECT id, $1 FROM core.person WHERE email = 'a@example.org'`, permission)
		}
		var page struct {
			Grants []struct {
				ID       string `json:"id"`
				Orphaned bool   `json:"orphaned"`
			} `json:"grants"`
		}
		got := owner.do("GET", "/api/v1/grants?permissionId="+permission, nil)
		if err := json.Unmarshal([]byte(got.body), &page); err != nil || len(page.Grants) == 0 {
			t.Fatalf("the grants of %s: status %d, body %s; want a page of them", permission, got.status, got.body)
		}
		for _, grant := range page.Grants {
			single := owner.do("GET", "/api/v1/grants/"+grant.ID, nil)
			if grant.Orphaned != orphaned || strings.Contains(single.body, `"orphaned":true`) != orphaned {
				t.Errorf("a grant of %s is %+v in the list, alone %s; want orphaned %v", permission, grant, single.body,
					orphaned)
			}
		}
	}
}
