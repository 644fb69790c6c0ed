package backup_test

import (
	"errors"
	"os"
	"testing"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/backup"
)

// TestVerifyWithoutCreaterole: the functions of a prepared database make the roles of the scratch database,
// and drop them.
func TestVerifyWithoutCreaterole(t *testing.T) {
	t.Parallel()
	p := empty(t)
	user := "keeper_" + p.Settings.Name
	p.Exec(t, `CREATE ROLE `+user+` LOGIN CREATEDB PASSWORD 'keeper'`)
	p.Exec(t, `ALTER DATABASE `+p.Settings.Name+` OWNER TO `+user)
	text, err := os.ReadFile("../../deploy/postgresql/roles.sql")
	if err != nil {
		t.Fatal(err)
	}
	p.Exec(t, string(text))
	p.Connect.User, p.Connect.Password = user, "keeper"
	lines := []migrations.Line{choir, {ID: "band"}, {ID: "lights"}}
	options := migrations.Options{Connect: p.Connect, Modules: lines}
	if _, err := migrations.Apply(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	path, _ := p.create(backup.CreateOptions{})
	if _, err := backup.Verify(t.Context(), p.Installation, path, "", lines); err != nil {
		t.Errorf("verify: %v: %v", err, causes(err))
	}
	if left := p.trials(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestRestoreWithoutRights: a restore with a user who can make no roles says which right is missing.
func TestRestoreWithoutRights(t *testing.T) {
	t.Parallel()
	from, into := empty(t), empty(t)
	if _, err := migrations.Apply(t.Context(),
		migrations.Options{Connect: from.Connect, Modules: []migrations.Line{choir}}); err != nil {
		t.Fatal(err)
	}
	path, _ := from.create(backup.CreateOptions{})
	user := "powerless_" + into.Settings.Name
	into.Exec(t, `CREATE ROLE `+user+` LOGIN CREATEDB PASSWORD 'keeper'`)
	into.Exec(t, `ALTER DATABASE `+into.Settings.Name+` OWNER TO `+user)
	into.Connect.User, into.Connect.Password = user, "keeper"
	_, err := backup.Restore(t.Context(), into.Installation, path, "", nil)
	if !errors.Is(err, migrations.ErrRoleUnavailable) || errors.Is(err, backup.ErrFailed) {
		t.Errorf("restore: %v: %v, want %v alone", err, causes(err), migrations.ErrRoleUnavailable)
	}
}
