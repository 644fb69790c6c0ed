package database_test

import (
	"bytes"
	"crypto/x509"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
)

func TestLibpqEnvironmentNamesEveryServer(t *testing.T) {
	t.Parallel()
	several := settings(environment.VerifyFull)
	several.Servers = append(several.Servers, environment.DatabaseServer{Host: "::1", Port: 5432})
	several.Writable = true
	folder := t.TempDir()
	got, err := database.LibpqEnvironment(several, folder)
	want := []string{"PGHOST=db.example.org,::1", "PGPORT=6432,5432", "PGUSER=core", "PGPASSWORD=pass",
		"PGDATABASE=narthex", "PGCONNECT_TIMEOUT=2", "PGGSSENCMODE=disable", "PGCLIENTENCODING=UTF8",
		"PGTARGETSESSIONATTRS=read-write",
		"PGSSLMODE=verify-full", "PGSSLROOTCERT=" + filepath.Join(folder, "authorities.pem")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("variables of two servers: %q, %v; want %q", got, err, want)
	}
	got, err = database.LibpqEnvironment(settings(environment.DisableTLS), filepath.Join(folder, "missing"))
	if err != nil || !slices.Contains(got, "PGSSLMODE=disable") ||
		slices.Contains(got, "PGTARGETSESSIONATTRS=read-write") {
		t.Errorf("variables of one server without TLS: %q, %v; want no file and no demand", got, err)
	}
}

// TestLibpqVerifiesAsThePlatformDoes runs psql with only these variables. The first of its servers does not
// exist.
func TestLibpqVerifiesAsThePlatformDoes(t *testing.T) {
	db := databasetest.Empty(t)
	authority, stranger := newAuthority(t), newAuthority(t)
	serve(t, db, authority.issue(t, "127.0.0.1", time.Hour))
	defer serve(t, db, nil)
	programs, err := cluster.Programs(t.Context(), "../../.tools")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(programs, "psql")); err != nil {
		t.Skip("this copy of PostgreSQL comes without psql")
	}
	for _, row := range []struct {
		name    string
		trusted *x509.Certificate
		works   bool
	}{
		{"its authority", authority.certificate, true},
		{"another authority", stranger.certificate, false},
	} {
		settings := db.Settings
		settings.Servers = append(local(1), settings.Servers...)
		settings.TLSMode, settings.CA = environment.VerifyFull, []*x509.Certificate{row.trusted}
		settings.Writable = true
		variables, err := database.LibpqEnvironment(settings, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		psql := exec.CommandContext(t.Context(), filepath.Join(programs, "psql"), "--no-psqlrc", "-Atc",
			"SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
		psql.Env, psql.Dir = variables, os.TempDir()
		output, err := psql.CombinedOutput()
		if encrypted := bytes.Equal(output, []byte("t\n")); encrypted != row.works || (err == nil) != row.works {
			t.Errorf("psql that trusts %s: %q, %v; want an encrypted session %v", row.name,
				strings.TrimSpace(string(output)), err, row.works)
		}
	}
}
