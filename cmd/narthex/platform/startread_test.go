package platform

import (
	"reflect"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/house"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

// opened returns a server after its second step, on the database.
func opened(t *testing.T, db *databasetest.DB) *Server {
	t.Helper()
	s := NewServer(environment.Settings{}, Secrets{}, zap.NewNop())
	s.catalog, s.database = &catalog.Catalog{}, db.Database(t)
	s.house = house.New(house.NewStore(s.database.Pool()), s.log)
	s.resolver = NewResolver(s.catalog, s.database, s.Settings, s.secrets)
	return s
}

// What is read at once equals what is read one after the other.
func TestStartReadsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	db.Exec(t, `
		UPDATE core.house SET name = 'St Anne', accent = 'teal';
		INSERT INTO core.module_enablement (module_id, enabled) VALUES ('rota', true), ('stage', false);
		INSERT INTO core.module_configuration_document (module_id) VALUES ('rota'), ('stage');
		INSERT INTO core.module_configuration (module_id, key, value) VALUES ('rota', 'weeks', '4');
		INSERT INTO core.module_database_role (module_id, schema_name, role_name, password)
		VALUES ('rota', 'module_rota', 'module_rota_x', 'secret')`)
	s := opened(t, db)
	found, err := s.checkDatabase(t.Context())
	if err != nil || found == nil {
		t.Fatalf("checkDatabase: %+v, error %v, want everything read", found, err)
	}
	single, err := s.readStored(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(found.decisions, single.decisions) || len(found.decisions) != 2 ||
		!reflect.DeepEqual(found.documents, single.documents) || len(found.documents) != 2 {
		t.Errorf("at once %+v and %+v, one after the other %+v and %+v, want the same", found.decisions,
			found.documents, single.decisions, single.documents)
	}
	role := found.roles["rota"]
	if len(found.roles) != 1 || role.Schema != "module_rota" || role.Role != "module_rota_x" ||
		role.Password.Reveal() != "secret" {
		t.Errorf("roles %+v, want rota's", found.roles)
	}
	if shown := s.house.Current(); *shown.Name != "St Anne" || shown.Accent != "teal" {
		t.Errorf("the house is %+v, want the stored one", shown)
	}
}

// A table that cannot be read with the others is left to its own read, which returns the error.
func TestStartReadsAloneWhatFails(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	s := opened(t, db)
	db.Exec(t, `ALTER TABLE core.module_enablement RENAME TO lost`)
	if found, err := s.checkDatabase(t.Context()); found != nil || err != nil {
		t.Errorf("checkDatabase: %+v, error %v, want nothing read and no error", found, err)
	}
	if _, err := s.readStored(t.Context()); err == nil {
		t.Error("readStored without the table: no error")
	}
	db.Exec(t, `CREATE SCHEMA narthex_restore`)
	found, err := s.checkDatabase(t.Context())
	if want := migrations.ErrRestoreUnfinished; found != nil || err != want {
		t.Errorf("checkDatabase during a restore: %+v, error %v, want %v", found, err, want)
	}
}
