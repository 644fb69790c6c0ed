package database_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
)

func TestVerifyFullVerifiesChainAndHost(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	key, authority := selfSigned(t, "127.0.0.1")
	_, stranger := selfSigned(t, "127.0.0.1")
	port := terminateTLS(t, tls.Certificate{Certificate: [][]byte{authority.Raw}, PrivateKey: key}, db.Settings)

	for name, row := range map[string]struct {
		host string
		port uint16
		ca   *x509.Certificate
		want error
	}{
		"trusted authority and right host": {"127.0.0.1", port, authority, nil},
		"unknown authority":                {"127.0.0.1", port, stranger, database.ErrUnreachable},
		"another host's certificate":       {"localhost", port, authority, database.ErrUnreachable},
		"a server without TLS":             {"127.0.0.1", db.Settings.Port, authority, database.ErrUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			settings := db.Settings
			settings.TLSMode, settings.Host, settings.Port, settings.CA = environment.VerifyFull, row.host, row.port, []*x509.Certificate{row.ca}
			opened, err := database.Open(settings)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = opened.Close() }()
			if err := opened.Check(t.Context()); !errors.Is(err, row.want) {
				t.Errorf("got %v, want %v", err, row.want)
			}
		})
	}
}

func selfSigned(t *testing.T, address string) (*ecdsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	pattern := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.ParseIP(address)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	raw, err := x509.CreateCertificate(rand.Reader, pattern, pattern, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return key, certificate
}

// terminateTLS puts TLS in front of the test server: it answers SSLRequest with yes and passes on what comes through the handshake.
func terminateTLS(t *testing.T, certificate tls.Certificate, behind environment.Database) uint16 {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var sessions sync.WaitGroup
	sessions.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			sessions.Go(func() { passOn(client, certificate, behind) })
		}
	})
	t.Cleanup(func() { _ = listener.Close(); sessions.Wait() })
	return uint16(listener.Addr().(*net.TCPAddr).Port)
}

func passOn(client net.Conn, certificate tls.Certificate, behind environment.Database) {
	defer func() { _ = client.Close() }()
	request := make([]byte, 8)
	if _, err := io.ReadFull(client, request); err != nil || !bytes.Equal(request, []byte{0, 0, 0, 8, 4, 210, 22, 47}) {
		return
	}
	_, _ = client.Write([]byte{'S'})
	secured := tls.Server(client, &tls.Config{Certificates: []tls.Certificate{certificate}})
	if secured.Handshake() != nil {
		return
	}
	server, err := net.Dial("tcp4", net.JoinHostPort(behind.Host, strconv.Itoa(int(behind.Port))))
	if err != nil {
		return
	}
	var directions sync.WaitGroup
	directions.Go(func() { _, _ = io.Copy(server, secured); _ = server.Close() })
	directions.Go(func() { _, _ = io.Copy(secured, server); _ = client.Close() })
	directions.Wait()
}
