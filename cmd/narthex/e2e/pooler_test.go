package e2e

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/database/poolertest"
)

// through returns a DATABASE_URL that reaches the database through PgBouncer.
func through(t *testing.T, db *databasetest.DB, mode poolertest.Mode) string {
	t.Helper()
	address, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	address.Host = fmt.Sprintf("127.0.0.1:%d", poolertest.Start(t, db.Server, mode).Servers[0].Port)
	return address.String()
}

// TestThroughAPoolerInSessionMode: every command works, and all reference modules under load, without a
// setting.
func TestThroughAPoolerInSessionMode(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it is a load of seconds")
	}
	i := prepare(t, databasetest.Empty(t), "board", "keeper")
	i.environment["DATABASE_URL"] = through(t, i.db, poolertest.Session)
	i.migrateWithOwner(t)
	_ = i.start(t)
	i.signIn(t, ownerAddress, ownerPassword)
	r := runCommand(t, i.environment, "", "doctor")
	if said := r.stdout.String(); r.awaitExit(t) != cli.ExitSuccess || strings.Contains(said, "POOLER") {
		t.Errorf("doctor through a pooler in session mode: exit %d\n%s", r.awaitExit(t), said)
	}
	sunday := installSunday(t)
	sunday.environment["DATABASE_URL"] = through(t, sunday.db, poolertest.Session)
	sunday.fill(t)
	sunday.phonesLoad(t, 12, nil)
}

// behindTransactionPooler lets the installation use the database through PgBouncer in transaction mode.
func (i *installation) behindTransactionPooler(t *testing.T) {
	t.Helper()
	i.environment["DATABASE_URL"] = through(t, i.db, poolertest.Transaction)
	i.environment["SERVICE_DATABASE_POOLER"] = "transaction"
}

// TestTransactionPooler: without the setting nothing is done through it, and the answer says what to set.
// With it an installation is made, used and examined through it; only backups need the server itself.
func TestTransactionPooler(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.Empty(t), "board", "keeper")
	direct := i.environment["DATABASE_URL"]
	i.behindTransactionPooler(t)
	said := func(command string, exit int) string {
		t.Helper()
		r := runCommand(t, i.environment, "", strings.Fields(command)...)
		if got := r.awaitExit(t); got != exit {
			t.Errorf("%s: exit %d, want %d\n%s%s", command, got, exit, r.stdout.String(), r.stderr.String())
		}
		return r.stdout.String() + r.stderr.String()
	}
	delete(i.environment, "SERVICE_DATABASE_POOLER")
	for _, command := range []string{"migrations:apply", "api:start", "doctor"} {
		got := said(command, cli.ExitFailure)
		if !strings.Contains(got, "DATABASE_TRANSACTION_POOLER") ||
			!strings.Contains(got, "SERVICE_DATABASE_POOLER=transaction") {
			t.Errorf("%s without the setting: %s", command, got)
		}
	}
	i.environment["SERVICE_DATABASE_POOLER"] = "transaction"
	i.migrateWithOwner(t)
	_ = i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	for n := range 20 {
		got := owner.do("POST", "/api/v1/modules/board/notes", nil)
		if got.body != strconv.Itoa(n+1) {
			t.Errorf("note %d: %d %s", n, got.status, got.body)
		}
	}
	if got := said("doctor", cli.ExitSuccess); !strings.Contains(got, "one in transaction mode") ||
		!strings.Contains(got, "Processes: 1 ") || strings.Contains(got, "DATABASE_POOLER_SETTINGS") {
		t.Errorf("doctor through a pooler in transaction mode:\n%s", got)
	}
	i.db.Exec(t, `ALTER ROLE CURRENT_USER IN DATABASE `+i.db.Settings.Name+` RESET ALL`)
	if got := said("doctor", cli.ExitSuccess); !strings.Contains(got, "DATABASE_POOLER_SETTINGS") {
		t.Errorf("doctor without the settings of the database user:\n%s", got)
	}
	backup := "backup:create --to " + filepath.Join(t.TempDir(), "backup")
	if got := said(backup, cli.ExitFailure); !strings.Contains(got, "DATABASE_SESSION_REQUIRED") {
		t.Errorf("a backup through a pooler in transaction mode: %s", got)
	}
	i.environment["DATABASE_URL"] = direct
	said(backup, cli.ExitSuccess)
	if got := said("doctor", cli.ExitSuccess); !strings.Contains(got, "DATABASE_POOLER_ABSENT") ||
		!strings.Contains(got, "Processes: 1 ") {
		t.Errorf("doctor without the pooler: %s", got)
	}
}

// TestTwoDaemonsBehindATransactionPooler: they share the schedules, and one is killed. All reference modules
// work under load.
func TestTwoDaemonsBehindATransactionPooler(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for daemons to look for what is due")
	}
	s := scheduled{install(t, "regular")}
	s.behindTransactionPooler(t)
	s.runOnceInTwoDaemons(t)
	sunday := installSunday(t)
	sunday.behindTransactionPooler(t)
	sunday.fill(t)
	sunday.phonesLoad(t, 12, nil)
}
