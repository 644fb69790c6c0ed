package database_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
)

// TestVerifyFullVerifiesChainAndHost connects to PostgreSQL's own TLS, with one server certificate after the
// other.
func TestVerifyFullVerifiesChainAndHost(t *testing.T) {
	db := databasetest.Empty(t)
	authority, stranger := newAuthority(t), newAuthority(t)
	good := authority.issue(t, "127.0.0.1", time.Hour)
	for _, row := range []struct {
		name    string
		serving *tls.Certificate // nil: no TLS
		trusted *x509.Certificate
		why     database.Why // "": it is reachable
	}{
		{"a server without TLS", nil, authority.certificate, database.WhyTLSPlaintext},
		{"trusted authority and right host", good, authority.certificate, ""},
		{"unknown authority", good, stranger.certificate, database.WhyTLSAuthority},
		{"no authority but the system's", good, nil, database.WhyTLSAuthority},
		{"another host's certificate", authority.issue(t, "192.0.2.1", time.Hour), authority.certificate,
			database.WhyTLSHost},
		{"an expired certificate", authority.issue(t, "127.0.0.1", -time.Minute), authority.certificate,
			database.WhyTLSExpired},
		{"the right one again", good, authority.certificate, ""},
	} {
		serve(t, db, row.serving)
		settings := db.Settings
		settings.TLSMode, settings.CA = environment.VerifyFull, nil
		if row.trusted != nil {
			settings.CA = []*x509.Certificate{row.trusted}
		}
		opened, err := database.Open(settings)
		if err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{"Check": opened.Check(t.Context()),
			"Ping": opened.Ping(t.Context())} {
			if row.why == "" && err != nil || row.why != "" && (!errors.Is(err, database.ErrUnreachable) ||
				database.WhyOf(err) != row.why) {
				t.Errorf("%s: %s returned %v, want the reason %q", row.name, name, err, row.why)
			}
		}
		if row.why == "" {
			var encrypted bool
			if err := opened.Pool().QueryRow(t.Context(),
				`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`).Scan(&encrypted); err != nil || !encrypted {
				t.Errorf("%s: encrypted %v, want true; error %v", row.name, encrypted, err)
			}
		}
		_ = opened.Close()
	}
	serve(t, db, nil)
}

// authority is a certificate authority for the test.
type authority struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{key: newKey(t)}
	a.certificate = sign(t, &x509.Certificate{
		SerialNumber: serial(t), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		Subject: pkix.Name{CommonName: "authority"}, // OpenSSL treats a certificate without names as self-issued
		IsCA:    true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, a.key, a.key)
	return a
}

// issue makes a server certificate that is valid for validFor from now; with a negative value it has expired.
func (a *authority) issue(t *testing.T, address string, validFor time.Duration) *tls.Certificate {
	t.Helper()
	key := newKey(t)
	certificate := sign(t, &x509.Certificate{
		SerialNumber: serial(t), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(validFor),
		IPAddresses: []net.IP{net.ParseIP(address)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, a.certificate, key, a.key)
	return &tls.Certificate{Certificate: [][]byte{certificate.Raw}, PrivateKey: key}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func serial(t *testing.T) *big.Int {
	t.Helper()
	number, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	return number
}

func sign(t *testing.T, pattern, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	if parent == nil {
		parent = pattern
	}
	raw, err := x509.CreateCertificate(rand.Reader, pattern, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// serve makes the server present a certificate, or no TLS at all, and waits until it does. The server writes
// the key file itself, because it accepts only a key that its account owns.
func serve(t *testing.T, db *databasetest.DB, certificate *tls.Certificate) {
	t.Helper()
	if certificate == nil {
		db.Exec(t, `ALTER SYSTEM SET ssl = off`)
	} else {
		private, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
		if err != nil {
			t.Fatal(err)
		}
		writeServerFile(t, db, "server.crt", &pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
		writeServerFile(t, db, "server.key", &pem.Block{Type: "PRIVATE KEY", Bytes: private})
		db.Exec(t, `ALTER SYSTEM SET ssl = on`)
	}
	db.Exec(t, `SELECT pg_reload_conf()`)
	deadline := time.Now().Add(time.Minute)
	for !presents(t, db.Settings, certificate) {
		if time.Now().After(deadline) {
			t.Fatal("the server does not present the certificate")
		}
	}
}

func writeServerFile(t *testing.T, db *databasetest.DB, name string, block *pem.Block) {
	t.Helper()
	content := hex.EncodeToString(pem.EncodeToMemory(block))
	db.Exec(t, `COPY (SELECT '`+content+`') TO PROGRAM '
		umask 077; rm -f `+name+`; perl -ne "chomp; print pack(q(H*), \$_)" > `+name+`'`)
}

// presents connects like a client that trusts every certificate, and compares the server's certificate with
// the given one.
func presents(t *testing.T, settings environment.Database, certificate *tls.Certificate) bool {
	t.Helper()
	conn, err := net.Dial("tcp",
		net.JoinHostPort(settings.Servers[0].Host, strconv.Itoa(int(settings.Servers[0].Port))))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = conn.Write([]byte{0, 0, 0, 8, 4, 210, 22, 47}) // SSLRequest
	body := make([]byte, 1)
	if _, err := conn.Read(body); err != nil {
		return false
	}
	if certificate == nil || body[0] != 'S' {
		return certificate == nil && body[0] == 'N'
	}
	secured := tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	if secured.HandshakeContext(t.Context()) != nil {
		return false
	}
	return bytes.Equal(secured.ConnectionState().PeerCertificates[0].Raw, certificate.Certificate[0])
}
