package e2e

import (
	"bytes"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/dev"
	"github.com/narthex-platform/narthex/cmd/narthex/doctor"
	"github.com/narthex-platform/narthex/cmd/narthex/operator"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
)

// usePlainUser gives the installation a database user that owns the database but may not create roles.
func (i *installation) usePlainUser(t *testing.T) {
	t.Helper()
	address, err := url.Parse(i.environment["DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	name := i.db.Settings.Name
	user := "plain_" + name
	i.db.Exec(t, `CREATE ROLE `+user+` LOGIN PASSWORD 'plain'`)
	i.db.Exec(t, `ALTER DATABASE `+name+` OWNER TO `+user)
	address.User = url.UserPassword(user, "plain")
	i.environment["DATABASE_URL"] = address.String()
}

// productionSettings returns the installation's settings as in production, except for TLS, which this
// PostgreSQL does not have.
func (i *installation) productionSettings(t *testing.T) environment.Settings {
	t.Helper()
	settings, err := environment.Load(dev.LookupIn(i.environment), operator.SchemaSections)
	if err != nil {
		t.Fatal(err)
	}
	settings.Production = true
	return settings
}

// TestAdministratorsSQL passes to psql what migrations:apply prints if the platform may not create roles.
// Doctor has predicted it.
func TestAdministratorsSQL(t *testing.T) {
	t.Parallel()
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("there is no psql on this machine")
	}
	i := prepare(t, databasetest.Empty(t), "announcements", "board")
	i.usePlainUser(t)
	examined := runCommand(t, i.environment, "", "doctor")
	const foreseen = "warning   MODULE_DATABASE_ROLE_UNAVAILABLE: The database user may not create roles, so " +
		"after migrations:apply announcements"
	if examined.awaitExit(t) != cli.ExitFailure ||
		!strings.Contains(examined.stdout.String(), "SCHEMA_MISSING") ||
		!strings.Contains(examined.stdout.String(), foreseen) {
		t.Errorf("doctor on an empty database: exit %d, want %d and %q\n%s", examined.awaitExit(t), cli.ExitFailure,
			foreseen, examined.stdout.String())
	}

	settings := i.productionSettings(t)
	installed, err := platform.InstalledModules(settings)
	if err != nil {
		t.Fatal(err)
	}
	apply := func() (sql string, err error) {
		var stdout bytes.Buffer
		p := cli.Program{Stdout: &stdout}
		err = operator.Apply(t.Context(), &p, settings, installed, false)
		return stdout.String(), err
	}
	sql, err := apply()
	if codes := platform.FailureCodes(err); !slices.Equal(codes, []string{"MODULE_DATABASE_ROLE_UNAVAILABLE"}) {
		t.Fatalf("migrations:apply as a plain user: %v, want MODULE_DATABASE_ROLE_UNAVAILABLE", err)
	}
	e := &doctor.Examination{Settings: settings, Installed: installed, Sound: environment.DatabaseSection}
	e.Store(t.Context())
	if got := e.Findings[len(e.Findings)-1]; got.Level != doctor.LevelBlocking ||
		got.Code != "MODULE_DATABASE_ROLE_UNAVAILABLE" {
		t.Errorf("doctor in production, after Core's migrations: %+v", e.Findings)
	}

	command := exec.CommandContext(t.Context(), psql, "-X", "-v", "ON_ERROR_STOP=1", "-d", i.db.URL, "-f",
		"-") // as the administrator
	command.Stdin = strings.NewReader(sql)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("psql: %v\n%s\nfed with\n%s", err, output, sql)
	}
	if sql, err := apply(); err != nil || strings.Contains(sql, "CREATE ROLE") {
		t.Errorf("migrations:apply after psql: %v, printed\n%s", err, sql)
	}
}
