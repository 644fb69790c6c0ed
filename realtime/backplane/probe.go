package backplane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/supervisor/setting"
)

// The reasons why a server is not used, without information about it.
const (
	unreachable = "unreachable"
	refused     = "credentials refused"
	insecure    = "no trusted TLS"
)

// reason returns why an attempt to connect has failed.
func reason(err error) string {
	certificate := (*tls.CertificateVerificationError)(nil)
	authority := x509.UnknownAuthorityError{}
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired),
		errors.Is(err, nats.ErrAuthRevoked),
		errors.Is(err, nats.ErrAccountAuthExpired):
		return refused
	case errors.Is(err, nats.ErrSecureConnRequired), errors.Is(err, nats.ErrSecureConnWanted),
		errors.As(err, &certificate),
		errors.As(err, &authority):
		return insecure
	}
	return unreachable
}

// failed logs why the server is unreachable, once until it is reachable or the reason changes.
func (l *Link) failed(err error) {
	if why := reason(err); l.fault.Swap(why) != why {
		l.log.Warn("realtime backplane not reached", zap.String("why", why))
	}
}

// refusals logs refused messages, at most once a minute.
type refusals struct{ last atomic.Int64 }

func (r *refusals) warn(log *zap.Logger, why string) {
	now, last := time.Now().Unix(), r.last.Load()
	if now-last >= 60 && r.last.CompareAndSwap(last, now) {
		log.Warn("realtime message of an unknown sender refused", zap.String("why", why))
	}
}

// Probe connects to each server once and disconnects. It returns the reasons why servers cannot be used,
// without their names.
func Probe(ctx context.Context, servers []setting.Secret) (reasons []string) {
	for _, server := range servers {
		o := nats.GetDefaultOptions()
		o.Servers = reveal([]setting.Secret{server})
		o.Name = "narthex doctor"
		o.AllowReconnect = false
		o.IgnoreDiscoveredServers = true
		o.Timeout = 5 * time.Second
		o.CustomDialer = dialer{ctx}
		secure(&o, nil)
		conn, err := o.Connect()
		if err == nil {
			err = conn.FlushTimeout(5 * time.Second)
			conn.Close()
		}
		if err != nil {
			reasons = append(reasons, reason(err))
		}
	}
	return reasons
}

// secure requires TLS if the servers' URLs do; all URLs of one list agree.
func secure(o *nats.Options, roots *x509.CertPool) {
	if !strings.HasPrefix(o.Servers[0], "tls:") {
		return
	}
	o.Secure = true
	o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
}

func reveal(secrets []setting.Secret) []string {
	urls := make([]string, len(secrets))
	for i, secret := range secrets {
		urls[i] = secret.Reveal()
	}
	return urls
}
