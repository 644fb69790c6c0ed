package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/porttest"
)

// TestDevNamesWhatIsMissing: dev cannot start its PostgreSQL as a root without capabilities, in a user
// namespace without other users, in a folder of somebody else, or on a full disk. It says which.
func TestDevNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	const rights = "POSTGRESQL_RIGHTS_MISSING: PostgreSQL refuses to run as root, and this root may not run " +
		"it as another user. "
	lacking := func(capabilities string) string {
		return "setpriv --bounding-set=" + capabilities + ` --inh-caps=-all "$@"`
	}
	for name, row := range map[string]struct{ prepare, want string }{
		"no capabilities": {lacking("-all"), rights + "It lacks CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, " +
			"CAP_KILL, CAP_SETGID, CAP_SETUID; run the command as another user, or give these capabilities back"},
		"no CAP_CHOWN": {lacking("-chown"), rights + "It lacks CAP_CHOWN; "},
		"no CAP_SETUID and CAP_SETGID": {lacking("-setuid,-setgid"), rights +
			"It lacks CAP_SETGID, CAP_SETUID; "},
		"no other user": {`unshare --user --map-root-user "$@"`, rights + "Its user namespace has no such user; "},
		"the folder is root's": {`setpriv --reuid=1000 --regid=1000 --clear-groups "$@"`,
			"POSTGRESQL_DIRECTORY_UNUSABLE: This user may not make or use the directory for the private PostgreSQL; "},
		"the disk is full": {`mkdir .dev/postgresql; mount -t tmpfs -o size=1m,mode=755 none .dev/postgresql; "$@"
			! grep --quiet "No space left on device" .dev/postgresql/log || echo and the log tells it >&2; exit 1`,
			"POSTGRESQL_START_FAILED: The private PostgreSQL did not start. The file log in its directory " +
				"says why.\nand the log tells it"},
		"the disk is read-only": {`mkdir .dev/postgresql; mount -t tmpfs -o ro none .dev/postgresql; "$@"`,
			"POSTGRESQL_DIRECTORY_UNUSABLE: The directory for the private PostgreSQL is on a read-only file system; "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if os.Geteuid() != 0 || exec.Command("unshare", "--mount", "true").Run() != nil {
				t.Skip("only root can do without its rights and disks")
			}
			built, err := developmentBinary()
			if err != nil {
				t.Fatal(err)
			}
			dir := sharedFolder(t)
			program := filepath.Join(dir, "narthex-dev") // where another user can execute it
			if err := os.Link(built, program); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, ".dev"), 0o755); err != nil {
				t.Fatal(err)
			}
			command := exec.Command("unshare", "--mount", "sh", "-c", row.prepare, "sh", program, "dev", "--port",
				strconv.Itoa(porttest.Free(t)))
			command.Dir = dir
			command.Env = []string{"PATH=" + os.Getenv("PATH"), "PWD=" + dir, "HOME=" + dir}
			r := startPrepared(t, command)
			if status := r.awaitExit(t); status == cli.ExitSuccess || !strings.Contains(r.stderr.String(), row.want) {
				t.Errorf("dev with %s: exit status %d, want %q; stderr:\n%s", name, status, row.want, r.stderr.String())
			}
		})
	}
}
