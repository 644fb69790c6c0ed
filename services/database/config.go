package database

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	defaultConnectTimeout = 5 * time.Second
	// eachConnectTimeout is for each of several servers. A request waits for a connection for 5 s, which must be
	// enough to try the next server after one that does not respond.
	eachConnectTimeout = 2 * time.Second
)

// neutral sets every parameter that pgx would otherwise take from PG* variables, so that none of them has
// an effect. The values that a connection really uses are set field by field afterwards.
const neutral = "host=127.0.0.1 port=5432 user=nobody password=none dbname=none passfile='' " +
	"servicefile='' connect_timeout=5 " +
	"sslmode=disable sslkey='' sslcert='' sslcertmode=allow sslsni=1 sslrootcert='' sslpassword='' " +
	"sslnegotiation=postgres " +
	"target_session_attrs=any min_protocol_version=3.0 max_protocol_version=3.0 channel_binding=prefer " +
	"require_auth='' " +
	"application_name=narthex timezone=UTC options=''"

// Config returns the settings of one Core connection, made only from the given ones: PG* variables, service
// files and password files have no effect. The servers are tried in their order, each with the same
// transport: there is no fallback to plaintext. A session is refused in a database whose encoding is not UTF8
// and, where a server must accept writes, on another one, also by every copy of the configuration.
func Config(settings environment.Database) *pgx.ConnConfig {
	return configWith(settings, sessionSettings{statementTimeout(deadlines.Statement)})
}

// configWith returns Config with other settings of the session. A pooler knows only few parameters of a
// session's start and refuses all others, so they are set afterwards; behind a transaction pooler each
// transaction sets its own instead.
func configWith(settings environment.Database, session sessionSettings) *pgx.ConnConfig {
	config := parseNeutral().ConnConfig
	config.User, config.Password = settings.User, settings.Password.Reveal()
	config.Database = settings.Name
	setServers(&config.Config, settings)
	config.ValidateConnect = checkEncoding
	if settings.Writable {
		config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
			if err := checkEncoding(ctx, conn); err != nil {
				return err
			}
			return pgconn.ValidateConnectTargetSessionAttrsReadWrite(ctx, conn)
		}
	}
	config.ConnectTimeout = connectTimeout(settings)
	config.DialFunc = dialer(config.ConnectTimeout).DialContext
	config.RuntimeParams = map[string]string{
		"application_name": settings.ApplicationName,
		"timezone":         "UTC",
		"client_encoding":  "UTF8", // whatever is set for the role or the database
	}
	if settings.ApplicationName == "" {
		config.RuntimeParams["application_name"] = "narthex"
	}
	if settings.Pooled {
		// a prepared statement or a setting would stay in a session that others get; see InTx of services/store
		config.DefaultQueryExecMode, config.StatementCacheCapacity = pgx.QueryExecModeCacheDescribe, 0
	} else {
		config.AfterConnect = session.set
	}
	return config
}

// connectTimeout returns the timeout of connecting to one server.
func connectTimeout(settings environment.Database) time.Duration {
	switch {
	case settings.ConnectTimeout > 0:
		return settings.ConnectTimeout
	case len(settings.Servers) > 1:
		return eachConnectTimeout
	}
	return defaultConnectTimeout
}

// withoutService guards the time in which PGSERVICE is removed from the environment.
var withoutService sync.Mutex

// parseNeutral is the only place that makes a pgx configuration. PGSERVICE cannot be overridden by a
// parameter: pgx would insist on finding the service file. So the variable is removed during the call.
func parseNeutral() *pgxpool.Config {
	withoutService.Lock()
	defer withoutService.Unlock()
	if service, found := os.LookupEnv("PGSERVICE"); found {
		_ = os.Unsetenv("PGSERVICE")
		defer func() { _ = os.Setenv("PGSERVICE", service) }()
	}
	config, err := pgxpool.ParseConfig(neutral)
	if err != nil {
		panic("database: the neutral configuration does not parse") // a constant: the tests would fail
	}
	return config
}
