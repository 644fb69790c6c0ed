package cluster_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/leaktest"
)

func TestMain(m *testing.M) {
	if os.Getenv(victimVariable) != "" {
		runVictim()
		return
	}
	leaktest.Main(m)
}

func start(t *testing.T, dir string) *cluster.Cluster {
	t.Helper()
	started, err := cluster.Start(t.Context(), cluster.Options{Dir: dir, FsyncOff: true})
	if err != nil {
		t.Fatalf("start: %v: %v", err, errors.Join(err.(interface{ Unwrap() []error }).Unwrap()...))
	}
	t.Cleanup(func() { _ = started.Remove() })
	return started
}

// folder returns a folder for a cluster. t.TempDir is not usable for root, because the server's account
// cannot enter it.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "narthex-cluster-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "pg")
}

func stop(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	if err := c.Stop(); err != nil {
		t.Fatalf("stop: %v", err)
	}
}

func query(t *testing.T, c *cluster.Cluster, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.URL("postgres")+"?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func TestDataOutliveARestart(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first := start(t, dir)
	query(t, first, "CREATE TABLE kept (n int)")
	stop(t, first)
	stop(t, first)
	second := start(t, dir)
	query(t, second, "SELECT n FROM kept")
	stop(t, second)
}

func TestProgramsAreNamedFromTheWorkingDirectory(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a cluster of its own")
	}
	dir, err := cluster.Programs(t.Context(), "../../../.tools")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("/")
	t.Setenv(cluster.BinariesVariable, strings.TrimPrefix(dir, "/"))
	stop(t, start(t, folder(t)))
}

func TestOnlyTCPAndOnlyThePasswordOpenTheServer(t *testing.T) {
	t.Parallel()
	c := start(t, folder(t))
	query(t, c, `DO $$ BEGIN
		ASSERT current_setting('unix_socket_directories') = '';
		ASSERT current_setting('listen_addresses') = '127.0.0.1';
		ASSERT current_setting('server_encoding') = 'UTF8';
		ASSERT (SELECT bool_and(auth_method = 'scram-sha-256') FROM pg_hba_file_rules);
	END $$`)
	stranger := strings.Replace(c.URL("postgres"), "narthex:", "narthex:x", 1)
	if conn, err := pgx.Connect(t.Context(), stranger+"?sslmode=disable"); err == nil {
		_ = conn.Close(t.Context())
		t.Error("a wrong password was accepted")
	}
	for _, private := range []string{"password", "log", "lock"} {
		info, err := os.Stat(filepath.Join(c.Home(), private))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, want the mode 0600; error %v", private, info, err)
		}
	}
}

func TestTheServerHasASessionOfItsOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a cluster of its own")
	}
	t.Parallel()
	c := start(t, folder(t))
	if group, err := syscall.Getpgid(c.PID()); err != nil || group != c.PID() {
		t.Errorf("process group %d of %d, %v: Ctrl-C would reach it", group, c.PID(), err)
	}
}

func TestASecondStartIsRefusedWhileTheFirstRuns(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first := start(t, dir)
	if _, err := cluster.Start(t.Context(), cluster.Options{Dir: dir}); !errors.Is(err, cluster.ErrInUse) {
		t.Errorf("second start: error %v, want %v", err, cluster.ErrInUse)
	}
	query(t, first, "SELECT 1")
}

func TestAKilledServerStartsAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster three times")
	}
	t.Parallel()
	dir := folder(t)
	first := start(t, dir)
	query(t, first, "CREATE TABLE kept (n int)")
	if err := syscall.Kill(first.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-first.Ended()
	stop(t, first)
	second := start(t, dir)
	query(t, second, "SELECT n FROM kept")
	stop(t, second)

	// The pid in a stale postmaster.pid may belong to another program by now. PostgreSQL itself would refuse to
	// start.
	stale := filepath.Join(second.Home(), "data", "postmaster.pid")
	if err := os.WriteFile(stale, []byte("1\n"+filepath.Dir(stale)+"\n0\n1\n\n127.0.0.1\n\nready   \n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	query(t, start(t, dir), "SELECT n FROM kept")
}

func TestAStandbyFollowsItsPrimaryAndTakesOver(t *testing.T) {
	if testing.Short() {
		t.Skip("makes two clusters")
	}
	t.Parallel()
	programs, err := cluster.Programs(t.Context(), "../../../.tools")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(programs, "pg_basebackup")); err != nil {
		t.Skip("this copy of PostgreSQL comes without pg_basebackup")
	}
	primary, err := cluster.Start(t.Context(), cluster.Options{Dir: folder(t), FsyncOff: true, Replicated: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = primary.Remove() })
	standby, err := cluster.Start(t.Context(), cluster.Options{Dir: folder(t), FsyncOff: true, Primary: primary})
	if err != nil {
		t.Fatalf("%v: %v", err, errors.Join(err.(interface{ Unwrap() []error }).Unwrap()...))
	}
	t.Cleanup(func() { _ = standby.Remove() })
	query(t, standby, `DO $$ BEGIN ASSERT pg_is_in_recovery(); END $$`)
	query(t, primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
	query(t, primary, `SELECT pg_reload_conf()`)
	query(t, primary, "CREATE TABLE kept (n int)")
	if err := primary.Kill(); err != nil {
		t.Fatal(err)
	}
	query(t, standby, `SELECT pg_promote()`)
	query(t, standby, `INSERT INTO kept VALUES (1)`)
}

func TestInterruptedInitdbIsRepeated(t *testing.T) {
	if testing.Short() {
		t.Skip("makes the data of a cluster twice")
	}
	t.Parallel()
	dir := folder(t)
	first := start(t, dir)
	stop(t, first)
	data := filepath.Join(first.Home(), "data")
	if err := os.Rename(data, data+".new"); err != nil {
		t.Fatal(err)
	}
	query(t, start(t, dir), "SELECT 1")
}

func TestWithoutProgramsItSaysWhatToDo(t *testing.T) {
	t.Setenv(cluster.BinariesVariable, t.TempDir())
	_, err := cluster.Start(t.Context(), cluster.Options{Dir: folder(t)})
	if !errors.Is(err, cluster.ErrNotFound) || !strings.Contains(err.Error(), "make postgresql") {
		t.Errorf("start without programs: error %v, want %v with the advice make postgresql", err,
			cluster.ErrNotFound)
	}
}

func TestAFolderThatTheServerCannotEnterIsReplacedByALink(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a cluster of its own")
	}
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root runs the server as somebody else")
	}
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	wanted := filepath.Join(closed, "pg")
	c := start(t, wanted)
	query(t, c, "SELECT 1")
	if target, err := os.Readlink(wanted); err != nil || target != c.Home() ||
		!strings.HasPrefix(target, "/var/tmp/narthex-") {
		t.Errorf("%s is a link to %q, want %s below /var/tmp; error %v", wanted, target, c.Home(), err)
	}
	stop(t, c)
	again := start(t, wanted)
	if err := again.Remove(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{wanted, c.Home()} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there", path)
		}
	}
}

func TestAStrangersFolderIsNeverHandedToTheServer(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root runs the server as somebody else")
	}
	dir := folder(t)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	precious := filepath.Join(dir, "precious")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := cluster.Start(t.Context(), cluster.Options{Dir: dir})
	if !errors.Is(err, cluster.ErrDirectory) {
		t.Errorf("start in a folder with other files: error %v, want %v", err, cluster.ErrDirectory)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}
