package migrations

import (
	"context"
	"crypto/rand"
	"errors"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
)

var moduleID = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// role is a row of core.module_database_role. Without a name the module uses Core's user.
type role struct {
	moduleID string
	schema   string
	name     string
	password string
}

// Schema is the schema of a module's tables: module_seat_plan for seat-plan.
func Schema(moduleID string) string { return "module_" + strings.ReplaceAll(moduleID, "-", "_") }

// newRole chooses a name that no other database of the server uses: roles belong to the whole server, which
// several installations may share. PostgreSQL truncates names to 63 bytes, so a long id is shortened first.
func newRole(prefix, id string) role {
	name := prefix + Schema(id)
	name = name[:min(len(name), 50)] + "_" + strings.ToLower(rand.Text()[:12])
	return role{moduleID: id, schema: Schema(id), name: name, password: rand.Text()}
}

func readRole(ctx context.Context, tx pgx.Tx, id string) (found role, exists bool, err error) {
	found.moduleID = id
	err = tx.QueryRow(ctx, `
		SELECT schema_name, coalesce(role_name, ''), coalesce(password, '')
		FROM core.module_database_role
		WHERE module_id = $1`, id).Scan(&found.schema, &found.name, &found.password)
	if errors.Is(err, pgx.ErrNoRows) {
		return role{}, false, nil
	}
	return found, err == nil, err
}

func (r role) write(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO core.module_database_role (module_id, schema_name, role_name, password)
		VALUES ($1, $2, nullif($3, ''), nullif($4, ''))
		ON CONFLICT (module_id) DO UPDATE
		SET schema_name = excluded.schema_name, role_name = excluded.role_name, password = excluded.password`,
		r.moduleID, r.schema, r.name, r.password)
	return err
}

// databaseState is the current state of the database that concerns a role.
type databaseState struct {
	CurrentUser   string
	Database      string
	MayCreate     bool // the user may create roles
	OwnsDatabase  bool // the user may change who may connect, and the rights of PUBLIC
	RoleExists    bool
	SchemaOwner   string // "": there is no schema
	Member        bool   // the user is a member of the role, which is needed to create a schema for it
	Connects      bool   // the role may connect
	OpenDatabase  bool   // PUBLIC has rights on the database
	OpenPublic    bool   // PUBLIC has rights on schema public
	OpenCore      bool   // PUBLIC has rights on schema core
	OwnsPublic    bool
	SuperuserRole bool     // the role has privileges that it must not have
	Settings      []string // the role's settings, as name=value
	SettingsIn    []string // the databases for which it has other settings
}

func (r role) look(ctx context.Context, tx pgx.Tx) (databaseState, error) {
	rows, err := tx.Query(ctx, `
		WITH me AS (SELECT * FROM pg_roles WHERE rolname = current_user),
		     it AS (SELECT * FROM pg_roles WHERE rolname = $1),
		     db AS (SELECT * FROM pg_database WHERE datname = current_database()),
		     open_schemas AS (
		         SELECT nspname
		         FROM pg_namespace, aclexplode(coalesce(nspacl, acldefault('n', nspowner)))
		         WHERE nspname IN ('public', 'core') AND grantee = 0)
		SELECT current_user::text AS current_user,
		       current_database()::text AS database,
		       me.rolsuper OR me.rolcreaterole AS may_create,
		       pg_has_role(db.datdba, 'USAGE') AS owns_database,
		       it.oid IS NOT NULL AS role_exists,
		       coalesce((SELECT pg_get_userbyid(nspowner)::text FROM pg_namespace
		                 WHERE nspname = $2), '') AS schema_owner,
		       me.rolsuper OR coalesce(pg_has_role(it.oid, 'USAGE'), false)
		           OR coalesce(pg_has_role(it.oid, 'MEMBER'), false)
		               AND to_regnamespace(quote_ident($2)) IS NOT NULL AS member,
		       coalesce(has_database_privilege(it.oid, db.oid, 'CONNECT'), false) AS connects,
		       EXISTS (SELECT FROM aclexplode(coalesce(db.datacl, acldefault('d', db.datdba)))
		               WHERE grantee = 0) AS open_database,
		       EXISTS (SELECT FROM open_schemas WHERE nspname = 'public') AS open_public,
		       EXISTS (SELECT FROM open_schemas WHERE nspname = 'core') AS open_core,
		       coalesce((SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace
		                 WHERE nspname = 'public'), false) AS owns_public,
		       coalesce(it.rolsuper OR it.rolcreaterole OR it.rolcreatedb
		           OR it.rolreplication OR it.rolbypassrls, false) AS superuser_role,
		       ARRAY(SELECT unnest(setconfig) FROM pg_db_role_setting
		             WHERE setrole = it.oid AND setdatabase = 0) AS settings,
		       ARRAY(SELECT datname::text FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase
		             WHERE setrole = it.oid ORDER BY 1) AS settings_in
		FROM db, me LEFT JOIN it ON true`, r.name, r.schema)
	if err != nil {
		return databaseState{}, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[databaseState])
}
