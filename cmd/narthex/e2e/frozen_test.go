package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestFrozenDatabase: PostgreSQL exists but does not respond. Readiness queries it once, on one socket, which
// services/database tests, too. That the daemon answers the other probes at once is tested in
// services/health.
func TestFrozenDatabase(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgresql")
	postgres, err := cluster.Start(t.Context(),
		cluster.Options{Dir: dir, Tools: "../../../.tools", FsyncOff: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = postgres.Remove() })
	i := prepare(t, &databasetest.DB{URL: postgres.URL("postgres")})
	if r := runCommand(t, i.environment, "", "migrations:apply"); r.awaitExit(t) != cli.ExitSuccess {
		t.Fatal("migrations:apply failed")
	}
	daemon := i.start(t)
	visitor := i.visitor(t)
	ready := func() int { return visitor.do("GET", "/api/v1/health/ready", nil).status }
	if status := ready(); status != http.StatusOK {
		t.Fatalf("ready: status %d, want 200", status)
	}
	text, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	server, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	port := strings.Split(rest, "\n")[2]
	before := socketsTo(t, port)

	frozen := append([]int{server}, childrenOf(t, server)...)
	thaw := func() {
		for _, pid := range frozen {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}
	defer thaw()
	for _, pid := range frozen {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	const probes = 6
	most := 0
	for range probes {
		if status := ready(); status != http.StatusServiceUnavailable {
			t.Errorf("ready while PostgreSQL is frozen: status %d, want 503", status)
		}
		most = max(most, socketsTo(t, port))
	}
	// The daemon's own work also asks a frozen PostgreSQL: one socket a statement, one to cancel it.
	if most-before >= probes {
		t.Errorf("%d sockets to a frozen PostgreSQL, %d before: want less than one more for each of %d probes",
			most, before, probes)
	}
	daemon.awaitOutput(t, &daemon.stderr, `"reason":"database silent","age":`)
	thaw()
	eventually(t, "ready again", func() bool { return ready() == http.StatusOK })
	eventually(t, "as many sockets as before", func() bool { return socketsTo(t, port) <= before })
}

// socketsTo counts the sockets of this machine that are connected to a port, in any state but TIME_WAIT,
// which belongs to no process any more.
func socketsTo(t *testing.T, port string) (n int) {
	t.Helper()
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		_, remote, _ := strings.Cut(fields[2], ":")
		if other, err := strconv.ParseUint(remote, 16, 16); err == nil && int(other) == number &&
			fields[3] != "06" {
			n++
		}
	}
	return n
}

// childrenOf returns the child processes of a process.
func childrenOf(t *testing.T, parent int) (pids []int) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		stat, err := os.ReadFile(entry)
		if err != nil {
			continue
		}
		_, fields, _ := strings.Cut(string(stat), ") ")
		if strings.Fields(fields)[1] == strconv.Itoa(parent) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(entry))); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	slices.Sort(pids)
	return pids
}
