package devices_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/ratelimit"
)

// fill inserts n open pairings of other clients.
func (h *harness) fill(t *testing.T, n int) {
	t.Helper()
	h.Exec(t, `
		INSERT INTO core.device_pairing (code, claim_hash, client_key, module_id, description, state, created_at,
			expires_at)
		SELECT to_char(n, 'FM000000'), sha256(n::text::bytea), sha256(n::text::bytea), 'stage', '', CASE n % 2 WHEN
			0 THEN 'pending' ELSE 'approved' END,
			now(), now() + '10 minutes'
		FROM generate_series(1, $1 + 100) AS n
		WHERE NOT EXISTS (SELECT FROM core.device_pairing WHERE code = to_char(n, 'FM000000')) -- drawn before
		ORDER BY n
		LIMIT $1`, n)
}

// At most a thousand pairings are open, also when many are requested at the same time. Decided and expired
// ones are not counted.
func TestCapacity(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.fill(t, 980)
	h.fillClosed(t)
	requests := make([]request, 60)
	for i := range requests {
		requests[i] = asking("stage")
		requests[i].client = "192.0.2." + strconv.Itoa(i)
	}
	assertStatuses(t, h.together(t, requests), map[int]int{201: 20, 503: 40}, "PAIRING_CAPACITY")
	if n := h.count(
		t, "core.device_pairing WHERE state IN ('pending', 'approved') AND expires_at > now()",
	); n != 1_000 {
		t.Errorf("%d pairings are open, want 1,000", n)
	}
	h.Exec(t, "UPDATE core.device_pairing SET state = 'rejected' WHERE code = '000002'")
	h.assertSend(t, asking("stage"), 201, "")
	h.assertSend(t, asking("stage"), 503, "PAIRING_CAPACITY")
	h.Exec(t, "UPDATE core.device_pairing SET expires_at = now() WHERE code = '000004'")
	h.assertSend(t, asking("stage"), 201, "")
}

// fillClosed inserts a thousand pairings that are not open.
func (h *harness) fillClosed(t *testing.T) {
	t.Helper()
	h.Exec(t, `
		INSERT INTO core.device_pairing (code, client_key, module_id, description, state, created_at, expires_at)
		SELECT to_char(n + 500000, 'FM000000'), '', 'stage', '', (ARRAY['pending', 'approved', 'rejected',
			'claimed'])[n % 4 + 1],
			now(), now() + CASE WHEN n % 4 < 2 THEN '-1 second' ELSE '5 minutes' END::interval
		FROM generate_series(1, 1000) AS n`)
}

// At most twenty pairings of one client are open; an IPv6 client is identified by its /64. The refusal
// contains when the oldest one expires.
func TestPairingsOfOneClient(t *testing.T) {
	t.Parallel()
	h := setup(t)
	requests := make([]request, 50)
	for i := range requests {
		requests[i] = asking("stage")
		requests[i].client = fmt.Sprintf("2001:db8:0:1::%x", i+1)
	}
	assertStatuses(t, h.together(t, requests), map[int]int{201: 20, 429: 30}, "TOO_MANY_REQUESTS")
	h.assertRows(t, 20, 0, 0)

	h.ageRows(t, "100 seconds")
	h.Exec(t, "UPDATE core.device_pairing SET polled_at = now()")
	h.Exec(
		t,
		"UPDATE core.device_pairing SET expires_at = expires_at + '10 seconds' WHERE code <> (SELECT min(code) "+
			"FROM core.device_pairing)",
	)
	w := h.assertSend(t, requests[0], 429, "TOO_MANY_REQUESTS")
	if wait, err := strconv.Atoi(w.Header().Get("X-Retry-After")); err != nil || wait <= 400 || wait > 500 ||
		w.Header().Get("Retry-After") != "" {
		t.Errorf("refusal with the header %v, want X-Retry-After within its bounds", w.Header())
	}
	for _, client := range []string{"2001:db8:0:2::1", "192.0.2.1"} {
		q := asking("stage")
		q.client = client
		h.assertSend(t, q, 201, "")
	}
}

// A screen with a valid claim needs no new pairing, so the limit does not apply. When it requests another
// module, its old pairing is deleted.
func TestFullClientMayAskAgain(t *testing.T) {
	t.Parallel()
	h := setup(t)
	s := h.ask(t, "stage")
	for range 19 {
		h.ask(t, "stage")
	}
	h.assertSend(t, asking("stage"), 429, "TOO_MANY_REQUESTS")
	again := asking("stage")
	again.cookie = s.cookie
	h.assertSend(t, again, 200, "")
	other := asking("announcements")
	other.cookie = s.cookie
	w := h.assertSend(t, other, 201, "")
	h.assertRows(t, 20, 0, 0)
	h.assertSend(t, asking("stage"), 429, "TOO_MANY_REQUESTS")

	// When it is refused, here because of the other limit, it keeps its pairing.
	h.fill(t, 980)
	h.Exec(
		t,
		"UPDATE core.device_pairing SET client_key = (SELECT client_key FROM core.device_pairing WHERE "+
			"module_id = 'announcements') WHERE code = '000002'",
	)
	back := asking("stage")
	back.cookie = cookieOf(w)
	h.assertSend(t, back, 429, "TOO_MANY_REQUESTS")
	h.assertState(t, screen{decode[pairingBody](t, w).PairingCode, cookieOf(w)}, "pending")
}

// A client may send three requests in ten seconds, whatever the result. No other route is limited.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	h := setup(t, limitedBy(ratelimit.New()))
	s := h.ask(t, "stage")
	again := asking("stage")
	again.cookie = s.cookie
	h.assertSend(t, again, 200, "")
	h.assertSend(t, request{method: "POST", path: pairing, body: "{"}, 400, "REQUEST_INVALID")
	for _, q := range []request{again, asking("stage"), {method: "POST", path: pairing, body: "{"}} {
		w := h.assertSend(t, q, http.StatusTooManyRequests, "TOO_MANY_REQUESTS")
		if wait, err := strconv.Atoi(w.Header().Get("X-Retry-After")); err != nil || wait < 1 || wait > 10 {
			t.Errorf("refusal with the header %v, want X-Retry-After within its bounds", w.Header())
		}
	}
	for range 20 {
		h.assertState(t, s, "pending")
		h.assertSend(t, s.collect(), 409, "PAIRING_NOT_APPROVED")
	}
	other := asking("stage")
	other.client = "192.0.2.2"
	h.assertSend(t, other, 201, "")
	h.assertRows(t, 2, 0, 0)
}

// recorder is a limiter that records its calls.
type recorder struct {
	rules []ratelimit.Rule
	keys  []ratelimit.Key
}

func (r *recorder) Allow(rule ratelimit.Rule, key ratelimit.Key) (bool, time.Duration) {
	r.rules, r.keys = append(r.rules, rule), append(r.keys, key)
	return false, 9*time.Second + 1
}

func TestRule(t *testing.T) {
	t.Parallel()
	limiter := &recorder{}
	h := setup(t, limitedBy(limiter))
	w := h.assertSend(t, asking("stage"), 429, "TOO_MANY_REQUESTS")
	rule, key := ratelimit.Rule{
		Window: 10 * time.Second,
		Max:    3,
	}, ratelimit.KeyOf(
		netip.MustParseAddr("192.0.2.1"),
		pairing,
	)
	if len(limiter.rules) != 1 || limiter.rules[0] != rule || limiter.keys[0] != key ||
		w.Header().Get("X-Retry-After") != "10" {
		t.Errorf("the limiter was asked for %v of %v; header %v, want X-Retry-After 10", limiter.rules,
			limiter.keys, w.Header())
	}
}

// With only four possible codes, four screens that request one at the same time get four different codes, and
// a fifth gets none. A code is free again when its pairing has expired, not when it is decided. A device that
// was claimed with the code stays.
func TestCodesAreUnique(t *testing.T) {
	t.Parallel()
	h := setup(t)
	var drawn atomic.Int64
	four := func() string { return fmt.Sprintf("00000%d", drawn.Add(1)%4) }
	h.service.DrawCodes(four)
	device, credential := h.pair(t, "stage")
	other := h.second(t)
	other.service.DrawCodes(four)
	responses := send(t, []*harness{h, other}, repeat(asking("stage"), 12))
	assertStatuses(t, responses, map[int]int{201: 3, 503: 9}, "PAIRING_CAPACITY")
	codes := make(map[string]bool)
	for _, w := range responses {
		if w.Code == 201 {
			codes[decode[pairingBody](t, w).PairingCode] = true
		}
	}
	if len(codes) != 3 {
		t.Errorf("codes of the pairings that were accepted: %v, want 3", codes)
	}
	h.assertSend(t, rejecting(anyOf(codes)), 204, "")
	h.assertSend(t, asking("stage"), 503, "PAIRING_CAPACITY")
	h.assertRows(t, 4, 1, 1)

	h.ageRows(t, "10 minutes")
	for range 4 {
		h.ask(t, "stage")
	}
	h.assertSend(t, asking("stage"), 503, "PAIRING_CAPACITY")
	h.assertRows(t, 4, 1, 1)
	h.assertDevice(t, credential, device.ID)
}

func anyOf(set map[string]bool) string {
	for one := range set {
		return one
	}
	return ""
}

// When the code of an expired approval is used again, its unclaimed device is deleted too.
func TestReplacedApproval(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.service.DrawCodes(func() string { return "123456" })
	old := h.ask(t, "stage")
	h.approve(t, old)
	h.assertSend(t, asking("stage"), 503, "PAIRING_CAPACITY")
	h.ageRows(t, "10 minutes")
	s := h.ask(t, "stage")
	h.assertRows(t, 1, 0, 0)
	h.assertSend(t, old.state(), 404, "PAIRING_NOT_FOUND")
	h.assertSend(t, old.collect(), 404, "PAIRING_NOT_FOUND")
	h.assertState(t, s, "pending")
}

// A thousand pairings that nobody polls any more, from a thousand addresses, make room for the screens that
// ask in two processes, one each, and their codes and devices are gone. A pairing that is polled stays.
func TestLeftPairingsMakeRoom(t *testing.T) {
	t.Parallel()
	h := setup(t)
	polled := h.ask(t, "stage")
	h.fill(t, 999)
	h.Exec(t, "INSERT INTO core.device (id, label, module_id) "+
		"VALUES ('11111111-1111-4111-8111-111111111111', 'Left', 'stage')")
	h.Exec(t, "UPDATE core.device_pairing SET device_id = '11111111-1111-4111-8111-111111111111' "+
		"WHERE code = '000001'")
	other := asking("stage")
	other.client = "198.51.100.1"
	h.assertSend(t, other, 503, "PAIRING_CAPACITY")

	h.Exec(t, "UPDATE core.device_pairing SET polled_at = polled_at - interval '61 seconds'")
	h.assertState(t, polled, "pending") // the poll counts
	requests := make([]request, 60)
	for i := range requests {
		requests[i] = asking("stage")
		requests[i].client = "203.0.113." + strconv.Itoa(i)
	}
	assertStatuses(t, h.together(t, requests), map[int]int{201: 60}, "")
	const open = "core.device_pairing WHERE state IN ('pending', 'approved') AND expires_at > now()"
	if n := h.count(t, open); n != 1_000 {
		t.Errorf("%d pairings are open, want 1,000", n)
	}
	h.assertState(t, polled, "pending")

	h.Exec(t, "DELETE FROM core.device_pairing "+
		"WHERE state = 'pending' AND polled_at < now() - interval '1 minute'")
	h.Exec(t, "UPDATE core.device_pairing SET polled_at = now() WHERE code <> '000001'")
	h.fillTo(t, 1_000)
	h.assertSend(t, other, 201, "") // in place of an approval
	if n := h.count(t, "core.device WHERE label = 'Left'"); n != 0 {
		t.Error("the device of an approval that made room is still there")
	}
	other.client = "198.51.100.2"
	h.assertSend(t, other, 503, "PAIRING_CAPACITY")
}

// fillTo inserts pairings of other clients until n are stored.
func (h *harness) fillTo(t *testing.T, n int) {
	t.Helper()
	h.Exec(t, `
		INSERT INTO core.device_pairing (code, client_key, module_id, description, created_at, expires_at)
		SELECT to_char(n + 600000, 'FM000000'), '', 'stage', '', now(), now() + '10 minutes'
		FROM generate_series(1, $1 + 100) AS n
		WHERE NOT EXISTS (SELECT FROM core.device_pairing WHERE code = to_char(n + 600000, 'FM000000'))
		ORDER BY n
		LIMIT $1 - (SELECT count(*) FROM core.device_pairing)`, n)
}

// A client with twenty pairings gets another one in place of its own that it polls no more. A screen that
// asks again for its pairing has polled it. A code that is drawn again belongs to who polls.
func TestOwnLeftPairingMakesRoom(t *testing.T) {
	t.Parallel()
	h := setup(t)
	screens := make([]screen, 20)
	for n := range screens {
		screens[n] = h.ask(t, "stage")
	}
	h.Exec(t, "UPDATE core.device_pairing SET polled_at = now() - interval '61 seconds' WHERE code IN ($1, $2)",
		screens[3].code, screens[7].code)
	again := asking("stage")
	again.cookie = screens[7].cookie
	h.assertSend(t, again, 200, "")
	last := h.ask(t, "stage")
	h.assertSend(t, screens[3].state(), 404, "PAIRING_NOT_FOUND")
	h.assertState(t, screens[7], "pending")
	h.assertSend(t, asking("stage"), 429, "TOO_MANY_REQUESTS")

	h.service.DrawCodes(func() string { return last.code })
	other := asking("stage")
	other.client = "192.0.2.2"
	h.assertSend(t, other, 503, "PAIRING_CAPACITY")
	h.Exec(t, "UPDATE core.device_pairing SET polled_at = now() - interval '61 seconds' WHERE code = $1",
		last.code)
	h.assertSend(t, other, 201, "")
	h.assertSend(t, last.state(), 404, "PAIRING_NOT_FOUND")
}

// Of fifty codes of nobody that one person names at once in two processes, twenty are looked up. Then the
// person is refused whatever the code is, and another person is not. Ten minutes later the person may go on.
func TestWrongCodesOfOnePersonAreLimited(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.service.DrawCodes(func() string { return "999999" })
	open := h.ask(t, "stage")
	looking := func(n int) request {
		return request{method: "GET", path: fmt.Sprintf("%s/requests/%06d", pairing, n)}
	}
	found := looking(999_999)
	for range 30 {
		h.assertSend(t, found, 200, "") // what exists is no miss
	}
	requests := make([]request, 60)
	for n := range requests {
		code := fmt.Sprintf("%06d", n)
		requests[n] = []request{looking(n), approving(code), rejecting(code)}[n%3]
	}
	got := map[string]int{}
	for _, w := range h.together(t, requests) {
		got[w.Body.String()]++
	}
	if got[`{"code":"PAIRING_NOT_FOUND"}`] != 20 || got[`{"code":"TOO_MANY_REQUESTS"}`] != 40 {
		t.Errorf("60 misses got %v, want 20 times 404 and 40 times 429", got)
	}
	for _, q := range []request{found, looking(1), approving(open.code), rejecting(open.code)} {
		w := h.assertSend(t, q, 429, "TOO_MANY_REQUESTS")
		if wait, err := strconv.Atoi(w.Header().Get("X-Retry-After")); err != nil || wait < 1 || wait > 600 {
			t.Errorf("refusal with the header %v, want X-Retry-After up to ten minutes", w.Header())
		}
	}
	h.assertState(t, open, "pending")

	other := *h
	other.admin = h.text(t,
		"INSERT INTO core.person (email, name) VALUES ('b@example.org', 'B') RETURNING id::text")
	other.assertSend(t, found, 200, "")
	h.Exec(t, "UPDATE core.pairing_misses SET missed_at = "+
		"(SELECT array_agg(at - interval '10 minutes' ORDER BY at) FROM unnest(missed_at) AS at)")
	h.assertSend(t, looking(1), 404, "PAIRING_NOT_FOUND")
	h.assertSend(t, found, 200, "")
	h.approve(t, open)
	h.Exec(t, "UPDATE core.pairing_misses SET missed_at = "+
		"(SELECT array_agg(at - interval '10 minutes' ORDER BY at) FROM unnest(missed_at) AS at)")
	h.sweep(t, 0)
	if n := h.count(t, "core.pairing_misses"); n != 0 {
		t.Errorf("%d rows of misses are left after a sweep, want none", n)
	}
}
