package database_test

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
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
		t.Errorf("%d connections before the first use, want none", total)
	}
	err = errors.Join(opened.Ping(t.Context()), opened.Check(t.Context()), opened.Close(), opened.Close())
	if err != nil {
		t.Error(err)
	}
}

func TestCheckSaysUnreachableAndNothingElse(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	base := db.Settings
	db.Exec(t, `CREATE ROLE stranger_`+base.Name+` LOGIN PASSWORD 'strangers'`)
	db.Exec(t, `REVOKE CONNECT ON DATABASE `+base.Name+` FROM PUBLIC`)
	for name, row := range map[string]struct {
		change func(*environment.Database)
		why    database.Why
	}{
		"wrong password": {func(s *environment.Database) { s.Password = environment.NewSecret("wrong-password") },
			database.WhyAuthentication},
		"no such user":     {func(s *environment.Database) { s.User = "missing-user" }, database.WhyAuthentication},
		"no such database": {func(s *environment.Database) { s.Name = "missing-database" }, database.WhyNoDatabase},
		"nobody listens":   {func(s *environment.Database) { s.Servers = local(1) }, database.WhyRefused},
		"no such host": {func(s *environment.Database) {
			s.Servers = []environment.DatabaseServer{{Host: "missing.invalid", Port: 5432}}
		}, database.WhyUnknownHost},
		"nobody answers": {func(s *environment.Database) {
			s.Servers, s.ConnectTimeout = local(listening(t, func(net.Conn) {})), 100*time.Millisecond
		}, database.WhyTimedOut},
		"another protocol": {func(s *environment.Database) {
			s.Servers = local(listening(t, func(c net.Conn) { _ = c.Close() }))
		}, database.WhyLost},
		"may not connect": {func(s *environment.Database) {
			s.User, s.Password = "stranger_"+s.Name, environment.NewSecret("strangers")
		}, database.WhyNotPermitted},
	} {
		t.Run(name, func(t *testing.T) {
			settings := base
			row.change(&settings)
			opened, err := database.Open(settings)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = opened.Close() }()
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			if row.why != database.WhyTimedOut {
				cancel()
				ctx, cancel = t.Context(), func() {}
			}
			defer cancel()
			for _, err := range []error{opened.Check(ctx), opened.Ping(ctx)} {
				if !errors.Is(err, database.ErrUnreachable) || err.Error() != database.ErrUnreachable.Error() ||
					database.WhyOf(err) != row.why {
					t.Errorf("got %v because of %q, want %v because of %q", err, database.WhyOf(err),
						database.ErrUnreachable, row.why)
				}
				if strings.Contains(row.why.Sentence(), "SERVICE_DATABASE_TLS_MODE, ") {
					t.Errorf("WhyOf %q has no sentence of its own", row.why)
				}
				for _, secret := range []string{settings.Name, settings.User, settings.Servers[0].Host,
					settings.Password.Reveal()} {
					if strings.Contains(err.Error(), " "+secret) {
						t.Errorf("the error %q contains %q, want no part of the settings", err, secret)
					}
				}
			}
		})
	}
}

// local returns the address of a server on this machine.
func local(port uint16) []environment.DatabaseServer {
	return []environment.DatabaseServer{{Host: "127.0.0.1", Port: port}}
}

// listening returns the port of a server that calls serve with each connection.
func listening(t *testing.T, serve func(net.Conn)) uint16 {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			serve(conn)
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-ended })
	return uint16(listener.Addr().(*net.TCPAddr).Port)
}

// TestPingHasOneSocket: however a ping ends, the server never sees two of its sockets, and none remains open.
func TestPingHasOneSocket(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var open, most, all int
	settings := databasetest.Empty(t).Settings
	settings.Servers = local(listening(t, func(c net.Conn) {
		mu.Lock()
		open, all = open+1, all+1
		most = max(most, open)
		mu.Unlock()
		go func() { // until the client has closed the connection
			_, _ = io.Copy(io.Discard, c)
			mu.Lock()
			open--
			mu.Unlock()
		}()
	}))
	opened, err := database.Open(settings)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := opened.Ping(ctx); database.WhyOf(err) != database.WhyTimedOut {
			t.Errorf("Ping of a server that hangs: %v because of %q, want %v", err, database.WhyOf(err),
				database.ErrUnreachable)
		}
		cancel()
		for deadline := time.Now().Add(time.Minute); ; {
			mu.Lock()
			left := open
			mu.Unlock()
			if left == 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d sockets are open after an abandoned ping, want none", left)
			}
			runtime.Gosched()
		}
	}
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
	if most != 1 || all > 5 {
		t.Errorf("5 abandoned pings had %d sockets, %d at once; want one each, one at a time", all, most)
	}
}

// TestPingOutlivesItsSession: the server may have ended the session since the last ping.
func TestPingOutlivesItsSession(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	settings := db.Settings
	settings.ApplicationName = "ping_" + settings.Name
	opened, err := database.Open(settings)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	sessions := func() (n int) {
		t.Helper()
		const count = `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1`
		if err := db.Pool(t).QueryRow(t.Context(), count, settings.ApplicationName).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range 3 {
		for range 3 {
			if err := opened.Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n := sessions(); n != 1 {
			t.Errorf("%d sessions after three pings, want 1", n)
		}
		db.Exec(t, `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = $1`,
			settings.ApplicationName)
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
		t.Error("Ready is closed before Serve, want it open")
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
		t.Errorf("Serve returned %v, want %v", err, context.Canceled)
	}
	if err := opened.Ping(t.Context()); !errors.Is(err, database.ErrUnreachable) {
		t.Errorf("Ping after the end: got %v, want %v", err, database.ErrUnreachable)
	}
	if err := opened.Serve(t.Context()); !errors.Is(err, database.ErrClosed) {
		t.Errorf("second Serve: got %v, want %v", err, database.ErrClosed)
	}
}

// TestCloseWaitsForAConnectionInUse: a connection that is given back within the grace is not cut.
func TestCloseWaitsForAConnectionInUse(t *testing.T) {
	t.Parallel()
	opened, err := database.Open(databasetest.Empty(t).Settings)
	if err != nil {
		t.Fatal(err)
	}
	opened.WithinGrace(time.Hour)
	conn, err := opened.Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- opened.Close() }()
	eventually(t, "the pool is closed", func() bool {
		further, err := opened.Pool().Acquire(t.Context())
		if err == nil {
			further.Release()
		}
		return err != nil
	})
	if _, err := conn.Exec(t.Context(), "SELECT 1"); err != nil {
		t.Errorf("a statement on a connection in use while Close waits: %v, want success", err)
	}
	conn.Release()
	if err := <-closed; err != nil {
		t.Errorf("Close when the connection was given back: %v, want nil", err)
	}
}

func TestCloseCutsAConnectionThatNobodyGivesBack(t *testing.T) {
	t.Parallel()
	opened, err := database.Open(databasetest.Empty(t).Settings)
	if err != nil {
		t.Fatal(err)
	}
	opened.WithinGrace(100 * time.Millisecond)
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
	if err := opened.Close(); !errors.Is(err, database.ErrCloseTimedOut) {
		t.Errorf("Close with a connection in use: got %v, want %v", err, database.ErrCloseTimedOut)
	}
	if err := <-slept; err == nil {
		t.Error("the statement of the cut connection succeeded, want an error")
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
	// A function earlier in the search path imitates an old server.
	db.Exec(t, `CREATE SCHEMA old`)
	db.Exec(t, `CREATE FUNCTION old.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT '140011' $$`)
	db.Exec(t, `ALTER DATABASE `+db.Settings.Name+` SET search_path = old, pg_catalog`)
	opened, err := database.Open(db.Settings)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	if err := opened.Check(t.Context()); !errors.Is(err, database.ErrVersionUnsupported) {
		t.Errorf("Check of an old server: got %v, want %v", err, database.ErrVersionUnsupported)
	}
}

// TestCheckRefusesAnotherEncoding: a database whose encoding cannot hold every name is refused in words that
// name it, and not as one that cannot be reached.
func TestCheckRefusesAnotherEncoding(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	for _, encoding := range []string{"LATIN1", "SQL_ASCII"} {
		settings := db.Settings
		settings.Name += "_" + strings.ToLower(encoding)
		db.Exec(t, `CREATE DATABASE `+settings.Name+` ENCODING '`+encoding+`' LOCALE 'C' TEMPLATE template0`)
		opened, err := database.Open(settings)
		if err != nil {
			t.Fatal(err)
		}
		err = opened.Check(t.Context())
		if !errors.Is(err, database.ErrEncodingUnsupported) || !strings.Contains(err.Error(), encoding) {
			t.Errorf("Check of a database in %s: got %v, want %v with the encoding's name", encoding, err,
				database.ErrEncodingUnsupported)
		}
		if err := opened.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		db.Exec(t, `DROP DATABASE `+settings.Name)
	}
}
