package e2e

import (
	"fmt"
	"net/http"
	"testing"
)

// TestPairingFlood: a thousand pairings from a thousand addresses, which nobody polls, keep no real screen
// out for longer than a minute, and a person who may manage screens cannot find a code by trying.
func TestPairingFlood(t *testing.T) {
	t.Parallel()
	i := install(t, "announcements")
	i.useProxyAddresses()
	i.start(t)
	owner := i.visitorFrom(t, 1).signInAs(t, ownerAddress)
	asks := map[string]string{"moduleId": "announcements"}
	flood := i.visitor(t)
	for n := range 1_000 {
		sender := *flood
		sender.client = &http.Client{Timeout: patience, Transport: headerTransport{flood.client.Transport,
			"X-Forwarded-For", fmt.Sprintf("198.18.%d.%d", n/250, 1+n%250)}}
		if got := sender.do("POST", "/api/v1/device-pairing", asks); got.status != 201 {
			t.Fatalf("pairing %d of the flood: %d %s, want 201", n, got.status, got.body)
		}
	}
	screen := i.visitorFrom(t, 2)
	if got := screen.do("POST", "/api/v1/device-pairing", asks); got.status != 503 {
		t.Errorf("a screen in the first minute: %d %s, want 503", got.status, got.body)
	}
	i.db.Exec(t, "UPDATE core.device_pairing SET polled_at = polled_at - interval '61 seconds'")
	i.pairScreen(t, owner, 3)

	refused := 0
	for n := range 100 {
		got := owner.do("GET", fmt.Sprintf("/api/v1/device-pairing/requests/%06d", n), nil)
		switch got.status {
		case http.StatusTooManyRequests:
			refused++
		case http.StatusNotFound, http.StatusOK: // a code of the flood is no miss
		default:
			t.Errorf("code %06d: %d %s", n, got.status, got.body)
		}
	}
	if refused < 70 {
		t.Errorf("of 100 codes in a row %d were refused, want all after twenty misses", refused)
	}
}
