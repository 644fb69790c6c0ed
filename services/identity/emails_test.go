package identity_test

import (
	"strings"
	"testing"
)

// Every email has the house's language at the time when it is composed, not when it was requested.
func TestEmailsAreInTheLanguageOfTheHouse(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	h.person(t, "bert@example.org", "email_verified = false")
	for _, r := range []request{
		{path: requestResetPath, body: `{"email":"anna@example.org"}`},
		{path: sendVerificationPath, body: `{"email":"bert@example.org"}`},
	} {
		if w := h.send(t, r); w.Code != 200 {
			t.Fatalf("POST %s: status %d, body %s", r.path, w.Code, w.Body)
		}
	}
	h.house.language = "de"
	messages := h.outbox.compose(t.Context())
	if len(messages) != 2 {
		t.Fatalf("%d mails, want 2", len(messages))
	}
	h.house.language = "en"
	link := token(t, messages[0], "reset-password")
	if status, body := h.reset(t, link, "another good one"); status != 200 {
		t.Fatalf("reset: status %d, body %s", status, body)
	}
	h.house.language = "de"
	for _, m := range append(messages, h.outbox.compose(t.Context())...) {
		if !strings.HasPrefix(m.Text, "Guten Tag!\n") || !strings.Contains(m.HTML, `<html lang="de">`) {
			t.Errorf("the email %q has the text %q, want German words from \"Guten Tag!\" on", m.Subject, m.Text)
		}
	}
}
