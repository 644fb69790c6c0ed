package migrations

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Account is the database user with which a module's schema is accessed.
type Account struct {
	ModuleID string
	Schema   string
	// Role is the module's own role; "": the module uses Core's user.
	Role string
	// Connect is the configuration of a connection with the role's name and password.
	Connect *pgx.ConnConfig
}

// Accounts returns the accounts of all modules that have a schema, installed or not, ordered by id.
func Accounts(ctx context.Context, q Querier, connect *pgx.ConnConfig) ([]Account, error) {
	rows, err := q.Query(ctx, `
		SELECT module_id, schema_name, coalesce(role_name, ''), coalesce(password, '')
		FROM core.module_database_role
		WHERE to_regnamespace(quote_ident(schema_name)) IS NOT NULL
		ORDER BY module_id`)
	if err != nil {
		return nil, coded(CoreLine, err)
	}
	var accounts []Account
	var r role
	_, err = pgx.ForEachRow(rows, []any{&r.moduleID, &r.schema, &r.name, &r.password}, func() error {
		accounts = append(accounts, r.account(connect))
		return nil
	})
	return accounts, coded(CoreLine, err)
}

// Provision creates a role and an empty schema for each of the modules, and returns their accounts. It
// changes nothing else in the database. Errors: Apply's.
func Provision(ctx context.Context, options Options) (accounts []Account, err error) {
	m := migrator{options: options, changes: changes{}}
	if err := validate(options.Modules); err != nil {
		return nil, err
	}
	if m.conn, err = pgx.ConnectConfig(ctx, options.Connect); err != nil {
		return nil, noSession(err)
	}
	defer closeConn(m.conn)
	defer m.closeHome()
	if err := m.provision(ctx); err != nil {
		return nil, err
	}
	for _, r := range m.roles {
		accounts = append(accounts, r.account(options.Connect))
	}
	return accounts, nil
}

func (r role) account(connect *pgx.ConnConfig) Account {
	return Account{ModuleID: r.moduleID, Schema: r.schema, Role: r.name, Connect: r.connect(connect.Copy())}
}

// Connect opens a session without a statement timeout. Its error is ErrUnreachable.
func Connect(ctx context.Context, connect *pgx.ConnConfig) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, setting(connect, "SET statement_timeout = 0"))
	if err != nil {
		return nil, noSession(err)
	}
	return conn, nil
}

// Present reports ErrSchemaMissing for a database that was never migrated.
func Present(ctx context.Context, q Querier) error {
	exists, err := ledgerExists(ctx, q)
	if err == nil && !exists {
		return ErrSchemaMissing
	}
	return coded(CoreLine, err)
}
