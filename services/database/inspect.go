package database

import (
	"context"
	"crypto/tls"
	"time"

	"github.com/jackc/pgx/v5"
)

// ClockOffset returns how far the server's clock is ahead of this machine's, with an error of up to one round
// trip. Its error is ErrUnreachable.
func (d *Database) ClockOffset(ctx context.Context) (time.Duration, error) {
	conn, err := d.core.Acquire(ctx)
	if err != nil {
		return 0, fail(ErrUnreachable, err)
	}
	defer conn.Release()
	var server time.Time
	began := time.Now()
	if err := conn.QueryRow(ctx, "SELECT clock_timestamp()", pgx.QueryExecModeSimpleProtocol).
		Scan(&server); err != nil {
		return 0, fail(ErrUnreachable, err)
	}
	return server.Sub(began.Add(time.Since(began) / 2)), nil
}

// CertificateEnd returns when the server's certificate ends; encrypted is false for a connection without
// TLS. Its error is ErrUnreachable.
func (d *Database) CertificateEnd(ctx context.Context) (end time.Time, encrypted bool, err error) {
	conn, err := d.core.Acquire(ctx)
	if err != nil {
		return time.Time{}, false, fail(ErrUnreachable, err)
	}
	defer conn.Release()
	end, encrypted = certificateEnd(conn.Conn())
	return end, encrypted, nil
}

func certificateEnd(conn *pgx.Conn) (end time.Time, encrypted bool) {
	secure, ok := conn.PgConn().Conn().(*tls.Conn)
	if !ok || len(secure.ConnectionState().PeerCertificates) == 0 {
		return time.Time{}, false
	}
	return secure.ConnectionState().PeerCertificates[0].NotAfter, true
}
