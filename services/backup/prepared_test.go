package backup_test

import (
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
