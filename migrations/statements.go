package migrations

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// statements returns the SQL after which the role owns its schema and has access to nothing else. The
// migrator runs the statements itself if it may. Otherwise an administrator runs them in this order,
// connected to this database. They contain no password.
func (r role) statements(s databaseState) ([]string, error) {
	name, schema := quote(r.name), quote(r.schema)
	user, database := quote(s.CurrentUser), quote(s.Database)
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if !s.RoleExists {
		secret, err := verifier(r.password)
		if err != nil {
			return nil, err
		}
		add("CREATE ROLE %s LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS "+
			"PASSWORD '%s'", name, secret)
	}
	if !s.RoleExists || r.changed(s) {
		if s.RoleExists {
			add("ALTER ROLE %s RESET ALL", name)
		}
		for _, other := range s.SettingsIn {
			add("ALTER ROLE %s IN DATABASE %s RESET ALL", name, quote(other))
		}
		for _, setting := range r.settings() {
			key, value, _ := strings.Cut(setting, "=")
			add("ALTER ROLE %s SET %s = '%s'", name, key, value)
		}
	}
	if !s.Member {
		// The user that creates a schema for a role must be a member of the role. The membership stays, because
		// Core's user needs it to back up the module's tables. It gives the module's role no rights.
		add("GRANT %s TO %s", name, user)
	}
	if s.SchemaOwner == "" {
		add("CREATE SCHEMA %s AUTHORIZATION %s", schema, name)
	}
	if !s.Connects && (s.OwnsDatabase || !s.OpenDatabase) || s.OpenDatabase && s.OwnsDatabase {
		add("GRANT CONNECT ON DATABASE %s TO %s, %s", database, user, name)
	}
	if s.OpenDatabase && s.OwnsDatabase {
		add("REVOKE ALL ON DATABASE %s FROM PUBLIC", database)
	}
	if s.OpenPublic && s.OwnsPublic {
		add("REVOKE ALL ON SCHEMA public FROM PUBLIC")
	}
	if s.OpenCore {
		add("REVOKE ALL ON SCHEMA core FROM PUBLIC")
	}
	return list, nil
}

// newPassword returns the statement that sets the recorded password again: a role may change its own.
func (r role) newPassword() (string, error) {
	secret, err := verifier(r.password)
	return fmt.Sprintf("ALTER ROLE %s PASSWORD '%s'", quote(r.name), secret), err
}

// settings returns the settings of the role, in the format of pg_db_role_setting. The platform's connections
// set their own; these are for people who connect as the role.
func (r role) settings() []string {
	return []string{"search_path=" + r.schema, "statement_timeout=30s",
		"idle_in_transaction_session_timeout=60s"}
}

// changed reports whether the role's settings differ from those that it was created with, because a role may
// change its own settings.
func (r role) changed(s databaseState) bool {
	found, made := slices.Sorted(slices.Values(s.Settings)), slices.Sorted(slices.Values(r.settings()))
	return len(s.SettingsIn) > 0 || !slices.Equal(found, made)
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// RoleUnavailable is the error of modules whose database role the platform may not create.
type RoleUnavailable struct {
	Modules    []string
	statements []string
}

// Error returns the code and the modules. It does not contain the statements, because they do not fit into
// one line.
func (e *RoleUnavailable) Error() string {
	text := ErrRoleUnavailable.Error()
	if len(e.statements) == 0 {
		text = ErrRoleUnavailable.Code() +
			": In this database the modules' tables belong to the platform's own user, which only " +
			"development allows; use another database in production."
	}
	return text + " (" + strings.Join(e.Modules, ", ") + ")"
}

// Code returns the code of ErrRoleUnavailable.
func (e *RoleUnavailable) Code() string { return ErrRoleUnavailable.Code() }

// Unwrap makes errors.Is find ErrRoleUnavailable.
func (e *RoleUnavailable) Unwrap() error { return ErrRoleUnavailable }

// Statements returns the SQL that an administrator runs in this database to remedy err, one statement each
// and without a semicolon; nil for any other error. Passwords appear only as SCRAM verifiers.
func Statements(err error) []string {
	var unavailable *RoleUnavailable
	if errors.As(err, &unavailable) {
		return unavailable.statements
	}
	return nil
}
