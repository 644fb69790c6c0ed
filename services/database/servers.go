package database

import (
	"crypto/tls"
	"crypto/x509"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/services/environment"
)

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

// trusted returns the system's authorities and the given ones. Where none are given it returns nil, which
// means the system's authorities too. Then they are read at the first handshake, so a start without TLS is
// much faster.
func trusted(settings environment.Database) *x509.CertPool {
	if settings.TLSMode == environment.DisableTLS || len(settings.CA) == 0 {
		return nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool() // a machine without authorities trusts only the given ones
	}
	for _, authority := range settings.CA {
		roots.AddCert(authority)
	}
	return roots
}
