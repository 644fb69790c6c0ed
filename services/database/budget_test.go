package database_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
)

// TestConnectionsAreDividedWithoutRest: the pools add up to what the process may open, whatever is set.
func TestConnectionsAreDividedWithoutRest(t *testing.T) {
	t.Parallel()
	settings := databasetest.Empty(t).Settings
	for n := 8; n <= 200; n++ {
		settings.Connections = n
		opened, err := database.Open(settings)
		if err != nil {
			t.Fatal(err)
		}
		_, modules := opened.Figures()
		core := int(opened.Pool().Config().MaxConns)
		if core+modules.Most+1 != n || core < 3 || modules.Most < 4 || database.Connections(settings, 4) != n {
			t.Errorf("of %d connections %d are core's and %d the modules'; Connections says %d", n, core,
				modules.Most, database.Connections(settings, 4))
		}
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestConnectionsOfAProcess(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ set, modules, most, least int }{
		{0, 4, 40, 0}, {0, 30, 46, 0}, {40, 4, 40, 0}, {40, 24, 40, 0}, {40, 25, 40, 41},
		{8, 4, 8, 0}, {8, 5, 8, 9}, {8, 6, 8, 10}, {10, 6, 10, 0}, {200, 122, 200, 0},
	} {
		settings := environment.Database{Connections: row.set}
		if most := database.Connections(settings, row.modules); most != row.most {
			t.Errorf("%d connections and %d modules: at most %d, want %d", row.set, row.modules, most, row.most)
		}
		err := database.CheckConnections(settings, row.modules)
		if row.least == 0 && err != nil || row.least != 0 && !errors.Is(err, environment.ErrDatabaseConnections) {
			t.Errorf("%d connections and %d modules: %v, want refused: %v", row.set, row.modules, err,
				row.least != 0)
		}
		settings.Connections = row.least
		if err := database.CheckConnections(settings, row.modules); err != nil {
			t.Errorf("%d modules are refused with %d connections: %v", row.modules, row.least, err)
		}
		settings.Connections--
		if row.least > 0 && database.CheckConnections(settings, row.modules) == nil {
			t.Errorf("%d connections are enough for %d modules, want one more", row.least-1, row.modules)
		}
	}
}

// TestTheServerNeverCountsMoreSessions: callers who give up while a connection is being opened, and sessions
// that are closed and opened again, never add one to what the server counts.
func TestTheServerNeverCountsMoreSessions(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	settings := db.Settings
	settings.Connections = 8
	opened, err := database.Open(settings)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	ctx, end := context.WithTimeout(t.Context(), 2*time.Second)
	defer end()
	var working sync.WaitGroup
	for n := range 4 {
		pool, err := opened.OpenModule(database.ModuleRole{ModuleID: string(rune('a' + n)), Schema: "public"})
		if err != nil {
			t.Fatal(err)
		}
		for caller := range 3 {
			working.Go(func() {
				for ctx.Err() == nil {
					within, cancel := context.WithTimeout(ctx, rand.N(10*time.Millisecond))
					if conn, err := pool.Acquire(within); err == nil {
						_, _ = conn.Exec(within, `SELECT pg_sleep(0.01)`) // the half of them is cancelled
						conn.Release()
					}
					cancel()
					if caller == 0 && rand.N(4) == 0 {
						pool.EndSessions()
					}
				}
			})
		}
	}
	most := 0
	for ctx.Err() == nil {
		var n int
		if err := db.Pool(t).QueryRow(t.Context(), `
			SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name LIKE 'narthex _'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		most = max(most, n)
	}
	working.Wait()
	if most > 4 || most == 0 {
		t.Errorf("the server counted %d sessions of modules, want 1 to 4", most)
	}
}

// TestTheLeastNumberLeavesEachModuleItsFirstConnection: with 8 connections four modules have one each,
// whatever the others hold.
func TestTheLeastNumberLeavesEachModuleItsFirstConnection(t *testing.T) {
	t.Parallel()
	settings := databasetest.Empty(t).Settings
	settings.Connections = 8
	opened, err := database.Open(settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	pools := make([]*database.ModulePool, 4)
	for n := range pools {
		pools[n], err = opened.OpenModule(database.ModuleRole{ModuleID: string(rune('a' + n)), Schema: "public"})
		if err != nil {
			t.Fatal(err)
		}
	}
	for n, pool := range pools {
		acquire(t, pool)
		if !isExhausted(t, pool) {
			t.Errorf("module %d has a second connection, want none shared", n)
		}
	}
}

func TestTooFewConnectionsNameTheLeastNumber(t *testing.T) {
	t.Parallel()
	err := database.CheckConnections(environment.Database{Connections: 8}, 6)
	if err == nil || !strings.Contains(err.Error(), "6 modules have a database") ||
		!strings.Contains(err.Error(), "set it to 10 or more") {
		t.Errorf("8 connections for 6 modules: %v", err)
	}
}
