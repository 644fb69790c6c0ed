package database_test

import (
	"errors"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestAServerThatAcceptsNoWritesIsNoServer: a single such server is refused only by Check, which every start
// calls.
func TestAServerThatAcceptsNoWritesIsNoServer(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	db.Exec(t, `ALTER DATABASE `+db.Settings.Name+` SET default_transaction_read_only = on`)
	settings := db.Settings
	for _, row := range []struct {
		name     string
		writable bool
		ping     database.Why
	}{
		{"a server of which nothing is demanded", false, ""},
		{"a server that must accept writes", true, database.WhyReadOnly},
	} {
		settings.Writable = row.writable
		opened, err := database.Open(settings)
		if err != nil {
			t.Fatal(err)
		}
		if err := opened.Check(t.Context()); !errors.Is(err, database.ErrUnreachable) ||
			database.WhyOf(err) != database.WhyReadOnly {
			t.Errorf("Check of %s: %v because of %q, want %v because of %q", row.name, err, database.WhyOf(err),
				database.ErrUnreachable, database.WhyReadOnly)
		}
		if err := opened.Ping(t.Context()); (err == nil) != (row.ping == "") ||
			err != nil && database.WhyOf(err) != row.ping {
			t.Errorf("Ping of %s: %v because of %q, want %q", row.name, err, database.WhyOf(err), row.ping)
		}
		pool, err := opened.OpenModule(database.ModuleRole{ModuleID: "a", Schema: "public"})
		if err != nil {
			t.Fatal(err)
		}
		conn, err := pool.Acquire(t.Context())
		if err == nil {
			conn.Release()
		}
		if errors.Is(err, pgconn.ErrReadOnlyConnection) != row.writable {
			t.Errorf("a module's connection to %s: %v, want it refused: %v", row.name, err, row.writable)
		}
		_ = opened.Close()
	}
}

// TestAnAbsentServerIsPassedOver: callers wait for the lost machine only once, not at each new connection.
// TestUnreachableServerIsSkipped checks for how long.
func TestAnAbsentServerIsPassedOver(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	settings := db.Settings
	port, answer := absent(t)
	settings.Servers = append(local(port), settings.Servers...)
	settings.Writable, settings.ConnectTimeout = true, 2*time.Second
	opened, err := database.Open(settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	opened.PassOverFor(time.Hour)
	pool, err := opened.OpenModule(database.ModuleRole{ModuleID: "a", Schema: "public"})
	if err != nil {
		t.Fatal(err)
	}
	acquire(t, pool)
	answer() // from now on the machine would accept connections
	for range 3 {
		acquire(t, pool)
	}
	if err := errors.Join(opened.Check(t.Context()), opened.Ping(t.Context())); err != nil {
		t.Errorf("Check and Ping with one server of two: %v, want nil", err)
	}
	if n := answer(); n > 0 {
		t.Errorf("%d of five more connections tried the server that did not answer, want none", n)
	}
}

// absent returns the port of a server that does not respond to connection attempts, because its queue is
// full. answer takes those in its queue and returns their number.
func absent(t *testing.T) (port uint16, answer func() (accepted int)) {
	t.Helper()
	const kind = syscall.SOCK_STREAM | syscall.SOCK_CLOEXEC | syscall.SOCK_NONBLOCK
	socket, err := syscall.Socket(syscall.AF_INET, kind, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := errors.Join(syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}),
		syscall.Listen(socket, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	answer = func() (accepted int) {
		for {
			conn, _, err := syscall.Accept(socket)
			if err != nil {
				return accepted
			}
			accepted++
			t.Cleanup(func() { _ = syscall.Close(conn) })
		}
	}
	port = uint16(name.(*syscall.SockaddrInet4).Port)
	for range 8 {
		conn, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))),
			100*time.Millisecond)
		if err != nil {
			return port, answer
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	t.Fatal("the queue of a listener is never full")
	return 0, nil
}
