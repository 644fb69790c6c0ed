// Package poolertest runs PgBouncer for tests: Debian's, in front of a server of databasetest.
package poolertest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/porttest"
	"github.com/narthex-platform/narthex/services/waittest"
)

// Mode is when PgBouncer gives a session of the server to another client.
type Mode string

// The modes that the platform knows.
const (
	Session     = Mode("session")
	Transaction = Mode("transaction")
)

// serverSessions is how many sessions PgBouncer opens for one user of one database: fewer than the platform's
// clients, so that they share some.
const serverSessions = 4

// program is where Debian installs PgBouncer; the folder is not in everybody's PATH.
const program = "/usr/sbin/pgbouncer"

// Start runs PgBouncer until the test ends, and returns the settings with which the same database is reached
// through it. Every user of the server may use it. It forwards no parameter of a session's start beyond those
// that it knows, as Debian configures it.
func Start(t testing.TB, server environment.Database, mode Mode) environment.Database {
	t.Helper()
	port := porttest.Free(t)
	folder := t.TempDir()
	// PgBouncer does not run as root, and the user that it becomes reads these files again
	if err := os.Chmod(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	users := write(t, folder, "users", fmt.Sprintf("%q %q\n", server.User, server.Password.Reveal()))
	settings := write(t, folder, "pgbouncer.ini", fmt.Sprintf(`[databases]
* = host=%s port=%d auth_user=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = scram-sha-256
auth_file = %s
auth_query = SELECT usename, passwd FROM pg_shadow WHERE usename = $1
pool_mode = %s
default_pool_size = %d
max_client_conn = 500
`, server.Servers[0].Host, server.Servers[0].Port, server.User, port, users, mode, poolSize(mode)))
	said := run(t, settings)
	waittest.Until(t, "PgBouncer listens", func() bool {
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return false
		}
		_ = conn.Close()
		return true
	})
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("PgBouncer said:\n%s", said())
		}
	})
	through := server
	through.Servers = []environment.DatabaseServer{{Host: "127.0.0.1", Port: uint16(port)}}
	return through
}

// poolSize is larger where each client keeps a session.
func poolSize(mode Mode) int {
	if mode == Session {
		return 100
	}
	return serverSessions
}

func write(t testing.TB, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// run starts PgBouncer, which ends with the test, and also when this process is killed: then a pipe ends.
func run(t testing.TB, settings string) (said func() string) {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%v; run .ci/packages pgbouncer", err)
	}
	arguments := []string{"-c", `"$@" </dev/null & read -r _; kill -9 $!; wait`, "sh", program, "-q", settings}
	if os.Geteuid() == 0 {
		arguments = append(arguments, "-u", "postgres")
	}
	command := exec.Command("sh", arguments...)
	var output transcript
	command.Stdout, command.Stderr = &output, &output
	end, err := command.StdinPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = end.Close()
		_ = command.Wait()
	})
	return output.String
}

// transcript is a buffer that may be read while it is written.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

var _ io.Writer = (*transcript)(nil)

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
