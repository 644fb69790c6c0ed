package people_test

import (
	"strings"
	"sync"
	"testing"
)

// TestRemind: somebody without a passkey gets one mail a day, whoever sends it, and the activity has it.
// Others get none.
func TestRemind(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, anna := p.member(t, "Anna", managePeople)
	_, carl := p.member(t, "Carl", managePeople)
	bertID, bert := p.member(t, "Bert")
	found := decode[struct {
		UserID     string
		HasPasskey *bool
	}](t, p.decide(anna, bertID, "remind"), 200)
	if found.UserID != bertID || found.HasPasskey == nil || *found.HasPasskey {
		t.Errorf("the answer is %+v, want Bert without a passkey", found)
	}
	sent := p.outbox.deliver(t.Context(), "SENT")
	if len(sent) != 1 || sent[0].To[0] != "bert@example.org" || sent[0].Subject != "Please add a passkey" {
		t.Fatalf("mails %+v, want one to Bert", sent)
	}
	again := p.decide(carl, bertID, "remind")
	assertCode(t, "another one on the same day", again, 429, "TOO_MANY_REQUESTS")
	if wait := again.Header().Get("X-Retry-After"); wait == "" || wait == "0" {
		t.Errorf("X-Retry-After is %q", wait)
	}
	if n := p.reminders(t); n != 1 {
		t.Errorf("%d reminders are recorded, want 1", n)
	}
	for what, state := range map[string]string{
		"with a passkey": "has_passkey = true", "deactivated": "deactivated_at = now()",
		"not confirmed": "email_verified = false",
	} {
		id, _ := p.member(t, "P"+strings.ReplaceAll(what, " ", "x"))
		p.Exec(t, "UPDATE core.person SET "+state+" WHERE id = $1", id)
		assertCode(t, what, p.decide(anna, id, "remind"), 409, "REMINDER_NOT_NEEDED")
	}
	const nobody = "00000000-0000-4000-8000-000000000000"
	assertCode(t, "nobody", p.decide(anna, nobody, "remind"), 404, "USER_NOT_FOUND")
	assertCode(t, "no id", p.decide(anna, "x", "remind"), 400, "REQUEST_INVALID")
	assertCode(t, "a body", p.send(anna, "POST", "/api/v1/people/"+bertID+"/remind", `{"x":1}`), 400,
		"REQUEST_INVALID")
	assertCode(t, "without the permission", p.decide(bert, bertID, "remind"), 403, "PERMISSION_DENIED")
	if sent := p.outbox.deliver(t.Context(), "SENT"); len(sent) != 0 {
		t.Errorf("%d further mails, want none", len(sent))
	}
}

// reminders returns how many are recorded.
func (p process) reminders(t *testing.T) (n int) {
	t.Helper()
	err := p.Pool(t).QueryRow(t.Context(),
		`SELECT count(*) FROM core.activity WHERE action = 'person.reminded'`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTwoReminders: of many administrators who remind a person at once in two processes, one sends the mail.
func TestTwoReminders(t *testing.T) {
	t.Parallel()
	p := start(t)
	other := p.another(t)
	_, anna := p.member(t, "Anna", managePeople)
	bertID, _ := p.member(t, "Bert")
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			if got := []process{p, other}[n%2].decide(anna, bertID, "remind"); got.Code != 200 && got.Code != 429 {
				t.Errorf("reminder %d: %d %s, want 200 or 429", n, got.Code, got.Body)
			}
		})
	}
	all.Wait()
	if n := p.reminders(t); n != 1 {
		t.Errorf("%d reminders, want 1", n)
	}
}
