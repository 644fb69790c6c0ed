package devices_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/devices"
)

func (h *harness) sweep(t *testing.T, want int) {
	t.Helper()
	if deleted, err := h.store.SweepExpired(t.Context()); deleted != want || err != nil {
		t.Errorf("swept %d, %v, want %d", deleted, err, want)
	}
}

type listing struct {
	Devices  []deviceBody        `json:"devices"`
	Displays []map[string]string `json:"displays"`
}

func (h *harness) list(t testing.TB) listing {
	t.Helper()
	return decode[listing](t, h.assertSend(t, request{method: "GET", path: managed}, 200, ""))
}

// A pairing expires after ten minutes of the database's clock, whether it was deleted or not, and not a
// second earlier.
func TestExpiry(t *testing.T) {
	t.Parallel()
	h := setup(t)
	pending, approved, rejected := h.ask(t, "stage"), h.ask(t, "stage"), h.ask(t, "stage")
	claimed, credential := h.pair(t, "stage")
	device := h.approve(t, approved)
	h.assertSend(t, rejecting(rejected.code), 204, "")
	late := h.ask(t, "stage")

	h.ageRows(t, "9 minutes 30 seconds")
	h.assertState(t, pending, "pending")
	h.assertState(t, approved, "approved")
	h.assertState(t, rejected, "rejected")
	if all := h.list(t).Devices; len(all) != 2 {
		t.Errorf("devices %+v, want 2", all)
	}
	h.approve(t, late)
	kept := cookieOf(h.assertSend(t, late.collect(), 200, ""))
	if who, err := h.resolve(t, kept); who.DeviceID == "" || err != nil {
		t.Errorf("first use after a late claim: %v, error %v; want a device", who, err)
	}
	h.sweep(t, 0)

	h.ageRows(t, "30 seconds")
	for range 2 { // before and after the sweep
		h.assertState(t, pending, "expired")
		h.assertState(t, approved, "expired")
		h.assertState(t, rejected, "expired")
		h.assertSend(t, approved.collect(), 404, "PAIRING_NOT_FOUND")
		h.assertSend(t, pending.collect(), 404, "PAIRING_NOT_FOUND")
		for _, code := range []string{pending.code, approved.code, rejected.code} {
			h.assertSend(t, approving(code), 404, "PAIRING_NOT_FOUND")
			h.assertSend(t, rejecting(code), 404, "PAIRING_NOT_FOUND")
			h.assertSend(t, request{method: "GET", path: pairing + "/requests/" + code}, 404, "PAIRING_NOT_FOUND")
		}
		h.assertSend(
			t,
			request{method: "PUT", path: managed + "/" + device.ID, body: `{"label":"a"}`},
			404,
			"DEVICE_NOT_FOUND",
		)
		h.assertSend(
			t,
			request{method: "POST", path: managed + "/" + device.ID + "/revoke", body: `{}`},
			404,
			"DEVICE_NOT_FOUND",
		)
		if all := h.list(t).Devices; len(all) != 2 || all[0].ID == device.ID || all[1].ID == device.ID {
			t.Errorf("devices %+v, want 2 without %s", all, device.ID)
		}
		h.assertDevice(t, credential, claimed.ID)
		_, err := h.store.SweepExpired(t.Context())
		if err != nil {
			t.Error(err)
		}
	}
	h.assertRows(t, 5, 2, 2)
}

// The sweep deletes unclaimed devices as soon as their pairing expires, and pairings a day later;
// everything else stays.
func TestSweep(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.ask(t, "stage")
	h.approve(t, h.ask(t, "stage"))
	h.assertSend(t, rejecting(h.ask(t, "stage").code), 204, "")
	claimed, credential := h.pair(t, "stage")
	withdrawn := h.approve(t, h.ask(t, "stage"))
	h.assertSend(
		t,
		request{method: "POST", path: managed + "/" + withdrawn.ID + "/revoke", body: `{}`},
		200,
		"",
	)

	h.sweep(t, 0)
	h.ageRows(t, "10 minutes")
	h.sweep(t, 1)
	h.sweep(t, 0)
	h.assertRows(t, 5, 2, 2)
	h.ageRows(t, "23 hours 59 minutes")
	h.sweep(t, 0)
	h.ageRows(t, "1 minute")
	fresh := h.ask(t, "stage")
	h.sweep(t, 5)
	h.sweep(t, 0)
	h.assertRows(t, 1, 2, 2)
	h.assertState(t, fresh, "pending")
	h.assertDevice(t, credential, claimed.ID)
	if all := h.list(t).Devices; len(all) != 2 {
		t.Errorf("devices %+v, want 2", all)
	}
}

// One call deletes at most a thousand rows and skips locked ones.
func TestSweepIsBounded(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.Exec(t, `
		WITH made AS (
			INSERT INTO core.device (label, module_id, claimable_until)
			SELECT 'x', 'stage', now()
			FROM generate_series(1, 600)
			RETURNING id
		)
		INSERT INTO core.device_pairing (code, client_key, module_id, description, state, device_id, created_at,
			expires_at)
		SELECT to_char(row_number() OVER (), 'FM000000'), '', 'stage', '', 'approved', id, now(), now() - '2
			days'::interval
		FROM made`)
	h.Exec(t, `
		INSERT INTO core.device_pairing (code, client_key, module_id, description, created_at, expires_at)
		SELECT to_char(n + 1000, 'FM000000'), '', 'stage', '', now(), now() - '3 days'::interval
		FROM generate_series(1, 1000) AS n`)

	tx, err := h.AnotherPool(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	locked, err := tx.Query(
		t.Context(),
		"SELECT code FROM core.device_pairing WHERE code IN ('000001', '001001') FOR UPDATE",
	)
	if err != nil {
		t.Fatal(err)
	}
	if codes, err := pgx.CollectRows(locked, pgx.RowTo[string]); err != nil || len(codes) != 2 {
		t.Fatalf("locked the codes %v, want two; error %v", codes, err)
	}
	h.sweep(t, devices.SweepBatchRows) // 599 devices, 401 pairings
	h.assertRows(t, 1199, 1, 0)
	h.sweep(t, devices.SweepBatchRows)
	h.sweep(t, 197)
	h.assertRows(t, 2, 1, 0)
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.sweep(t, 3)
	h.assertRows(t, 0, 0, 0)
}

// A pairing is not deleted before its device, because nothing else refers to the device. Here the device is
// locked during the sweep.
func TestSweepLosesNoDevice(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.approve(t, h.ask(t, "stage"))
	h.ageRows(t, "2 days")
	h.Exec(t, devices.DeletePairings, devices.SweepBatchRows, 24*time.Hour)
	h.assertRows(t, 1, 1, 1)
	h.sweep(t, 2)
	h.assertRows(t, 0, 0, 0)
}
