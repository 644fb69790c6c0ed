package database_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/environment"
)

// TestAPrimaryThatWasReplacedIsPassedOver starts the old primary again after its standby was promoted, as a
// reboot of its machine would. The old primary accepts writes and is the first in the list.
func TestAPrimaryThatWasReplacedIsPassedOver(t *testing.T) {
	t.Parallel()
	programs, err := cluster.Programs(t.Context(), "../../.tools")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(programs, "pg_basebackup")); err != nil {
		t.Skip("this copy of PostgreSQL comes without pg_basebackup")
	}
	old := cluster.Options{Dir: clusterFolder(t), FsyncOff: true, Replicated: true}
	primary := startCluster(t, old)
	standby := startCluster(t, cluster.Options{Dir: clusterFolder(t), FsyncOff: true, Primary: primary})
	if err := primary.Stop(); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), standby.URL("postgres")+"?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), `SELECT pg_promote()`); err != nil {
		t.Fatal(err)
	}
	primary = startCluster(t, old)

	settings := settingsOf(t, primary.URL("postgres"))
	settings.Servers = append(settings.Servers, settingsOf(t, standby.URL("postgres")).Servers...)
	settings.Writable = true
	opened, err := database.Open(settings)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	if err := opened.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	var port int
	if err := opened.Pool().QueryRow(t.Context(), `SELECT inet_server_port()`).Scan(&port); err != nil {
		t.Fatal(err)
	}
	if want := int(settings.Servers[1].Port); port != want {
		t.Errorf("the session is on port %d, want the promoted standby's %d, not the old primary's", port, want)
	}
	if err := opened.Ping(t.Context()); err != nil {
		t.Errorf("Ping of the promoted standby: %v, want nil", err)
	}
	if err := standby.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := opened.Ping(t.Context()); database.WhyOf(err) != database.WhyReplaced {
		t.Errorf("Ping with the old primary alone: %v because of %q, want %q", err, database.WhyOf(err),
			database.WhyReplaced)
	}
}

func startCluster(t *testing.T, options cluster.Options) *cluster.Cluster {
	t.Helper()
	started, err := cluster.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = started.Remove() })
	return started
}

// clusterFolder returns a folder that the server's account may enter.
func clusterFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "narthex-cluster-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "server")
}

func settingsOf(t *testing.T, url string) environment.Database {
	t.Helper()
	values := map[string]string{"DATABASE_URL": url, "NODE_ENV": "development"}
	settings, err := environment.Load(func(name string) (string, bool) {
		value, found := values[name]
		return value, found
	}, environment.DatabaseSection)
	if err != nil {
		t.Fatal(err)
	}
	return settings.Database
}
