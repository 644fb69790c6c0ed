package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMakeNamesPackages: for a user who may not install packages, on a machine without PostgreSQL, npm and
// the tests' programs, make names the packages that an administrator can install.
func TestMakeNamesPackages(t *testing.T) {
	t.Parallel()
	const installed = "/usr/lib/postgresql" // by Debian's packages; hidden here
	const asUser = "exec unshare --user --map-user=1000 --map-group=1000 -- "
	if err := exec.Command("unshare", "--user", "--map-root-user", "--mount",
		"sh", "-c", asUser+"true").Run(); err != nil {
		t.Skip("no user namespaces here: ", err)
	}
	checkout := sharedFolder(t)
	copyFile(t, "../../../Makefile", filepath.Join(checkout, "Makefile"))
	if err := os.CopyFS(filepath.Join(checkout, ".ci"), os.DirFS("../../../.ci")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(checkout, "web"), 0o755); err != nil {
		t.Fatal(err)
	}
	copyFile(t, "../../../web/package-lock.json", filepath.Join(checkout, "web", "package-lock.json"))
	programs := t.TempDir() // the only folder of PATH, so that other programs are missing
	for _, name := range []string{"sh", "make", "go", "apt-get", "id", "dirname", "basename", "readlink", "sed",
		"grep", "awk", "cat", "touch", "unshare"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip("this machine has no ", name)
		}
		if err := os.Symlink(path, filepath.Join(programs, name)); err != nil {
			t.Fatal(err)
		}
	}
	hide := "[ ! -d " + installed + " ] || mount -t tmpfs none " + installed + "; "
	for target, wants := range map[string][]string{
		"dev": {"Ask an administrator for: apt-get install postgresql\n", "apt-get install npm"},
		"test": {"Ask an administrator for: apt-get install gcc libc6-dev openssh-client chromium-headless-shell " +
			"fonts-dejavu-core poppler-utils npm\n"},
		"web": {"Ask an administrator for: apt-get install npm\n"},
	} {
		command := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
			hide+asUser+"env -i PATH="+programs+" HOME="+checkout+" make "+target)
		command.Dir = checkout
		out, err := command.CombinedOutput()
		if err == nil {
			t.Errorf("make %s without its programs succeeded:\n%s", target, out)
		}
		for _, want := range wants {
			if !strings.Contains(string(out), want) {
				t.Errorf("make %s without its programs, want %q:\n%s", target, want, out)
			}
		}
	}
}
