package devices_test

import (
	"net/http"
	"strings"
	"testing"
)

// A device whose credential is not used within ten minutes after the claim no longer exists, whether its row
// was deleted or not. A repeated claim does not extend the time.
func TestUnusedCredential(t *testing.T) {
	t.Parallel()
	h := setup(t)
	s := h.ask(t, "stage")
	h.ageRows(t, "9 minutes")
	h.approve(t, s)
	credential := cookieOf(h.assertSend(t, s.collect(), 200, ""))

	h.ageRows(t, "9 minutes") // the pairing itself would have expired by now
	h.assertState(t, s, "approved")
	if again := h.assertSend(t, s.collect(), 200, ""); cookieOf(again) != credential {
		t.Errorf("claimed again: %q, want %q", cookieOf(again), credential)
	}
	if all := h.list(t).Devices; len(all) != 1 {
		t.Errorf("devices: %+v, want the one that was claimed", all)
	}
	h.sweep(t, 0)

	h.ageRows(t, "1 minute")
	for range 2 { // before and after the sweep
		h.assertDevice(t, credential, "")
		h.assertState(t, s, "expired")
		h.assertSend(t, s.collect(), 404, "PAIRING_NOT_FOUND")
		if all := h.list(t).Devices; len(all) != 0 {
			t.Errorf("devices: %+v, want none", all)
		}
		if _, err := h.store.SweepExpired(t.Context()); err != nil {
			t.Error(err)
		}
	}
	h.assertRows(t, 1, 0, 0)
}

// A code that a claimed and unused device still needs is not used for a new pairing, although its own pairing
// has expired. After the device's end it is.
func TestCodeOfAnUnusedDevice(t *testing.T) {
	t.Parallel()
	h := setup(t)
	codes := []string{"000001"}
	h.service.DrawCodes(func() string {
		next := codes[0]
		if len(codes) > 1 {
			codes = codes[1:]
		}
		return next
	})
	s := h.ask(t, "stage")
	h.ageRows(t, "9 minutes")
	device := h.approve(t, s)
	credential := cookieOf(h.assertSend(t, s.collect(), 200, ""))
	h.ageRows(t, "2 minutes")
	h.assertSend(t, asking("stage"), 503, "PAIRING_CAPACITY")
	h.assertDevice(t, credential, device.ID)
	if next := h.ask(t, "stage"); next.code != "000001" {
		t.Errorf("the next code is %s, want the one that is free again", next.code)
	}
	h.assertDevice(t, credential, device.ID)
}

// The claim cookie is cleared when the claim is no longer valid, and not while a pairing is open.
func TestForgetClaim(t *testing.T) {
	t.Parallel()
	h := setup(t)
	forgets := func(cookie string) bool {
		t.Helper()
		header := make(http.Header)
		r := request{method: "GET", path: "/", cookie: cookie}.build(t)
		if err := h.service.ForgetClaim(header, r); err != nil {
			t.Error(err)
		}
		set := header.Get("Set-Cookie")
		if set != "" && set != "narthex_claim=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax" {
			t.Errorf("ForgetClaim: Set-Cookie %q, want none or the claim's deletion", set)
		}
		return set != ""
	}
	s := h.ask(t, "stage")
	device := h.approve(t, s)
	credential := cookieOf(h.assertSend(t, s.collect(), 200, ""))
	if forgets(s.cookie) {
		t.Error("forgotten before the first use")
	}
	h.assertDevice(t, credential, device.ID)
	if !forgets(s.cookie) || !forgets("narthex_claim=x") {
		t.Error("kept after the first use")
	}
	if forgets(h.ask(t, "stage").cookie) {
		t.Error("forgotten while another pairing stands")
	}
	if forgets(credential) || forgets("") {
		t.Error("cleared without having come")
	}
}

// Revoking ends a claim that may still be repeated.
func TestRevokedBeforeTheFirstUse(t *testing.T) {
	t.Parallel()
	h := setup(t)
	s := h.ask(t, "stage")
	device := h.approve(t, s)
	credential := cookieOf(h.assertSend(t, s.collect(), 200, ""))
	h.assertSend(t, request{method: "POST", path: managed + "/" + device.ID + "/revoke", body: `{}`}, 200, "")
	h.assertDevice(t, credential, "")
	h.assertState(t, s, "expired")
	h.assertSend(t, s.collect(), 404, "PAIRING_NOT_FOUND")
	if all := h.list(t).Devices; len(all) != 1 || all[0].RevokedAt == nil {
		t.Errorf("devices: %+v, want the revoked one", all)
	}
}

// The credential is not the claim, and differs for every claim.
func TestCredentialIsNotTheClaim(t *testing.T) {
	t.Parallel()
	h := setup(t)
	seen := map[string]bool{}
	for range 3 {
		s := h.ask(t, "stage")
		h.approve(t, s)
		_, claimed, _ := strings.Cut(s.cookie, "=")
		_, credential, _ := strings.Cut(cookieOf(h.assertSend(t, s.collect(), 200, "")), "=")
		if seen[credential] || credential == claimed {
			t.Errorf("credential %q of claim %q, want a new one that is not the claim", credential, claimed)
		}
		seen[credential] = true
	}
}
