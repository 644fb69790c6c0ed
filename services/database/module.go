package database

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/environment"
)

const moduleMessageBytes = 1<<20 + 64<<10 // a row of 1 MiB and its framing

// ModuleRole is the database role with which one module uses its own schema. Role is empty where the platform
// may not create roles, which only development allows; the module then uses Core's user.
type ModuleRole struct {
	ModuleID string
	Schema   string
	Role     string
	Password environment.Secret
}

const selectModuleRoles = `
SELECT module_id, schema_name, coalesce(role_name, ''), coalesce(password, '')
FROM core.module_database_role`

// ModuleRoles reads the roles that migrations:apply made, by module id. Its error is ErrUnreachable.
func (d *Database) ModuleRoles(ctx context.Context) (map[string]ModuleRole, error) {
	rows, err := d.core.Query(ctx, selectModuleRoles, pgx.QueryExecModeExec)
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

// OpenModule makes a module's pool of at most 4 connections, and none while the module is idle. The first
// connection is the module's own. All modules together hold at most 24, or what SERVICE_DATABASE_CONNECTIONS
// leaves them, or one each when there are more modules. The Database closes the pool when it stops; it may be
// closed earlier. The error is ErrClosed or ErrUnreachable.
func (d *Database) OpenModule(role ModuleRole) (*ModulePool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return nil, ErrClosed
	}
	session := moduleSettings(role)
	pool, err := newModulePool(d.moduleConfig(role, session), session, d.settings.Pooled, d.modules)
	if err != nil {
		return nil, fail(ErrUnreachable, err)
	}
	d.pools = append(d.pools, pool)
	d.modules.add(pool)
	return pool, nil
}

// moduleConfig returns the configuration of a module's sessions. Their settings are set in each session,
// because the module can change the stored settings of its role. Three rules bound the memory
// that a module's database can take in the host: a message longer than the limit of a row ends the connection
// before it is read, notifications are dropped, and kept statements are few, short and counted (statements).
func (d *Database) moduleConfig(role ModuleRole, session sessionSettings) *pgx.ConnConfig {
	conn := d.config(session)
	if role.Role != "" {
		conn.User, conn.Password = role.Role, role.Password.Reveal()
	}
	conn.RuntimeParams["application_name"] = moduleApplication(role)
	conn.MaxProtocolMessageBodyLen = moduleMessageBytes
	conn.OnNotification = func(*pgconn.PgConn, *pgconn.Notification) {}
	conn.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	if d.settings.Pooled {
		conn.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	conn.StatementCacheCapacity, conn.DescriptionCacheCapacity = 0, 0
	conn.DialFunc = d.watch(conn.DialFunc)
	return conn
}

// poolConfig returns the settings that all pools share.
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
