// Package poolertest runs PgBouncer for tests: Debian's, in front of a server of databasetest.
package poolertest

import (
	"bytes"
	"errors"
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
// through it.
func Start(t testing.TB, server environment.Database, mode Mode) environment.Database {
	t.Helper()
	folder := t.TempDir()
	// PgBouncer does not run as root, and the user that it becomes reads these files again
	if err := os.Chmod(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	pooler, err := Run(folder, server, mode, poolSize(mode))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pooler.Stop()
		if t.Failed() {
			t.Logf("PgBouncer said:\n%s", pooler.said.String())
		}
	})
	return pooler.Through(server)
}

// Pooler is a running PgBouncer.
type Pooler struct {
	port    int
	release func()
	command *exec.Cmd
	end     io.Closer
	said    transcript
}

// Run starts PgBouncer with its files in a folder that everybody may enter. Every user of the server may use
// it, for any database, with so many sessions each. It forwards no parameter of a session's start beyond
// those that it knows, as Debian configures it.
func Run(folder string, server environment.Database, mode Mode, sessions int) (p *Pooler, err error) {
	p = &Pooler{}
	if p.port, p.release, err = porttest.Hold(); err != nil {
		return nil, err
	}
	users, settings := filepath.Join(folder, "users"), filepath.Join(folder, "pgbouncer.ini")
	err = errors.Join(
		os.WriteFile(users, fmt.Appendf(nil, "%q %q\n", server.User, server.Password.Reveal()), 0o644),
		os.WriteFile(settings, fmt.Appendf(nil, `[databases]
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
server_idle_timeout = 5
max_client_conn = 900
`, server.Servers[0].Host, server.Servers[0].Port, server.User, p.port, users, mode, sessions), 0o644))
	if err == nil {
		err = p.start(settings)
	}
	if err != nil {
		p.release()
		return nil, err
	}
	if !waittest.Seldom(p.listens) {
		p.Stop()
		return nil, fmt.Errorf("PgBouncer does not listen: %s", p.said.String())
	}
	return p, nil
}

// Through returns settings with which the same database is reached through the pooler.
func (p *Pooler) Through(server environment.Database) environment.Database {
	server.Servers = []environment.DatabaseServer{{Host: "127.0.0.1", Port: uint16(p.port)}}
	return server
}

// PID is the process that starts PgBouncer and ends it.
func (p *Pooler) PID() int { return p.command.Process.Pid }

func (p *Pooler) listens() bool {
	conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port)))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// poolSize is larger where each client keeps a session.
func poolSize(mode Mode) int {
	if mode == Session {
		return 100
	}
	return serverSessions
}

// start starts PgBouncer, which ends with Stop, and also when this process is killed: then a pipe ends.
func (p *Pooler) start(settings string) (err error) {
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("%w; run .ci/packages pgbouncer", err)
	}
	arguments := []string{"-c", `"$@" </dev/null & read -r _; kill -9 $!; wait`, "sh", program, "-q", settings}
	if os.Geteuid() == 0 {
		arguments = append(arguments, "-u", "postgres")
	}
	p.command = exec.Command("sh", arguments...)
	p.command.Stdout, p.command.Stderr = &p.said, &p.said
	if p.end, err = p.command.StdinPipe(); err != nil {
		return err
	}
	return p.command.Start()
}

// Stop ends PgBouncer.
func (p *Pooler) Stop() {
	_ = p.end.Close()
	_ = p.command.Wait()
	p.release()
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
