package database_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
)

func settings(mode environment.TLSMode) environment.Database {
	return environment.Database{
		Servers: []environment.DatabaseServer{{Host: "db.example.org", Port: 6432}},
		User:    "core", Password: environment.NewSecret("pass"), Name: "narthex", TLSMode: mode,
	}
}

func TestConfigIsBuiltFromItsPartsAlone(t *testing.T) {
	plain := database.Config(settings(environment.VerifyFull))
	for name, value := range map[string]string{
		"PGHOST": "elsewhere,another", "PGPORT": "1,2,3", "PGUSER": "mallory", "PGPASSWORD": "other",
		"PGDATABASE": "other",
		"PGPASSFILE": "/nowhere", "PGAPPNAME": "other", "PGCONNECT_TIMEOUT": "never", "PGSSLMODE": "disable",
		"PGSSLKEY":  "/nowhere",
		"PGSSLCERT": "/nowhere", "PGSSLCERTMODE": "", "PGSSLSNI": "0", "PGSSLROOTCERT": "/nowhere",
		"PGSSLPASSWORD":    "x",
		"PGSSLNEGOTIATION": "direct", "PGTARGETSESSIONATTRS": "standby", "PGSERVICE": "missing",
		"PGSERVICEFILE": "/nowhere",
		"PGTZ":          "Mars/Olympus", "PGOPTIONS": "-c search_path=evil", "PGMINPROTOCOLVERSION": "9.9",
		"PGMAXPROTOCOLVERSION": "9.9",
		"PGCHANNELBINDING":     "bogus", "PGREQUIREAUTH": "bogus", "PGGSSENCMODE": "require",
	} {
		t.Setenv(name, value)
	}
	influenced := database.Config(settings(environment.VerifyFull))
	if before, after := facts(plain), facts(influenced); !reflect.DeepEqual(before, after) {
		t.Errorf("PG* variables changed\n%v\nto\n%v", before, after)
	}
	if influenced.Host != "db.example.org" || influenced.Port != 6432 || influenced.User != "core" ||
		influenced.Password != "pass" ||
		influenced.Database != "narthex" || len(influenced.Fallbacks) != 0 {
		t.Error("the parts are not what is connected to")
	}
}

// facts returns all comparable fields of a configuration.
func facts(config *pgx.ConnConfig) map[string]any {
	found := make(map[string]any)
	value := reflect.ValueOf(config.Config)
	for i := range value.NumField() {
		if field := value.Type().Field(i); field.IsExported() && field.Type.Kind() != reflect.Func &&
			field.Name != "TLSConfig" {
			found[field.Name] = value.Field(i).Interface()
		}
	}
	found["TLS"] = config.TLSConfig != nil && config.TLSConfig.ServerName == config.Host &&
		!config.TLSConfig.InsecureSkipVerify
	return found
}

func TestEachServerIsVerifiedUnderItsOwnName(t *testing.T) {
	several := settings(environment.VerifyFull)
	several.Servers = append(several.Servers, environment.DatabaseServer{Host: "second.example.org", Port: 7432},
		environment.DatabaseServer{Host: "192.0.2.3", Port: 5432})
	several.Writable = true
	config := database.Config(several)
	if config.Host != "db.example.org" || config.Port != 6432 || len(config.Fallbacks) != 2 ||
		config.ValidateConnect == nil {
		t.Fatalf("three servers: first %s:%d, %d others, want db.example.org:6432, 2 others and a check that "+
			"each accepts writes", config.Host, config.Port, len(config.Fallbacks))
	}
	for i, fallback := range config.Fallbacks {
		want := several.Servers[i+1]
		if fallback.Host != want.Host || fallback.Port != want.Port || fallback.TLSConfig == nil ||
			fallback.TLSConfig.ServerName != want.Host || config.TLSConfig.ServerName != config.Host ||
			fallback.TLSConfig.InsecureSkipVerify ||
			fallback.TLSConfig.MinVersion != config.TLSConfig.MinVersion {
			t.Errorf("server %d: %s:%d with TLS %+v, want %+v verified under its own name", i+1, fallback.Host,
				fallback.Port, fallback.TLSConfig, want)
		}
	}
	several.TLSMode = environment.DisableTLS
	if config := database.Config(several); config.TLSConfig != nil || config.Fallbacks[0].TLSConfig != nil ||
		config.Fallbacks[1].TLSConfig != nil {
		t.Error("disable must not speak TLS with any server")
	}
}

func TestConfigDefaults(t *testing.T) {
	config := database.Config(settings(environment.DisableTLS))
	if config.TLSConfig != nil {
		t.Error("disable must not speak TLS")
	}
	if config.ConnectTimeout != 5*time.Second {
		t.Errorf("connect timeout %v, want 5s", config.ConnectTimeout)
	}
	want := map[string]string{"application_name": "narthex", "timezone": "UTC", "client_encoding": "UTF8"}
	if !reflect.DeepEqual(config.RuntimeParams, want) {
		t.Errorf("runtime parameters %v, want %v", config.RuntimeParams, want)
	}
	named := settings(environment.DisableTLS)
	named.ApplicationName, named.ConnectTimeout = "backup", time.Second
	if config := database.Config(named); config.RuntimeParams["application_name"] != "backup" ||
		config.ConnectTimeout != time.Second {
		t.Error("application_name and connect_timeout of the URL are not used")
	}
}

func TestSessionSettingsReachTheServer(t *testing.T) {
	t.Parallel()
	pool := databasetest.Empty(t).Pool(t)
	for name, want := range map[string]string{"statement_timeout": "29s", "TimeZone": "UTC",
		"application_name": "narthex", "idle_in_transaction_session_timeout": "1500ms"} {
		var got string
		err := pool.QueryRow(t.Context(), `SELECT current_setting($1)`, name).Scan(&got)
		if err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", name, got, err, want)
		}
	}
}
