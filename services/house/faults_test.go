package house_test

import (
	"errors"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/house"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/waittest"
)

// While the store fails, the last known house is still returned, one line is logged, and a change is refused.
// Afterwards the stored house is returned again.
func TestStoreDown(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	p := started(t, db.Pool(t), time.Millisecond)
	known := `{"name":"A house","accent":"green","language":"de","timeZone":null,"secondFactor":"optional"}`
	if w := p.send("PUT", path, known); w.Code != 200 {
		t.Fatalf("PUT: status %d, want 200; body %s", w.Code, w.Body)
	}
	db.Exec(t, `ALTER TABLE core.house RENAME TO lost`)
	db.Exec(t, `ALTER TABLE core.backup_run RENAME TO lost_run`)
	waittest.Until(t, "a read has failed", func() bool { return p.lines.Len() > 0 })
	assertCode(t, "PUT", p.send("PUT", path, initial), 503, "STORE_UNAVAILABLE")
	assertCode(t, "backup", p.send("GET", path+"/backup", ""), 503, "STORE_UNAVAILABLE")
	p.assertShown(t, known)
	db.Exec(t, `UPDATE core.lost SET name = NULL, accent = 'blue', language = 'en', rev = rev + 1`)
	db.Exec(t, `ALTER TABLE core.lost RENAME TO house`)
	waittest.Until(t, "the stored house is shown", func() bool { return p.service.Current().Accent == "blue" })
	if got := p.lines.Len(); got != 1 {
		t.Errorf("%d lines were logged, want 1", got)
	}
}

// The service does not start without a first read.
func TestFirstReadFails(t *testing.T) {
	t.Parallel()
	p := start(t, databasetest.New(t).UnreachablePool(t), time.Millisecond)
	waitEnd := make(chan error, 1)
	go func() { waitEnd <- p.end() }()
	select {
	case err := <-waitEnd:
		if !errors.Is(err, httpapi.ErrStore) {
			t.Errorf("Serve returned %v, want STORE_UNAVAILABLE", err)
		}
	case <-time.After(patience):
		t.Fatal("Serve goes on although it has read nothing")
	}
	select {
	case <-p.service.Ready():
		t.Error("ready without a house")
	default:
	}
}

// The house can be read while the table is locked.
func TestHouseIsReadWhileLocked(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	p := started(t, db.Pool(t), time.Millisecond)
	databasetest.Lock(t, db.Pool(t), `LOCK TABLE core.house IN ACCESS EXCLUSIVE MODE`)
	p.assertShown(t, initial)
	assertCode(t, "PUT",
		p.send("PUT", path, `{"name":"A house","accent":"green","language":"de","timeZone":null`+
			`,"secondFactor":"optional"}`), 503,
		"STORE_UNAVAILABLE")
	p.assertShown(t, initial)
}

func TestStatementsPrepare(t *testing.T) {
	t.Parallel()
	databasetest.New(t).PrepareAll(t, house.Statements())
}

// TestBackup checks that the latest verification is returned, whatever its result.
func TestBackup(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	p := started(t, db.Pool(t), time.Hour)
	assertBody := func(want string) {
		t.Helper()
		if w := p.send("GET", path+"/backup", ""); w.Code != 200 || w.Body.String() != want {
			t.Errorf("GET %s/backup: status %d, body %s, want 200 and %s", path, w.Code, w.Body, want)
		}
	}
	assertBody(`{"lastVerifiedAt":null,"verdict":null}`)
	db.Exec(t, `INSERT INTO core.backup_run (verified_at, verdict) VALUES ('2026-11-02T03:04:05.6789Z', NULL)`)
	assertBody(`{"lastVerifiedAt":"2026-11-02T03:04:05.678Z","verdict":null}`)
	db.Exec(t, `INSERT INTO core.backup_run (verified_at, verdict)
		VALUES ('2026-11-09T03:04:05Z', 'BACKUP_INCOMPLETE')`)
	assertBody(`{"lastVerifiedAt":"2026-11-09T03:04:05.000Z","verdict":"BACKUP_INCOMPLETE"}`)
	assertCode(t, "nobody", p.send("GET", path+"/backup", "", "Test-Holds", ""), 401, "AUTHENTICATION_REQUIRED")
	assertCode(t, "a member", p.send("GET", path+"/backup", "", "Test-Holds", "core.modules.ui.read"), 403,
		"PERMISSION_DENIED")
}
