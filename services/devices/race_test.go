package devices_test

import (
	"net/http/httptest"
	"sync"
	"testing"
)

// together sends all requests at the same time, half of them to another process, and returns the responses.
func (h *harness) together(t *testing.T, requests []request) []*httptest.ResponseRecorder {
	t.Helper()
	return send(t, []*harness{h, h.second(t)}, requests)
}

// send distributes the requests among processes.
func send(t *testing.T, processes []*harness, requests []request) []*httptest.ResponseRecorder {
	t.Helper()
	responses := make([]*httptest.ResponseRecorder, len(requests))
	start := make(chan struct{})
	var callers sync.WaitGroup
	for i, q := range requests {
		callers.Go(func() {
			<-start
			responses[i] = processes[i%len(processes)].send(t, q)
		})
	}
	close(start)
	callers.Wait()
	return responses
}

func repeat(q request, n int) []request {
	all := make([]request, n)
	for i := range all {
		all[i] = q
	}
	return all
}

// assertStatuses checks how often each status was returned and, for an error, its code.
func assertStatuses(t *testing.T, responses []*httptest.ResponseRecorder, want map[int]int, refusal string) {
	t.Helper()
	got := make(map[int]int)
	for _, w := range responses {
		got[w.Code]++
		if w.Code >= 400 && w.Body.String() != `{"code":"`+refusal+`"}` {
			t.Errorf("refused with status %d; body %s, want %s", w.Code, w.Body, refusal)
		}
	}
	for status, n := range want {
		if got[status] != n {
			t.Errorf("answers %v, want %v", got, want)
			return
		}
	}
	if len(got) != len(want) {
		t.Errorf("answers %v, want %v", got, want)
	}
}

// Of fifty approvals of one code in two processes, one makes a device. Fifty claims of it return the same
// credential. Its first use ends the claim.
func TestOneDeviceAndOneCredential(t *testing.T) {
	t.Parallel()
	h := setup(t)
	s := h.ask(t, "stage")
	assertStatuses(
		t,
		h.together(t, repeat(approving(s.code), 50)),
		map[int]int{200: 1, 409: 49},
		"PAIRING_ALREADY_DECIDED",
	)
	h.assertRows(t, 1, 1, 1)

	responses := h.together(t, repeat(s.collect(), 50))
	assertStatuses(t, responses, map[int]int{200: 50}, "")
	h.assertRows(t, 1, 1, 1)
	credential := cookieOf(responses[0])
	for _, w := range responses {
		if cookieOf(w) != credential || credential == "" {
			t.Errorf("claims gave %q and %q, want one credential", cookieOf(w), credential)
		}
	}
	h.assertDevice(t, credential, h.text(t, "SELECT id::text FROM core.device"))
	assertStatuses(t, h.together(t, repeat(s.collect(), 10)), map[int]int{404: 10}, "PAIRING_NOT_FOUND")
}

// Claims race with the first use of the credential. Every claim that succeeds returns the credential in use.
// Afterwards the device is permanent and nothing can be claimed.
func TestClaimsAgainstTheFirstUse(t *testing.T) {
	t.Parallel()
	h := setup(t)
	other := h.second(t)
	for range 20 {
		s := h.ask(t, "stage")
		device := h.approve(t, s)
		credential := cookieOf(h.assertSend(t, s.collect(), 200, ""))
		var uses sync.WaitGroup
		for _, process := range []*harness{h, other, h, other} {
			uses.Go(func() { process.assertDevice(t, credential, device.ID) })
		}
		for _, w := range h.together(t, repeat(s.collect(), 10)) {
			if w.Code != 404 && (w.Code != 200 || cookieOf(w) != credential) {
				t.Errorf("a claim beside the first use: status %d, cookie %q; want 404, or 200 with %q",
					w.Code, cookieOf(w), credential)
			}
		}
		uses.Wait()
		h.assertSend(t, s.collect(), 404, "PAIRING_NOT_FOUND")
		h.ageRows(t, "11 minutes")
		h.assertDevice(t, credential, device.ID)
	}
	h.sweep(t, 0)
}

// Of approvals and rejections of one code, only the first decision succeeds.
func TestOneDecision(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for range 5 {
		s := h.ask(t, "stage")
		before := h.count(t, "core.device")
		responses := h.together(t, append(repeat(approving(s.code), 10), repeat(rejecting(s.code), 10)...))
		approvals, rejections := 0, 0
		for _, w := range responses {
			switch w.Code {
			case 200:
				approvals++
			case 204:
				rejections++
			case 409:
			default:
				t.Errorf("decision: status %d, want 200, 204 or 409; body %s", w.Code, w.Body)
			}
		}
		if approvals+rejections != 1 || h.count(t, "core.device") != before+approvals {
			t.Errorf("%d approvals and %d rejections succeeded, want one in all, and a device for an approval",
				approvals, rejections)
		}
	}
}

// When a device is revoked while its screen claims it, no credential works afterwards, whichever was first.
func TestRevokedWhileClaimed(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for range 20 {
		s := h.ask(t, "stage")
		device := h.approve(t, s)
		responses := h.together(
			t,
			[]request{s.collect(), {method: "POST", path: managed + "/" + device.ID + "/revoke", body: `{}`}},
		)
		if responses[1].Code != 200 {
			t.Fatalf("revoke beside a claim: status %d, want 200; body %s", responses[1].Code,
				responses[1].Body)
		}
		switch responses[0].Code {
		case 200:
			h.assertDevice(t, cookieOf(responses[0]), "")
		case 409:
			h.assertState(t, s, "rejected")
		default:
			t.Fatalf("claim beside a revoke: status %d, want 200 or 409; body %s", responses[0].Code,
				responses[0].Body)
		}
	}
}
