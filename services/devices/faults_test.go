package devices_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/devices"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

func statement(sql string) func(*testing.T, *harness) {
	return func(t *testing.T, h *harness) { h.Exec(t, sql) }
}

// No fault of the store makes Resolve return "nobody", whether the cookie is valid, unknown or malformed.
func TestResolveWithoutStore(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		name  string
		cause func(*testing.T, *harness)
	}{
		{"table missing", statement("ALTER TABLE core.device RENAME TO lost")},
		{"id missing", statement("ALTER TABLE core.device RENAME COLUMN id TO lost")},
		{"credential_hash missing", statement("ALTER TABLE core.device DROP COLUMN credential_hash")},
		{"revoked_at missing", statement("ALTER TABLE core.device DROP COLUMN revoked_at")},
		{"privilege revoked", withoutPrivilege},
		{"unreachable", unreachable},
		{"never answers", lockDevices},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			_, good := h.pair(t, "stage")
			device, revoked := h.pair(t, "stage")
			h.assertSend(t, revoking(device.ID), 200, "")
			unknown, _ := devices.NewSecret()
			fault.cause(t, h)
			for name, cookie := range map[string]string{
				"good": good, "revoked": revoked, "unknown": "narthex_device=" + unknown, "malformed": "narthex_device=x",
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					if who, err := h.resolve(t, cookie); !errors.Is(err, httpapi.ErrPrincipal) ||
						who != (principal.Principal{}) {
						t.Errorf("Resolve: %v, error %v; want nobody and %v", who, err, httpapi.ErrPrincipal)
					}
				})
			}
			t.Run("no cookie", func(t *testing.T) { h.assertDevice(t, "", "") })
		})
	}
}

func TestPermissionsWithoutStore(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"DROP TABLE core.device_permission",
		"ALTER TABLE core.device DROP COLUMN revoked_at",
	} {
		h := setup(t)
		device, _ := h.pair(t, "stage")
		h.Exec(t, sql)
		if held, err := h.service.Permissions(t.Context(), device.ID); !errors.Is(err, httpapi.ErrPrincipal) ||
			held != nil {
			t.Errorf("Permissions after %s: %v, error %v; want none and %v", sql, held, err,
				httpapi.ErrPrincipal)
		}
	}
}

// With a fault of the store every route responds with the same code, and a write changes nothing.
func TestRoutesWithoutStore(t *testing.T) {
	t.Parallel()
	for name, cause := range map[string]func(*testing.T, *harness){
		"tables missing": statement(
			"ALTER TABLE core.device RENAME TO lost; ALTER TABLE core.device_pairing RENAME TO lost_too",
		),
		"unreachable": unreachable,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			s := h.ask(t, "stage")
			device, credential := h.pair(t, "stage")
			cause(t, h)
			for _, q := range []request{
				asking("stage"), s.state(), s.collect(), {method: "GET", path: pairing + "/requests/" + s.code},
				approving(s.code), rejecting(s.code),
				{method: "GET", path: managed}, renaming(device.ID, "a"), revoking(device.ID),
			} {
				h.assertSend(t, q, 503, "STORE_UNAVAILABLE")
			}
			header := http.Header{}
			err := h.service.Renew(
				t.Context(),
				header,
				request{method: "GET", path: "/", cookie: credential}.build(t),
			)
			if !errors.Is(err, httpapi.ErrStore) || len(header) != 0 {
				t.Errorf("renewal: error %v, want %v; header %v, want none", err, httpapi.ErrStore, header)
			}
			if _, err := h.store.SweepExpired(t.Context()); !errors.Is(err, httpapi.ErrStore) {
				t.Errorf("SweepExpired: error %v, want %v", err, httpapi.ErrStore)
			}
		})
	}
}

// When the second half of a write fails, the first half is undone.
func TestFailedWriteIsUndone(t *testing.T) {
	t.Parallel()
	h := setup(t)
	pending, approved := h.ask(t, "stage"), h.ask(t, "stage")
	device := h.approve(t, approved)
	h.Exec(t, "ALTER TABLE core.device_permission RENAME TO lost")
	h.assertSend(t, approving(pending.code), 503, "STORE_UNAVAILABLE")
	h.Exec(t, "ALTER TABLE core.lost RENAME TO device_permission")
	h.assertState(t, pending, "pending")
	h.assertRows(t, 2, 1, 1)

	h.Exec(t, "ALTER TABLE core.device RENAME COLUMN revoked_at TO lost")
	h.assertSend(t, revoking(device.ID), 503, "STORE_UNAVAILABLE")
	h.Exec(t, "ALTER TABLE core.device RENAME COLUMN lost TO revoked_at")
	h.assertState(t, approved, "approved")

	h.Exec(t, "ALTER TABLE core.device RENAME COLUMN credential_set_at TO lost")
	h.assertSend(t, approved.collect(), 503, "STORE_UNAVAILABLE")
	h.Exec(t, "ALTER TABLE core.device RENAME COLUMN lost TO credential_set_at")
	h.assertSend(t, approved.collect(), 200, "")

	h.Exec(t, "DELETE FROM core.device_pairing_gate") // without this row the limit could not be checked
	h.assertSend(t, asking("stage"), 503, "STORE_UNAVAILABLE")
	h.assertRows(t, 2, 1, 1)
}

// A client that disconnects costs the pool no connection.
func TestDisconnectedClientHoldsNoConnection(t *testing.T) {
	t.Parallel()
	h := setup(t)
	device, credential := h.pair(t, "stage")
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	r := request{method: "GET", path: "/", cookie: credential}.build(t)
	before := h.Pool(t).Stat().NewConnsCount()
	for range 10 {
		if who, err := h.service.Resolve(ctx, r); err != nil || who.DeviceID != device.ID {
			t.Fatalf("Resolve: %v, error %v; want the device %s", who, err, device.ID)
		}
	}
	if after := h.Pool(t).Stat().NewConnsCount(); after != before {
		t.Errorf("%d new connections after clients hung up, want none", after-before)
	}
}

// withoutPrivilege makes h use a role that may read everything except devices.
func withoutPrivilege(t *testing.T, h *harness) {
	role := fmt.Sprintf("devices_test_%d", time.Now().UnixNano())
	h.Exec(t, "CREATE ROLE "+role)
	h.Exec(t, "GRANT USAGE ON SCHEMA core TO "+role)
	h.Exec(t, "GRANT ALL ON core.person, core.device_pairing, core.device_permission TO "+role)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		_, _ = h.Pool(t).Exec(ctx, "DROP OWNED BY "+role)
		_, _ = h.Pool(t).Exec(ctx, "DROP ROLE "+role)
	})
	h.serve(t, h.AnotherPool(t, "SET ROLE "+role))
}

func unreachable(t *testing.T, h *harness) {
	h.serve(t, h.UnreachablePool(t))
}

// lockDevices takes a lock that blocks every query for devices until the test ends; lockTable does so for
// another table.
func lockDevices(t *testing.T, h *harness) { lockTable(t, h, "core.device") }

func lockTable(t *testing.T, h *harness, table string) {
	t.Helper()
	databasetest.Lock(t, h.AnotherPool(t), "LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE")
	h.serve(t, h.AnotherPool(t))
}

// Neither secret is stored, sent in a body or logged, in any encoding. The same holds for the screen's
// address and headers.
func TestSecretsStayWhereTheyBelong(t *testing.T) {
	t.Parallel()
	h := setup(t)
	q := asking("stage")
	q.agent, q.client = "marked-agent Firefox/1", "203.0.113.77"
	asked := h.assertSend(t, q, 201, "")
	s := screen{decode[pairingBody](t, asked).PairingCode, cookieOf(asked)}
	state := h.assertSend(t, s.state(), 200, "")
	approved := h.assertSend(t, approving(s.code), 200, "")
	claimed := h.assertSend(t, s.collect(), 200, "")
	listed := h.assertSend(t, request{method: "GET", path: managed}, 200, "")
	var said string
	for _, w := range []*httptest.ResponseRecorder{asked, state, approved, claimed, listed} {
		said += w.Body.String()
	}
	for _, entry := range h.logged.All() {
		said += entry.Message + fmt.Sprint(entry.ContextMap())
	}
	h.approve(t, h.ask(t, "stage"))
	stored := h.everything(t)
	for _, cookie := range []string{s.cookie, cookieOf(claimed)} {
		_, value, _ := strings.Cut(cookie, "=")
		if len(value) != 43 {
			t.Fatalf("cookie %q, want a value of 43 characters", cookie)
		}
		for _, variant := range variants(t, value) {
			if strings.Contains(said, variant) {
				t.Errorf("a response or the log repeats a secret, want neither: %s", said)
			}
			if strings.Contains(stored, variant) {
				t.Errorf("the database holds a secret, want its hash alone: %s", stored)
			}
		}
	}
	for _, mark := range []string{"203.0.113.77", "cb00714d", "marked-agent"} {
		if strings.Contains(said+stored, mark) {
			t.Errorf("%s was stored, sent or logged: %s %s", mark, said, stored)
		}
	}
}
