package database

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// Why is one word for the cause of an ErrUnreachable. The constants below are all causes.
type Why string

// All causes.
const (
	WhyRefused          = Why("refused")
	WhyTimedOut         = Why("timed-out")
	WhyUnknownHost      = Why("unknown-host")
	WhyNoRoute          = Why("no-route")
	WhyTLSAuthority     = Why("tls-unknown-authority")
	WhyTLSHost          = Why("tls-wrong-host")
	WhyTLSExpired       = Why("tls-expired")
	WhyTLSPlaintext     = Why("tls-plaintext")
	WhyTLSFailed        = Why("tls-failed")
	WhyAuthentication   = Why("authentication")
	WhyNoDatabase       = Why("no-such-database")
	WhyNotPermitted     = Why("not-permitted")
	WhyTooMany          = Why("too-many-connections")
	WhyStartingStopping = Why("starting-or-stopping")
	WhyReadOnly         = Why("read-only")
	WhyReplaced         = Why("replaced-primary")
	WhyEncoding         = Why("wrong-encoding")
	WhyLost             = Why("connection-lost")
	WhyOther            = Why("other")
)

// Sentence explains the cause and what to do.
func (w Why) Sentence() string {
	switch w {
	case WhyRefused:
		return "Nothing accepts connections at the host and port of DATABASE_URL; check both, and whether the " +
			"server runs."
	case WhyTimedOut:
		return "The host of DATABASE_URL did not answer in time; check it, and firewalls on the way."
	case WhyUnknownHost:
		return "The host name of DATABASE_URL cannot be resolved."
	case WhyNoRoute:
		return "There is no way through the network to the host of DATABASE_URL."
	case WhyTLSAuthority:
		return "The server's certificate is signed by an authority that is not trusted; set " +
			"SERVICE_DATABASE_CA to that authority's certificate."
	case WhyTLSHost:
		return "The server's certificate is for another host than the one in DATABASE_URL."
	case WhyTLSExpired:
		return "The server's certificate is not valid at this time; renew it, or check this machine's clock."
	case WhyTLSPlaintext:
		return "The server does not offer TLS, which SERVICE_DATABASE_TLS_MODE verify-full needs; switch it " +
			"on there."
	case WhyTLSFailed:
		return "No TLS session could be agreed with the server; check its TLS settings."
	case WhyAuthentication:
		return "The server refused the user or the password of DATABASE_URL, or its pg_hba.conf has no line " +
			"for this connection."
	case WhyNoDatabase:
		return "The server has no database of the name in DATABASE_URL."
	case WhyNotPermitted:
		return "The user of DATABASE_URL may not connect to that database."
	case WhyTooMany:
		return "The server has no connection left; raise its max_connections, or find who holds them."
	case WhyStartingStopping:
		return "The server is starting, stopping or recovering; try again."
	case WhyReadOnly:
		return "No server of DATABASE_URL that answers accepts writes: each is a standby, or set to be " +
			"read-only; promote one, or name the primary too."
	case WhyReplaced:
		return "A server of DATABASE_URL accepts writes, but a standby was promoted in its place; stop it, and " +
			"see why the promoted one does not answer."
	case WhyEncoding:
		return "The encoding of the database is not UTF8."
	case WhyLost:
		return "The connection broke; see the server's log, and check that a PostgreSQL server is at the host " +
			"and port of DATABASE_URL."
	}
	return "Check DATABASE_URL, SERVICE_DATABASE_TLS_MODE, SERVICE_DATABASE_CA and the server's log."
}

// WhyOf returns the word for an error of this package or of pgx.
func WhyOf(err error) Why {
	switch { // regardless of the other servers' errors
	case errors.Is(err, errReplaced):
		return WhyReplaced
	case errors.Is(err, pgconn.ErrReadOnlyConnection):
		return WhyReadOnly
	case errors.Is(err, ErrEncodingUnsupported):
		return WhyEncoding
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		// PgBouncer has one code for all its refusals
		if refused.Code == "08P01" && strings.HasSuffix(refused.Message, "authentication failed") {
			return WhyAuthentication
		}
		return whyServer(refused.Code)
	}
	if why := whyTLS(err); why != "" {
		return why
	}
	return whyNetwork(err)
}

// whyServer returns the word for a SQLSTATE.
func whyServer(state string) Why {
	switch state {
	case "28000", "28P01":
		return WhyAuthentication
	case "3D000":
		return WhyNoDatabase
	case "0A000": // the only encoding that PostgreSQL cannot convert to UTF8 is MULE_INTERNAL
		return WhyEncoding
	case "42501":
		return WhyNotPermitted
	case "53300":
		return WhyTooMany
	case "57P01", "57P02", "57P03":
		return WhyStartingStopping
	}
	return WhyOther
}

func whyTLS(err error) Why {
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	refused, isRefused := errors.AsType[*pgconn.ConnectError](err)
	switch {
	case is[x509.UnknownAuthorityError](err):
		return WhyTLSAuthority
	case is[x509.HostnameError](err):
		return WhyTLSHost
	case isInvalid && invalid.Reason == x509.Expired:
		return WhyTLSExpired
	// pgx has no error value for it
	case isRefused && strings.Contains(refused.Error(), "server refused TLS connection"):
		return WhyTLSPlaintext
	case is[*tls.CertificateVerificationError](err), is[tls.RecordHeaderError](err), is[tls.AlertError](err):
		return WhyTLSFailed
	}
	return ""
}

func whyNetwork(err error) Why {
	name, isName := errors.AsType[*net.DNSError](err)
	network, isNetwork := errors.AsType[net.Error](err)
	switch {
	case isName && !name.IsTimeout:
		return WhyUnknownHost
	case errors.Is(err, syscall.ECONNREFUSED):
		return WhyRefused
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return WhyNoRoute
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isNetwork &&
		network.Timeout():
		return WhyTimedOut
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return WhyLost
	}
	return WhyOther
}

func is[E error](err error) bool {
	_, found := errors.AsType[E](err)
	return found
}
