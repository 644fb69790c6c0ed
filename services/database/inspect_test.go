package database_test

import (
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/database/poolertest"
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

// TestPooledByTransaction connects directly to the server, and through PgBouncer in both modes.
func TestPooledByTransaction(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	if pooled, err := db.Database(t).PooledByTransaction(t.Context()); pooled || err != nil {
		t.Errorf("the server itself: pooled %v and error %v, want false and none", pooled, err)
	}
	for mode, want := range map[poolertest.Mode]bool{poolertest.Session: false, poolertest.Transaction: true} {
		opened, err := database.Open(poolertest.Start(t, db.Server, mode))
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		if pooled, err := opened.PooledByTransaction(t.Context()); pooled != want || err != nil {
			t.Errorf("behind a pooler in %s mode: pooled %v and error %v, want %v and none", mode, pooled, err, want)
		}
	}
}
