package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/porttest"
)

// TestDevOffersTheWayOutOfAnEdit: an author edits a migration that was applied already, and continues with
// the command that dev prints. It does not run in parallel with other tests of dev, because each of them
// looks for free ports in the same range.
func TestDevOffersTheWayOutOfAnEdit(t *testing.T) {
	modules := withMigration(t, "0001_seats.sql", "CREATE TABLE seat (id int)")
	dir := newDevFolder(t, modules)
	environment := map[string]string{"PWD": dir}
	port := "--port=" + strconv.Itoa(porttest.Free(t))
	serves := func(args ...string) {
		t.Helper()
		r := startCommand(t, environment, "", append([]string{"dev", "--data-dir=kept", port}, args...)...)
		r.awaitOutput(t, &r.stdout, "Ctrl-C")
		r.signal(t, syscall.SIGINT)
		if status := r.awaitExit(t); status != cli.ExitSuccess {
			t.Fatalf("narthex dev %v: exit status %d, want %d", args, status, cli.ExitSuccess)
		}
	}
	refuses := func(wanted string, args ...string) {
		t.Helper()
		r := runCommand(t, environment, "", append([]string{"dev", "--data-dir=kept", port}, args...)...)
		if got := r.stderr.String(); r.awaitExit(t) != cli.ExitFailure || got != wanted {
			t.Errorf("dev %v: exit %d\n%s\nwant %s", args, r.awaitExit(t), got, wanted)
		}
	}
	serves()
	edited := filepath.Join(modules, "base", "migrations", "0001_seats.sql")
	if err := os.WriteFile(edited, []byte("CREATE TABLE seat (id bigint)"), 0o644); err != nil {
		t.Fatal(err)
	}
	const changed = "MIGRATION_HISTORY_CHANGED: A migration that was applied has changed or is missing; " +
		"install the original files again. (base 0001_seats)\n"
	advice := "narthex-dev dev --reset-module base --data-dir=kept " + port
	refuses(changed + "To drop the module's tables, with what is in them, and apply its migrations again: " +
		advice + "\n")
	refuses("MODULE_NOT_INSTALLED: No module of that id is installed here; see: narthex modules:list\n",
		"--reset-module", "typo")
	serves(strings.Fields(advice)[2:4]...)
	serves()
}
