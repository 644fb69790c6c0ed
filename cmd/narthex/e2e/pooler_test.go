package e2e

import (
	"fmt"
	"net/url"
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
	address.Host = fmt.Sprintf("127.0.0.1:%d", poolertest.Start(t, db.Settings, mode).Servers[0].Port)
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
