package database

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/environment"
)

const (
	connsPerModule        = 4                // contract.md §7
	moduleIdleTime        = 30 * time.Second // a module at rest holds no connection
	moduleStatementLimit  = 30 * time.Second
	moduleIdleTransaction = 60 * time.Second
)

// ModuleRole is how one module reaches its own schema. Role is empty where the platform may not create roles, which only
// development allows: the module then works under Core's user.
type ModuleRole struct {
	ModuleID string
	Schema   string
	Role     string
	Password environment.Secret
}

// ModuleRoles reads the roles that migrations:apply made, by module id. Its error is ErrUnreachable.
func (d *Database) ModuleRoles(ctx context.Context) (map[string]ModuleRole, error) {
	rows, err := d.core.Query(ctx, `
		SELECT module_id, schema_name, coalesce(role_name, ''), coalesce(password, '')
		FROM core.module_database_role`)
	if err != nil {
		return nil, fail(ErrUnreachable, err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (ModuleRole, error) {
		var role ModuleRole
		var password string
		err := row.Scan(&role.ModuleID, &role.Schema, &role.Role, &password)
		role.Password = environment.NewSecret(password)
		return role, err
	})
	if err != nil {
		return nil, fail(ErrUnreachable, err)
	}
	roles := make(map[string]ModuleRole, len(list))
	for _, role := range list {
		roles[role.ModuleID] = role
	}
	return roles, nil
}

// OpenModule makes a module's pool: at most 4 connections, none while it is idle, all modules together at most 24; whoever waits
// longer than its context gets that context's error. The Database closes the pool when it stops; closing it earlier is fine. The
// error is ErrClosed.
func (d *Database) OpenModule(role ModuleRole) (*pgxpool.Pool, error) {
	config := poolConfig(Config(d.settings))
	config.MaxConns = connsPerModule
	config.MaxConnIdleTime = moduleIdleTime
	config.HealthCheckPeriod = moduleIdleTime / 2
	conn := config.ConnConfig
	conn.RuntimeParams["application_name"] = "narthex " + role.ModuleID
	if role.Role != "" {
		conn.User, conn.Password = role.Role, role.Password.Reveal()
		delete(conn.RuntimeParams, "statement_timeout") // the role brings its settings: search_path and the timeouts
	} else {
		conn.RuntimeParams["search_path"] = pgx.Identifier{role.Schema}.Sanitize()
		conn.RuntimeParams["statement_timeout"] = milliseconds(moduleStatementLimit)
		conn.RuntimeParams["idle_in_transaction_session_timeout"] = milliseconds(moduleIdleTransaction)
	}
	conn.DialFunc = d.sockets.watch(d.modules.limit(conn.DialFunc, d.closeIdleModuleConns))

	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return nil, ErrClosed
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, fail(ErrUnreachable, err)
	}
	d.pools = append(d.pools, pool)
	return pool, nil
}

// closeIdleModuleConns makes room in the budget.
func (d *Database) closeIdleModuleConns() {
	d.mu.Lock()
	pools := slices.Clone(d.pools)
	d.mu.Unlock()
	for _, pool := range pools {
		for _, conn := range pool.AcquireAllIdle(context.Background()) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_ = conn.Conn().Close(ctx)
			cancel()
			conn.Release()
		}
	}
}

// poolConfig is what all pools have in common.
func poolConfig(conn *pgx.ConnConfig) *pgxpool.Config {
	config := parseNeutral()
	config.ConnConfig = conn
	config.MinConns, config.MinIdleConns = 0, 0
	config.MaxConnLifetime = time.Hour
	config.MaxConnLifetimeJitter = 10 * time.Minute
	config.HealthCheckPeriod = 30 * time.Second
	config.PingTimeout = 2 * time.Second
	return config
}
