package database

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/environment"
)

const (
	defaultConnectTimeout = 5 * time.Second

	// statementTimeout ends a statement on the server shortly before the 30 s after which its caller gives up.
	// A statement that ends keeps its connection; a caller that gives up loses it.
	statementTimeout = 29 * time.Second
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
// files and password files have no effect. The servers are asked in their order, each with the same
// transport: there is no fallback to plaintext. Where a server must accept writes, a session on another one
// is refused, also by every copy of the configuration.
func Config(settings environment.Database) *pgx.ConnConfig {
	config := parseNeutral().ConnConfig
	config.User, config.Password = settings.User, settings.Password.Reveal()
	config.Database = settings.Name
	setServers(&config.Config, settings)
	if settings.Writable {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	config.ConnectTimeout = settings.ConnectTimeout
	if config.ConnectTimeout <= 0 {
		config.ConnectTimeout = defaultConnectTimeout
	}
	config.DialFunc = (&net.Dialer{Timeout: config.ConnectTimeout, KeepAlive: time.Minute}).DialContext
	config.RuntimeParams = map[string]string{
		"application_name":  settings.ApplicationName,
		"timezone":          "UTC",
		"statement_timeout": milliseconds(statementTimeout),
	}
	if settings.ApplicationName == "" {
		config.RuntimeParams["application_name"] = "narthex"
	}
	return config
}

// setServers sets the first server, and the others as fallbacks. Each has a TLS configuration of its own.
func setServers(config *pgconn.Config, settings environment.Database) {
	roots := trusted(settings)
	config.Fallbacks = nil
	for i, server := range settings.Servers {
		tls := tlsConfig(settings, server.Host, roots)
		if i == 0 {
			config.Host, config.Port, config.TLSConfig = server.Host, server.Port, tls
			continue
		}
		config.Fallbacks = append(config.Fallbacks,
			&pgconn.FallbackConfig{Host: server.Host, Port: server.Port, TLSConfig: tls})
	}
}

// tlsConfig returns nil for plaintext. Otherwise chain and host are verified.
func tlsConfig(settings environment.Database, host string, roots *x509.CertPool) *tls.Config {
	if settings.TLSMode == environment.DisableTLS {
		return nil
	}
	return &tls.Config{ServerName: host, RootCAs: roots, MinVersion: tls.VersionTLS12}
}

// trusted returns the system's authorities and the given ones.
func trusted(settings environment.Database) *x509.CertPool {
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool() // a machine without authorities trusts only the given ones
	}
	for _, authority := range settings.CA {
		roots.AddCert(authority)
	}
	return roots
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
		panic("database: the neutral configuration does not parse") // a constant: the tests would show it
	}
	return config
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// dialFunc is how pgx opens a socket.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)
