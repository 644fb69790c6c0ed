package identity_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/identity"
)

// kinds are the two kinds of links that anybody can have sent to a person: the route that requests them, and
// the table that stores them.
var kinds = []struct{ path, screen, table string }{
	{requestResetPath, "reset-password", "core.password_reset"},
	{sendVerificationPath, "verify-email", "core.email_verification"},
}

// ask requests links for a person and returns their tokens.
func (h harness) ask(
	t *testing.T,
	path, screen string,
	times int,
	outcome mail.SendResult,
) (tokens []string) {
	t.Helper()
	for range times {
		if w := h.send(t, request{path: path, body: `{"email":"new@example.org"}`}); w.Code != 200 {
			t.Fatalf("POST %s: status %d, want 200; body %s", path, w.Code, w.Body)
		}
	}
	for _, m := range h.outbox.deliver(t.Context(), outcome) {
		tokens = append(tokens, token(t, m, screen))
	}
	return tokens
}

// Six requests by a stranger do not invalidate the person's own link, and do not prevent the email about the
// changed password.
func TestStrangersRequestsLeaveTheOwnersLinkAlone(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "new@example.org", "email_verified = false")
	owners := h.ask(t, requestResetPath, "reset-password", 1, mail.Sent)[0]
	strangers := h.ask(t, requestResetPath, "reset-password", 6, mail.Sent)
	if len(strangers) != 4 {
		t.Errorf("six further requests sent %d emails, want 4", len(strangers))
	}
	if status, body := h.reset(t, owners, "a new password"); status != 200 {
		t.Fatalf("the owner's link after six requests of a stranger: status %d, want 200; body %s", status,
			body)
	}
	emails := h.outbox.compose(t.Context())
	if len(emails) != 1 || emails[0].Subject != "Your password was changed" {
		t.Errorf("emails after the change: %v, want one about it", emails)
	}
	for _, link := range strangers {
		if status, body := h.reset(t, link, "another password"); status != 400 || body != invalidToken {
			t.Errorf("another link after the change: status %d, want 400; body %s", status, body)
		}
	}
	if n := h.count(t, "core.password_reset"); n != 0 {
		t.Errorf("%d reset links are left, want 0", n)
	}
	if tokens := h.ask(t, requestResetPath, "reset-password", 1, mail.Sent); len(tokens) != 1 {
		t.Errorf("a request after the change sent %d emails, want 1", len(tokens))
	}
}

// At most five links are valid at a time. Expired links, links of other people and links of the other kind
// are not counted.
func TestLiveLinksAreBounded(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind.screen, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.person(t, "new@example.org", "email_verified = false")
			h.person(t, "other@example.org", "email_verified = false")
			for _, other := range kinds {
				if other != kind {
					h.ask(t, other.path, other.screen, 5, mail.Sent)
				}
			}
			if first := h.ask(t, kind.path, kind.screen, 7, mail.Sent); len(first) != 5 {
				t.Errorf("seven requests sent %d emails, want 5", len(first))
			}
			h.linkTokenFor(t, kind.path, "other@example.org", kind.screen)
			h.Exec(t, "UPDATE "+kind.table+" SET expires_at = now()")
			if again := h.ask(t, kind.path, kind.screen, 6, mail.Sent); len(again) != 5 {
				t.Errorf("six requests after the first links have expired sent %d emails, want 5", len(again))
			}
		})
	}
}

// Of many requests at the same time, five get a link, because links are counted under the lock of the
// person's row.
func TestLinksIssuedByMany(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind.screen, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.person(t, "new@example.org", "email_verified = false")
			databasetest.Connected(t, h.Pool(t))
			for range 20 {
				h.send(t, request{path: kind.path, body: `{"email":"new@example.org"}`})
			}
			blockade := h.lockRows(t, "SELECT FROM core.person FOR UPDATE")
			var written atomic.Int32
			var workers sync.WaitGroup
			for _, email := range h.outbox.take() {
				workers.Go(func() {
					if _, ok := email.Compose(t.Context()); ok {
						written.Add(1)
					}
				})
			}
			blockade.release(8)
			workers.Wait()
			if n := h.count(t, kind.table); written.Load() != 5 || n != 5 {
				t.Errorf("20 requests at once wrote %d emails and %d links, want 5", written.Load(), n)
			}
		})
	}
}

// When an email is not sent, its link is withdrawn and no longer counts.
func TestUnsentEmailFreesItsPlace(t *testing.T) {
	t.Parallel()
	for _, outcome := range []mail.SendResult{
		mail.NotConfigured, mail.MessageInvalid, mail.ConnectionFailed, mail.TLSFailed, mail.AuthenticationFailed,
		mail.Rejected, mail.Deferred, mail.Timeout,
	} {
		t.Run(string(outcome), func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.person(t, "new@example.org", "email_verified = false")
			for _, kind := range kinds {
				if unsent := h.ask(t, kind.path, kind.screen, 6, outcome); len(unsent) != 6 ||
					h.count(t, kind.table) != 0 {
					t.Errorf("%s: %d emails were written, want 6; %d links are left, want none", kind.screen,
						len(unsent), h.count(t, kind.table))
				}
				if sent := h.ask(t, kind.path, kind.screen, 6, mail.Sent); len(sent) != 5 {
					t.Errorf("%s: %d emails sent afterwards, want 5", kind.screen, len(sent))
				}
			}
		})
	}
}

// Of two different reset links used at the same time, one works, and its use deletes the other.
func TestTwoResetLinksAtOnce(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "new@example.org")
	tokens := h.ask(t, requestResetPath, "reset-password", 2, mail.Sent)
	databasetest.Connected(t, h.Pool(t))
	blockade := h.lockRows(t, "SELECT FROM core.person FOR UPDATE")
	var uses sync.WaitGroup
	var changed, refused atomic.Int32
	for _, link := range tokens {
		uses.Go(func() {
			switch status, body := h.reset(t, link, "a new password"); {
			case status == 200:
				changed.Add(1)
			case status == 400 && body == invalidToken:
				refused.Add(1)
			default:
				t.Errorf("reset: status %d, want 200 or 400; body %s", status, body)
			}
		})
	}
	blockade.release(2)
	uses.Wait()
	if changed.Load() != 1 || refused.Load() != 1 {
		t.Errorf("%d links changed the password and %d were refused, want 1 and 1", changed.Load(), refused.Load())
	}
	if emails := h.outbox.compose(t.Context()); len(emails) != 1 {
		t.Errorf("%d emails about the change, want 1", len(emails))
	}
}

// An invented token costs no hash: it is refused at once even while every hash slot is taken.
func TestInventedTokenCostsNoHash(t *testing.T) {
	t.Parallel()
	h := setup(t)
	gate := identity.HashSemaphore(h.service)
	leave, empty := gate.TakeAll(), gate.FillQueue()
	unknown, _ := identity.NewToken()
	for _, bad := range []string{unknown, "", "x"} {
		if status, body := h.reset(t, bad, "a new password"); status != 400 || body != invalidToken {
			t.Errorf("%q: got %d %s, want 400 INVALID_TOKEN", bad, status, body)
		}
	}
	leave()
	empty()
}

// Resets and sign-ups do not delay sign-ins, and sign-ins do not delay them.
func TestSignInHasSlotsOfItsOwn(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "new@example.org")
	live := h.ask(t, requestResetPath, "reset-password", 1, mail.Sent)[0]
	hashes := identity.HashSemaphore(h.service)
	leave, empty := hashes.TakeAll(), hashes.FillQueue()
	if status, body := h.reset(t, live, "a new password"); status != 429 {
		t.Errorf("a reset with every place taken: %d %s, want 429", status, body)
	}
	if w := h.send(
		t, request{path: signUpPath, body: signUpBody("Bert", "bert@example.org", password)},
	); w.Code != 429 {
		t.Errorf("a sign-up with every place taken: %d %s, want 429", w.Code, w.Body)
	}
	h.signIn(t, "new@example.org", "")
	leave()
	empty()

	checks := identity.CheckSemaphore(h.service)
	leave, empty = checks.TakeAll(), checks.FillQueue()
	if status, body := h.reset(t, live, "a new password"); status != 200 {
		t.Errorf("a reset while sign-ins wait: status %d, want 200; body %s", status, body)
	}
	leave()
	empty()
}

func FuzzLinkToken(f *testing.F) {
	text, _ := identity.NewToken()
	f.Add(text)
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := identity.ParseToken(text); ok && len(text) != 43 {
			t.Errorf("ParseToken(%q): accepted, want 43 characters only", text)
		}
	})
}
