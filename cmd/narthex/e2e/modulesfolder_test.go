package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// TestModulesOnANoexecVolume: no program can be started from such a volume; validate, doctor and the start
// say so. A module without a program runs.
func TestModulesOnANoexecVolume(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	volume := t.TempDir()
	if err := unix.Mount("narthex-test", volume, "tmpfs", unix.MS_NOEXEC, ""); err != nil {
		t.Skipf("only root with CAP_SYS_ADMIN mounts a volume: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(volume, unix.MNT_DETACH) })
	i.environment["SERVICE_MODULES_DIR"] = volume
	writeBrowserModule(t, volume, "wall", "1.0.0", "")
	i.mustRun(t, "modules:validate")
	if err := os.CopyFS(filepath.Join(volume, "base"), os.DirFS(builtModule(t, "base"))); err != nil {
		t.Fatal(err)
	}
	const want = "MODULES_VOLUME_NOEXEC: module base at /entrypoints/server: the module's program is on a " +
		"volume that is mounted with noexec"
	for _, command := range []string{"modules:validate", "doctor", "api:start"} {
		r := runCommand(t, i.environment, "", command)
		if said := r.stdout.String() + r.stderr.String(); r.awaitExit(t) != cli.ExitFailure ||
			!strings.Contains(said, strings.TrimPrefix(want, "MODULES_VOLUME_NOEXEC: ")) ||
			!strings.Contains(said, "MODULES_VOLUME_NOEXEC") || strings.Contains(said, "REGISTER") {
			t.Errorf("%s with a module on a noexec volume: exit %d, want %d and %q:\n%s", command, r.awaitExit(t),
				cli.ExitFailure, want, said)
		}
	}
}

// TestFoldersThatAreNoModules: a volume's lost+found, which only root can read, and other folders that cannot
// be meant as modules are ignored. A folder that may be meant as one is a finding with its name as it is.
func TestFoldersThatAreNoModules(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	dir := i.environment["SERVICE_MODULES_DIR"]
	for _, name := range []string{"lost+found", "Old stuff", "System Volume Information", "@eaDir", "core"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	i.assertCommand(t, cli.ExitSuccess, fmt.Sprintf("Valid: 1 module, %d permissions.\n", corePermissions+2),
		"modules:validate")
	i.mustRun(t, "doctor")
	i.start(t)
	if err := os.Mkdir(filepath.Join(dir, "hymn-board"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeBrowserModule(t, dir, "lamp", "1.0.0", "")
	if err := os.Rename(filepath.Join(dir, "lamp"), filepath.Join(dir, "Lampe + Öl")); err != nil {
		t.Fatal(err)
	}
	i.assertCommand(t, cli.ExitFailure, "MODULE_ID_MISMATCH: module Lampe + Öl at /id: id must be the name of "+
		"the module's folder.\nMANIFEST_MISSING: module hymn-board: the module's folder must have a module.json.\n",
		"modules:validate")
}

// TestBlankSecretIsUnset: a module does not get a secret that is set to nothing but white space, neither at a
// start nor in a rehearsal.
func TestBlankSecretIsUnset(t *testing.T) {
	t.Parallel()
	i := install(t, "configured")
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value)
		VALUES ('configured', 'title', '"Here"')`)
	for _, secret := range []string{"", " ", "\t \n", "\u00a0"} {
		i.environment["SERVICE_MODULE_SECRET__CONFIGURED__API_TOKEN"] = secret
		const missing = "blocked: the deployment must supply SERVICE_MODULE_SECRET__CONFIGURED__API_TOKEN"
		if r := runCommand(t, i.environment, "", "modules:list"); !strings.Contains(r.stdout.String(), missing) {
			t.Errorf("modules:list with the secret %q, want %q:\n%s", secret, missing, &r.stdout)
		}
		rehearsal := runCommand(t, i.environment, "", "upgrade:rehearse").stdout.String()
		if !strings.Contains(rehearsal, missing) {
			t.Errorf("upgrade:rehearse with the secret %q, want %q:\n%s", secret, missing, rehearsal)
		}
	}
}
