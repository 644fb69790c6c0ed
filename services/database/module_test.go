package database_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

func TestAModulesPoolReachesItsOwnSchemaAlone(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	line := migrations.Line{ID: "seat-plan", Files: []migrations.File{
		{Version: 1, Name: "seats", SQL: []byte(`CREATE TABLE seat (id int); INSERT INTO seat VALUES (1);`)},
	}}
	_, err := migrations.Apply(t.Context(), migrations.Options{Connect: database.Config(db.Settings), Modules: []migrations.Line{line}})
	if err != nil {
		t.Fatal(err)
	}
	roles, err := db.Database(t).ModuleRoles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	role := roles["seat-plan"]
	if role.ModuleID != "seat-plan" || role.Schema != "module_seat_plan" || role.Role == "" || role.Password.Reveal() == "" {
		t.Fatalf("role %+v", role)
	}
	pool, err := db.Database(t).OpenModule(role)
	if err != nil {
		t.Fatal(err)
	}
	if pool.Stat().TotalConns() != 0 {
		t.Error("a module's pool connected before it was used")
	}
	var user, timeout string
	err = pool.QueryRow(t.Context(), `SELECT current_user, current_setting('statement_timeout') FROM seat WHERE id = 1`).Scan(&user, &timeout)
	if err != nil || user != role.Role || timeout != "30s" {
		t.Errorf("user %q, timeout %q, %v", user, timeout, err)
	}
	_, err = pool.Exec(t.Context(), `SELECT 1 FROM core.person`)
	if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.Code != "42501" {
		t.Errorf("Core's tables: %v", err)
	}
}

func TestAModuleWithoutARoleWorksInItsSchemaUnderCoresUser(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	db.Exec(t, `CREATE SCHEMA module_a`)
	pool, err := db.Database(t).OpenModule(database.ModuleRole{ModuleID: "a", Schema: "module_a"})
	if err != nil {
		t.Fatal(err)
	}
	var schema, timeout string
	err = pool.QueryRow(t.Context(), `SELECT current_schema(), current_setting('statement_timeout')`).Scan(&schema, &timeout)
	if err != nil || schema != "module_a" || timeout != "30s" {
		t.Errorf("schema %q, timeout %q, %v", schema, timeout, err)
	}
}

func TestAllModulesTogetherStayWithinTheirBudget(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	pools := make([]*pgxpool.Pool, 7)
	for i := range pools {
		pool, err := db.Database(t).OpenModule(database.ModuleRole{ModuleID: fmt.Sprintf("m%d", i), Schema: "public"})
		if err != nil {
			t.Fatal(err)
		}
		pools[i] = pool
	}
	var held []*pgxpool.Conn
	for _, pool := range pools[:6] {
		for range 4 {
			conn, err := pool.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, conn)
		}
	}
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := pools[6].Acquire(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the 25th connection: %v", err)
	}
	for _, conn := range held {
		conn.Release() // they stay open, idle
	}
	long, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, err := pools[6].Acquire(long)
	if err != nil {
		t.Fatalf("idle connections of others were not closed: %v", err)
	}
	conn.Release()
}

func TestNoModuleIsOpenedAfterTheEnd(t *testing.T) {
	t.Parallel()
	opened, err := database.Open(databasetest.Empty(t).Settings)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := opened.OpenModule(database.ModuleRole{ModuleID: "a", Schema: "public"})
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	if err := pool.Ping(t.Context()); err == nil {
		t.Error("a module's pool outlived the database service")
	}
	if _, err := opened.OpenModule(database.ModuleRole{ModuleID: "b", Schema: "public"}); !errors.Is(err, database.ErrClosed) {
		t.Errorf("got %v", err)
	}
}
