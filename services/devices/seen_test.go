package devices_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/devices"
	"github.com/narthex-platform/narthex/services/waittest"
)

func (h *harness) lastSeen(t *testing.T, deviceID string) string {
	t.Helper()
	return h.text(t, "SELECT coalesce(last_seen_at::text, '') FROM core.device WHERE id = $1", deviceID)
}

// serving runs h's service; stop ends it and waits for its end.
func (h *harness) serving(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.service.Serve(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Serve: error %v, want %v", err, context.Canceled)
			}
		case <-time.After(30 * time.Second):
			t.Error("still running")
		}
	})
	t.Cleanup(stop)
	return stop
}

// Resolving writes nothing. A flush writes when a device was seen, at most once a minute, whichever process
// flushes.
func TestLastSeen(t *testing.T) {
	t.Parallel()
	h := setup(t)
	other := h.second(t)
	device, credential := h.pair(t, "stage")
	silent, _ := h.pair(t, "stage")
	h.service.Flush(t.Context()) // both credentials were used while pairing
	h.Exec(t, "UPDATE core.device SET last_seen_at = NULL")
	for range 3 {
		h.assertDevice(t, credential, device.ID)
	}
	if seen := h.lastSeen(t, device.ID); seen != "" || h.service.Noted() != 1 {
		t.Errorf("before the flush: seen at %q, %d noted; want no time and 1", seen, h.service.Noted())
	}
	h.service.Flush(t.Context())
	first := h.lastSeen(t, device.ID)
	if first == "" || h.service.Noted() != 0 || h.lastSeen(t, silent.ID) != "" {
		t.Errorf("after the flush: seen at %q, %d noted; want a time and 0", first, h.service.Noted())
	}
	if all := h.list(t).Devices; all[1].LastSeenAt == nil || !timeForm.MatchString(*all[1].LastSeenAt) ||
		all[0].LastSeenAt != nil {
		t.Errorf("devices %+v, want a time for the one seen and none for the other", all)
	}
	version := h.text(t, "SELECT xmin::text FROM core.device WHERE id = $1", device.ID)
	for _, process := range []*harness{h, other} {
		process.assertDevice(t, credential, device.ID)
		process.service.Flush(t.Context())
	}
	if again := h.text(t, "SELECT xmin::text FROM core.device WHERE id = $1", device.ID); again != version {
		t.Error("written twice in a minute")
	}
	h.Exec(t, "UPDATE core.device SET last_seen_at = now() - '1 minute'::interval")
	h.assertDevice(t, credential, device.ID)
	h.service.Flush(t.Context())
	if h.count(
		t,
		"core.device WHERE id = $1 AND last_seen_at > now() - '30 seconds'::interval",
		device.ID,
	) != 1 {
		t.Error("not written after a minute")
	}
}

// Serve flushes regularly, and once more when it ends.
func TestServe(t *testing.T) {
	t.Parallel()
	h := setup(t)
	device, credential := h.pair(t, "stage")
	select {
	case <-h.service.Ready():
	default:
		t.Error("not ready")
	}
	if name := h.service.String(); name != "devices" {
		t.Errorf("String: %s, want devices", name)
	}
	stop := h.serving(t)
	h.assertDevice(t, credential, device.ID)
	stop()
	if h.lastSeen(t, device.ID) == "" {
		t.Error("not written at the end")
	}

	h.Exec(t, "UPDATE core.device SET last_seen_at = NULL")
	h.service.FlushEvery(time.Millisecond)
	h.serving(t)
	h.assertDevice(t, credential, device.ID)
	waittest.Until(t, "the device was seen", func() bool { return h.lastSeen(t, device.ID) != "" })
}

// A failed write is logged as one fixed line, and the service continues.
func TestFailedWriteOfSeenDevices(t *testing.T) {
	t.Parallel()
	h := setup(t)
	device, credential := h.pair(t, "stage")
	h.Exec(t, "ALTER TABLE core.device RENAME COLUMN last_seen_at TO lost")
	h.assertDevice(t, credential, device.ID)
	h.service.Flush(t.Context())
	h.Exec(t, "ALTER TABLE core.device RENAME COLUMN lost TO last_seen_at")
	all := h.logged.All()
	if len(all) != 1 || all[0].Level != zap.WarnLevel ||
		all[0].Message != "last seen times of devices not written" ||
		!maps.Equal(all[0].ContextMap(), map[string]any{"cause": "other"}) {
		t.Errorf("log %v, want one warning that the times were not written, with its cause alone", all)
	}
	h.assertDevice(t, credential, device.ID)
	h.service.Flush(t.Context())
	if h.lastSeen(t, device.ID) == "" || h.logged.Len() != 1 {
		t.Error("not written afterwards")
	}
}

// Two processes that saw the same devices do not deadlock, although they find the rows in different orders.
func TestFlushesDoNotCollide(t *testing.T) {
	t.Parallel()
	h := setup(t)
	byTable := h.over(t, h.AnotherPool(t, "SET enable_indexscan = off", "SET enable_bitmapscan = off"))
	byKey := h.over(t, h.AnotherPool(t, "SET enable_seqscan = off", "SET enable_bitmapscan = off"))
	h.Exec(t, "INSERT INTO core.device (label, module_id) SELECT 'x', 'stage' FROM generate_series(1, 300)")
	rows, err := h.Pool(t).Query(t.Context(), "SELECT id::text FROM core.device")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	for range 10 {
		h.Exec(t, "UPDATE core.device SET last_seen_at = NULL")
		var flushing sync.WaitGroup
		for _, process := range []*harness{byTable, byKey} {
			for _, id := range ids {
				process.service.Note(id)
			}
			flushing.Go(func() { process.service.Flush(t.Context()) })
		}
		flushing.Wait()
		if n := h.count(t, "core.device WHERE last_seen_at IS NULL"); n != 0 {
			t.Errorf("%d devices have no last_seen_at, want 0", n)
		}
	}
	if byTable.logged.Len()+byKey.logged.Len() != 0 {
		t.Error("a flush failed")
	}
}

// The number of devices that wait for a flush is bounded.
func TestSeenDevicesAreBounded(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for i := range 2 * devices.MaxSeen {
		h.service.Note(fmt.Sprintf("00000000-0000-4000-8000-%012d", i))
	}
	if n := h.service.Noted(); n != devices.MaxSeen {
		t.Errorf("%d devices wait for a flush, want %d", n, devices.MaxSeen)
	}
	h.service.Flush(t.Context())
	if h.service.Noted() != 0 || h.logged.Len() != 0 {
		t.Error("not flushed")
	}
}
