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
		if read, err := opened.CheckAndRead(t.Context()); read || database.WhyOf(err) != database.WhyReadOnly {
			t.Errorf("CheckAndRead of %s: read %v, error %v because of %q, want %v because of %q", row.name, read,
				err, database.WhyOf(err), database.ErrUnreachable, database.WhyReadOnly)
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
func TestAnAbsentServerIsPassedOver(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	settings := db.Settings
	settings.Servers = append(local(absent(t)), settings.Servers...)
	settings.Writable, settings.ConnectTimeout = true, 2*time.Second
	opened, err := database.Open(settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	pool, err := opened.OpenModule(database.ModuleRole{ModuleID: "a", Schema: "public"})
	if err != nil {
		t.Fatal(err)
	}
	acquire(t, pool)
	began := time.Now()
	for range 3 {
		acquire(t, pool)
	}
	if err := errors.Join(opened.Check(t.Context()), opened.Ping(t.Context())); err != nil {
		t.Errorf("Check and Ping with one server of two: %v, want nil", err)
	}
	if took := time.Since(began); took > settings.ConnectTimeout {
		t.Errorf("five more connections took %v, want them to pass over the server that does not answer", took)
	}
}

// absent returns the port of a server that does not respond to connection attempts, because its queue is
// full.
func absent(t *testing.T) uint16 {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
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
	port := name.(*syscall.SockaddrInet4).Port
	for range 8 {
		conn, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 100*time.Millisecond)
		if err != nil {
			return uint16(port)
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	t.Fatal("the queue of a listener is never full")
	return 0
}
