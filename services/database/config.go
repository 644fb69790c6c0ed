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
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/environment"
)

const (
	defaultConnectTimeout = 5 * time.Second

	// statementTimeout ends a statement on the server shortly before the 30 s after which its caller gives up: a caller that gives up
	// costs the connection, a statement that ends does not.
	statementTimeout = 29 * time.Second
)

// neutral names every parameter that pgx would otherwise take from PG* variables, so that none of them can change or break anything.
// What a connection really uses is set field by field afterwards.
const neutral = "host=127.0.0.1 port=5432 user=nobody password=none dbname=none passfile='' servicefile='' connect_timeout=5 " +
	"sslmode=disable sslkey='' sslcert='' sslcertmode=allow sslsni=1 sslrootcert='' sslpassword='' sslnegotiation=postgres " +
	"target_session_attrs=any min_protocol_version=3.0 max_protocol_version=3.0 channel_binding=prefer require_auth='' " +
	"application_name=narthex timezone=UTC options=''"

// Config builds the settings of one Core connection from the parts alone: PG* variables, service files and password files change
// nothing (spec.md § Required configuration). There is no fallback, neither to plaintext nor to another host.
func Config(settings environment.Database) *pgx.ConnConfig {
	config := parseNeutral().ConnConfig
	config.Host, config.Port = settings.Host, settings.Port
	config.User, config.Password = settings.User, settings.Password.Reveal()
	config.Database = settings.Name
	config.Fallbacks = nil
	config.TLSConfig = tlsConfig(settings)
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

// tlsConfig is nil for plaintext. Otherwise chain and host are verified, against the system's authorities and the given ones.
func tlsConfig(settings environment.Database) *tls.Config {
	if settings.TLSMode == environment.DisableTLS {
		return nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool() // a machine without authorities trusts the given ones alone
	}
	for _, authority := range settings.CA {
		roots.AddCert(authority)
	}
	return &tls.Config{ServerName: settings.Host, RootCAs: roots, MinVersion: tls.VersionTLS12}
}

// withoutService guards the moment in which PGSERVICE is out of the environment.
var withoutService sync.Mutex

// parseNeutral is the only way to a pgx configuration. PGSERVICE alone cannot be overridden by a parameter: pgx then insists on
// finding the service's file, so the variable steps aside for the call.
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
