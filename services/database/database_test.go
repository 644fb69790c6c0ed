package database_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
)

func TestOpenConnectsToNothing(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	opened, err := database.Open(db.Settings)
	if err != nil {
		t.Fatal(err)
	}
	if total := opened.Pool().Stat().TotalConns(); total != 0 {
		t.Errorf("%d connections before the first use", total)
	}
	if err := errors.Join(opened.Ping(t.Context()), opened.Check(t.Context()), opened.Close(), opened.Close()); err != nil {
		t.Error(err)
	}
}

func TestCheckSaysUnreachableAndNothingElse(t *testing.T) {
	t.Parallel()
	base := databasetest.Empty(t).Settings
	for name, change := range map[string]func(*environment.Database){
		"wrong password":   func(s *environment.Database) { s.Password = environment.NewSecret("wrong-password") },
		"no such database": func(s *environment.Database) { s.Name = "missing-database" },
		"nobody listens":   func(s *environment.Database) { s.Port = 1 },
		"no such host":     func(s *environment.Database) { s.Host = "missing.invalid" },
	} {
		t.Run(name, func(t *testing.T) {
			settings := base
			change(&settings)
			opened, err := database.Open(settings)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = opened.Close() }()
			for _, err := range []error{opened.Check(t.Context()), opened.Ping(t.Context())} {
				if !errors.Is(err, database.ErrUnreachable) || err.Error() != database.ErrUnreachable.Error() {
					t.Errorf("got %v", err)
				}
				for _, secret := range []string{settings.Name, settings.User, settings.Host, settings.Password.Reveal()} {
					if strings.Contains(err.Error(), " "+secret) {
						t.Errorf("%q is in %q", secret, err)
					}
				}
			}
		})
	}
}

func TestServeClosesThePoolWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	opened, err := database.Open(databasetest.Empty(t).Settings)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-opened.Ready():
		t.Error("ready before it serves")
	default:
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- opened.Serve(ctx) }()
	<-opened.Ready()
	if err := opened.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve returned %v", err)
	}
	if err := opened.Ping(t.Context()); !errors.Is(err, database.ErrUnreachable) {
		t.Errorf("ping after the end: %v", err)
	}
	if err := opened.Serve(t.Context()); !errors.Is(err, database.ErrClosed) {
		t.Errorf("a second Serve: %v", err)
	}
}

func TestCloseCutsAConnectionThatNobodyGivesBack(t *testing.T) {
	t.Parallel()
	opened, err := database.Open(databasetest.Empty(t).Settings)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := opened.Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slept := make(chan error, 1)
	go func() {
		_, err := conn.Exec(t.Context(), "SELECT pg_sleep(60)")
		conn.Release()
		slept <- err
	}()
	began := time.Now()
	if err := opened.Close(); !errors.Is(err, database.ErrCloseTimedOut) {
		t.Errorf("Close returned %v", err)
	}
	if err := <-slept; err == nil {
		t.Error("the statement ran on")
	}
	if took := time.Since(began); took < database.CloseGrace {
		t.Errorf("it took %v", took)
	}
}

func TestStartAndStopAtTheSameTime(t *testing.T) {
	t.Parallel()
	settings := databasetest.Empty(t).Settings
	for range 20 {
		opened, err := database.Open(settings)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var working sync.WaitGroup
		working.Go(func() { _ = opened.Serve(ctx) })
		working.Go(cancel)
		working.Go(func() { _ = opened.Ping(ctx) })
		working.Go(func() { _, _ = opened.OpenModule(database.ModuleRole{ModuleID: "a", Schema: "public"}) })
		working.Go(func() { _ = opened.Close() })
		working.Wait()
		if err := opened.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCheckRefusesAnOldServer(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	// A function earlier in the search path plays the old server.
	db.Exec(t, `CREATE SCHEMA old`)
	db.Exec(t, `CREATE FUNCTION old.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT '140011' $$`)
	db.Exec(t, `ALTER DATABASE `+db.Settings.Name+` SET search_path = old, pg_catalog`)
	opened, err := database.Open(db.Settings)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	if err := opened.Check(t.Context()); !errors.Is(err, database.ErrVersionUnsupported) {
		t.Errorf("got %v", err)
	}
}
