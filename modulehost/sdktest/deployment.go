package sdktest

import (
	"fmt"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// database sets config to a new database with the module's migrations, reached with the module's own role.
func (m *Module) database(sources *catalog.Module, config *facade.Config) {
	m.tb.Helper()
	if m.manifest.Database == nil {
		return
	}
	line := migrations.Line{ID: m.manifest.ID}
	for _, file := range sources.Migrations {
		line.Files = append(line.Files, migrations.File{Version: file.Version, Name: file.Name, SQL: file.SQL})
	}
	db := databasetest.New(m.tb)
	m.db = db
	_, err := migrations.Apply(m.tb.Context(), migrations.Options{
		Connect: database.Config(db.Settings),
		Modules: []migrations.Line{line},
	})
	if err != nil {
		m.tb.Fatal("sdktest: ", explainDatabaseError(err))
	}
	roles, err := db.Database(m.tb).ModuleRoles(m.tb.Context())
	if err != nil {
		m.tb.Fatal("sdktest: ", err)
	}
	m.role = roles[m.manifest.ID].Role
	if config.Pool, err = db.Database(m.tb).OpenModule(roles[m.manifest.ID]); err != nil {
		m.tb.Fatal("sdktest: ", err)
	}
}

// explainDatabaseError adds the causes that coded errors do not print, because an author needs PostgreSQL's
// message about a migration.
func explainDatabaseError(err error) error {
	text := err.Error()
	for {
		switch e := err.(type) {
		case interface{ Unwrap() []error }:
			causes := e.Unwrap()
			err = causes[len(causes)-1]
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		default:
			return fmt.Errorf("%s (%w)", text, err)
		}
	}
}

// settings returns the module's configuration as the platform would have stored it.
func (m *Module) settings(given map[string]any) []*abi.Setting {
	m.tb.Helper()
	snapshot := make(map[string]any)
	for _, declared := range m.manifest.Configuration {
		value, found := given[declared.Key]
		if number, whole := value.(int); whole {
			value = int64(number)
		}
		switch {
		case declared.Type == manifest.TypeSecret:
			continue
		case found && !declared.Accepts(value):
			m.tb.Fatalf("sdktest: the manifest does not accept %v for the configuration key %s", value, declared.Key)
		case found:
			snapshot[declared.Key] = value
		case declared.Default != nil:
			snapshot[declared.Key] = declared.Default
		case declared.Required:
			m.tb.Fatalf("sdktest: the configuration key %s is required; set it in Options.Configuration", declared.Key)
		}
	}
	m.declared("Options.Configuration", keys(given), false)
	return facade.Settings(m.manifest.Configuration, snapshot)
}

func (m *Module) secrets(given map[string]string) map[string]string {
	m.tb.Helper()
	m.declared("Options.Secrets", keys(given), true)
	for _, declared := range m.manifest.Configuration {
		if _, found := given[declared.Key]; declared.Type == manifest.TypeSecret && declared.Required && !found {
			m.tb.Fatalf("sdktest: the secret %s is required; set it in Options.Secrets", declared.Key)
		}
	}
	return given
}

// declared fails the test for a key that the manifest does not declare, because a misspelled key would prove
// nothing.
func (m *Module) declared(where string, given []string, secret bool) {
	m.tb.Helper()
	for _, key := range given {
		found := false
		for _, d := range m.manifest.Configuration {
			found = found || d.Key == key && (d.Type == manifest.TypeSecret) == secret
		}
		if !found {
			m.tb.Fatalf("sdktest: %s has %s, which the manifest does not declare as one", where, key)
		}
	}
}

func keys[V any](values map[string]V) []string {
	var keys []string
	for key := range values {
		keys = append(keys, key)
	}
	return keys
}
