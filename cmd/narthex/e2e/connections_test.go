package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestTheLeastConnections runs all reference modules with 8 connections, while twelve phones load pages
// without a pause: the server never counts more, and no request is refused.
func TestTheLeastConnections(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it is a load of seconds")
	}
	i := installSunday(t)
	i.environment["SERVICE_DATABASE_CONNECTIONS"] = "8"
	i.environment["DATABASE_URL"] += "?application_name=busy"
	_ = i.fill(t)
	most, ofModules := 0, 0
	i.phonesLoad(t, 12, func() {
		var all, modules int
		if err := i.db.Pool(t).QueryRow(t.Context(), `
			SELECT count(*), count(*) FILTER (WHERE application_name <> 'busy')
			FROM pg_stat_activity
			WHERE datname = current_database() AND application_name SIMILAR TO 'busy|narthex %'`).
			Scan(&all, &modules); err != nil {
			t.Fatal(err)
		}
		most, ofModules = max(most, all), max(ofModules, modules)
	})
	if most > 8 || ofModules != 4 {
		t.Errorf("the server counted %d sessions, %d of them of modules; want at most 8, and one for each of the "+
			"4 modules with a database", most, ofModules)
	}
}

// phonesLoad lets phones load pages for some seconds without a pause, and calls meanwhile over and over. No
// request may fail.
func (i *installation) phonesLoad(t *testing.T, phones int, meanwhile func()) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), 5*time.Second)
	defer end()
	var working sync.WaitGroup
	var refused sync.Map
	for n := range phones {
		member := i.visitorFrom(t, 100+n).signInAs(t, ownerAddress)
		working.Go(func() {
			for ctx.Err() == nil {
				for _, path := range phonePaths() {
					got, err := member.doContext(ctx, "GET", path, nil)
					if ctx.Err() == nil && (err != nil || got.status != http.StatusOK) {
						refused.Store(path, fmt.Sprintf("%d %.200s %v", got.status, got.body, err))
					}
				}
			}
		})
	}
	for meanwhile != nil && ctx.Err() == nil {
		meanwhile()
	}
	working.Wait()
	refused.Range(func(path, what any) bool { t.Errorf("GET %s: %s", path, what); return true })
}

// TestTooFewConnectionsForTheModules: a start and doctor say how many connections the installed modules need.
func TestTooFewConnectionsForTheModules(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.Empty(t), "board", "glutton", "keeper", "loud", "regular")
	i.environment["SERVICE_DATABASE_CONNECTIONS"] = "8"
	const want = "DATABASE_CONNECTIONS_INVALID: SERVICE_DATABASE_CONNECTIONS is too small: 5 modules have a " +
		"database, and each needs a connection of its own; set it to 9 or more, or remove it."
	for _, command := range []string{"api:start", "doctor"} {
		r := runCommand(t, i.environment, "", command)
		if said := r.stdout.String() + r.stderr.String(); r.awaitExit(t) != cli.ExitFailure ||
			!strings.Contains(said, want) {
			t.Errorf("%s with 8 connections and 5 modules: exit %d, want %d and %q:\n%s", command, r.awaitExit(t),
				cli.ExitFailure, want, said)
		}
	}
}
