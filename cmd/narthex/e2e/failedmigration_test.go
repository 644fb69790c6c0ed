package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// withMigration returns a modules directory with the module base and one migration.
func withMigration(t *testing.T, name, sql string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	folder := filepath.Join(dir, "base")
	if err := os.CopyFS(folder, os.DirFS(builtModule(t, "base"))); err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(folder, "module.json"))
	if err != nil {
		t.Fatal(err)
	}
	const last = `"entrypoints":`
	text := strings.Replace(string(manifest), last,
		`"database": { "abi": 1, "migrations": "migrations" }, `+last, 1)
	if err := os.WriteFile(filepath.Join(folder, "module.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "migrations"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "migrations", name), []byte(sql), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestAFailedMigrationTellsItsOperator: migrations:apply prints where and why a migration failed on a
// terminal, but not into a journal. The daemon prints only the code.
func TestAFailedMigrationTellsItsOperator(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.Empty(t))
	i.environment["SERVICE_MODULES_DIR"] = withMigration(t, "0001_seats.sql", `-- seats; and who sits there
CREATE TABLE seat (id int PRIMARY KEY);
INSERT INTO seat VALUES (1);

INSERT INTO seat	-- again `+"\x1b[2J"+`
VALUES (1);
CREATE TABLE never (id int);
`)
	const failed = "MIGRATION_FAILED: A migration failed; nothing of it was kept. (base 0001_seats, SQLSTATE " +
		"23505)\n"
	const place = `base/0001_seats.sql, line 5: duplicate key value violates unique constraint "seat_pkey"
    INSERT INTO seat -- again ` + "\ufffd[2J" + `
    VALUES (1)
`
	i.assertCommand(t, cli.ExitFailure, failed+place, "migrations:apply")

	journal, err := os.Create(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	var info syscall.Stat_t
	if err := syscall.Fstat(int(journal.Fd()), &info); err != nil {
		t.Fatal(err)
	}
	i.environment["JOURNAL_STREAM"] = fmt.Sprintf("%d:%d", info.Dev, info.Ino)
	command := newCommand(t, i.environment, "migrations:apply")
	command.Stderr = journal
	if err := command.Run(); command.ProcessState.ExitCode() != cli.ExitFailure {
		t.Errorf("migrations:apply into the journal: %v", err)
	}
	if said, err := os.ReadFile(journal.Name()); err != nil || string(said) != failed {
		t.Errorf("migrations:apply into the journal says %q, %v, want %q", said, err, failed)
	}
	i.assertCommand(t, cli.ExitFailure, failed+place,
		"migrations:apply") // JOURNAL_STREAM is set, but names another stream than standard error
	r := runCommand(t, i.environment, "", "api:start")
	if said := r.stderr.String(); r.awaitExit(t) != cli.ExitFailure || strings.Contains(said, "seat_pkey") ||
		strings.Contains(said, "INSERT") {
		t.Errorf("api:start over a migration that failed: exit %d, %s", r.awaitExit(t), said)
	}
}

// TestLongStatementIsCut: of a long statement that fails twelve lines are shown, and of each the first
// 200 characters.
func TestLongStatementIsCut(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.Empty(t))
	i.environment["SERVICE_MODULES_DIR"] = withMigration(t, "0001_long.sql",
		"SELECT 1/0 -- "+strings.Repeat("x", 300)+strings.Repeat("\n, 2", 13)+";\n")
	i.assertCommand(t, cli.ExitFailure, "MIGRATION_FAILED: A migration failed; nothing of it was kept. (base "+
		"0001_long, SQLSTATE 22012)\nbase/0001_long.sql, line 1: division by zero\n    SELECT 1/0 -- "+
		strings.Repeat("x", 200-len("SELECT 1/0 -- "))+" ...\n"+strings.Repeat("    , 2\n", 11)+
		"    ... and 2 lines more\n", "migrations:apply")
}
