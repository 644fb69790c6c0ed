package migrations

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// statements are what is still to be done before the role can own its schema and reach nothing else. The migrator runs them itself
// where it may; else an administrator gets them to run, in this order, connected to this database. Passwords are in none of them.
func (r role) statements(s surroundings) ([]string, error) {
	name, schema := quote(r.name), quote(r.schema)
	user, database := quote(s.CurrentUser), quote(s.Database)
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if !s.RoleExists {
		secret, err := verifier(r.password)
		if err != nil {
			return nil, err
		}
		add("CREATE ROLE %s LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS PASSWORD '%s'", name, secret)
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
		// Who makes a schema for a role must be able to act for it. The membership stays: with it Core's user can back up the module's
		// tables. It gives the module's role nothing.
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

// newPassword repairs a role whose password is not the recorded one: a role may change its own.
func (r role) newPassword() (string, error) {
	secret, err := verifier(r.password)
	return fmt.Sprintf("ALTER ROLE %s PASSWORD '%s'", quote(r.name), secret), err
}

// settings are the role's own, as PostgreSQL keeps them. The platform's connections bring theirs; these are for who connects by hand.
func (r role) settings() []string {
	return []string{"search_path=" + r.schema, "statement_timeout=30s", "idle_in_transaction_session_timeout=60s"}
}

// changed tells whether the role has other settings than it was made with: a role may change its own.
func (r role) changed(s surroundings) bool {
	found, made := slices.Sorted(slices.Values(s.Settings)), slices.Sorted(slices.Values(r.settings()))
	return len(s.SettingsIn) > 0 || !slices.Equal(found, made)
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// RoleUnavailable is the error of modules whose database role the platform may not make.
type RoleUnavailable struct {
	Modules    []string
	statements []string
}

// Error prints the code and the modules; the statements are asked for, because they do not fit a line.
func (e *RoleUnavailable) Error() string {
	text := ErrRoleUnavailable.Error()
	if len(e.statements) == 0 {
		text = ErrRoleUnavailable.Code() + ": In this database the modules' tables belong to the platform's own user, which only " +
			"development allows; use another database in production."
	}
	return text + " (" + strings.Join(e.Modules, ", ") + ")"
}

// Code returns ErrRoleUnavailable's.
func (e *RoleUnavailable) Code() string { return ErrRoleUnavailable.Code() }

// Unwrap makes errors.Is find ErrRoleUnavailable.
func (e *RoleUnavailable) Unwrap() error { return ErrRoleUnavailable }

// Statements returns the SQL, one statement each and without a semicolon, that an administrator runs in this database to remedy err;
// nil for any other error. Passwords appear as SCRAM verifiers only.
func Statements(err error) []string {
	var unavailable *RoleUnavailable
	if errors.As(err, &unavailable) {
		return unavailable.statements
	}
	return nil
}
