package database_test

import (
	"context"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
)

// TestCertificateEnd compares the result with the server's certificate.
func TestCertificateEnd(t *testing.T) {
	db := databasetest.Empty(t)
	if _, encrypted, err := db.Database(t).CertificateEnd(t.Context()); encrypted || err != nil {
		t.Errorf("a server without TLS: encrypted %v and error %v, want false and none", encrypted, err)
	}
	authority := newAuthority(t)
	serve(t, db, authority.issue(t, "127.0.0.1", 20*24*time.Hour))
	defer serve(t, db, nil)
	settings := db.Settings
	settings.TLSMode, settings.CA = environment.VerifyFull, nil
	settings.CA = append(settings.CA, authority.certificate)
	opened, err := database.Open(settings)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	end, encrypted, err := opened.CertificateEnd(t.Context())
	days := int(time.Until(end).Round(time.Hour) / (24 * time.Hour))
	if days != 20 || !encrypted || err != nil {
		t.Errorf("a certificate of 20 days: %d days, encrypted %v, error %v", days, encrypted, err)
	}
	settings.Servers = append(settings.Servers, local(1)...)
	states := database.Survey(t.Context(), settings)
	if len(states) != 2 || !states[0].CertificateEnd.Equal(end) || !states[0].Writable || states[0].Why != "" ||
		states[1].Why != database.WhyRefused || states[1].Writable {
		t.Errorf("Survey of two servers: %+v, want the first with the end of its certificate, the second refused",
			states)
	}
}

// TestClockOffset compares the clocks of one machine.
func TestClockOffset(t *testing.T) {
	offset, err := databasetest.Empty(t).Database(t).ClockOffset(t.Context())
	if err != nil || offset.Abs() > time.Minute {
		t.Errorf("the server on this machine is %v ahead, error %v; want about 0 and none", offset, err)
	}
}

// TestPooledByTransaction connects directly to the server, and through a pooler with one session for all
// clients.
func TestPooledByTransaction(t *testing.T) {
	db := databasetest.Empty(t)
	if pooled, err := db.Database(t).PooledByTransaction(t.Context()); pooled || err != nil {
		t.Errorf("the server itself: pooled %v and error %v, want false and none", pooled, err)
	}
	behind := db.Settings
	behind.Servers = []environment.DatabaseServer{{Host: "127.0.0.1", Port: startPooler(t, db)}}
	opened, err := database.Open(behind)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if pooled, err := opened.PooledByTransaction(t.Context()); !pooled || err != nil {
		t.Errorf("behind a pooler: pooled %v and error %v, want true and none", pooled, err)
	}
}

// startPooler serves simple queries of any number of clients on one session of the server, and returns its
// port.
func startPooler(t *testing.T, db *databasetest.DB) uint16 {
	t.Helper()
	session, err := pgx.ConnectConfig(t.Context(), database.Config(db.Settings))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var clients sync.WaitGroup
	var turn sync.Mutex
	clients.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			clients.Go(func() {
				defer client.Close()
				pool(client, session, &turn)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		clients.Wait()
		_ = session.Close(t.Context())
	})
	return uint16(listener.Addr().(*net.TCPAddr).Port)
}

// pool acts as a server for one client until the client disconnects.
func pool(client net.Conn, session *pgx.Conn, turn *sync.Mutex) {
	backend := pgproto3.NewBackend(client, client)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return
	}
	backend.Send(&pgproto3.AuthenticationOk{})
	// without these two pgx sends no simple query
	backend.Send(&pgproto3.ParameterStatus{Name: "standard_conforming_strings", Value: "on"})
	backend.Send(&pgproto3.ParameterStatus{Name: "client_encoding", Value: "UTF8"})
	backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	for backend.Flush() == nil {
		message, err := backend.Receive()
		query, simple := message.(*pgproto3.Query)
		if err != nil || !simple {
			return
		}
		turn.Lock()
		var number int
		err = session.QueryRow(context.Background(), query.String).Scan(&number)
		turn.Unlock()
		if err != nil {
			return
		}
		backend.Send(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{
			Name: []byte("n"), DataTypeOID: 23, DataTypeSize: 4, TypeModifier: -1,
		}}})
		backend.Send(&pgproto3.DataRow{Values: [][]byte{[]byte(strconv.Itoa(number))}})
		backend.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
		backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	}
}
