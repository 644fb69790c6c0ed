package secondfactor_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/secondfactor/authenticatortest"
	"github.com/narthex-platform/narthex/services/waittest"
)

// TestSignIn: after the password a passkey begins the session, and only then. The offer names no other
// person's passkeys, and the pending sign-in works once.
func TestSignIn(t *testing.T) {
	t.Parallel()
	h := setup(t)
	b, key, _ := h.member(t)
	other := b.add(t, "Laptop")
	for _, used := range []*authenticatortest.Authenticator{key, other, key} {
		b := h.pending(t)
		before := b.copy()
		assertCode(t, "the passkey", b.answer(t, used), 200, "")
		if !b.signedIn() || len(b.cookies) != 1 {
			t.Errorf("after the passkey the cookies are %v", b.cookies)
		}
		assertCode(t, "a second session", before.send(factorPath+"/options", `{}`), 403, "SECOND_FACTOR_INVALID")
	}
	if list := b.must(t, keysPath, ""); strings.Contains(list, `"lastUsedAt":null`) {
		t.Errorf("after their use the passkeys are %s", list)
	}
	if n := h.count(t, "core.pending_sign_in"); n != 0 {
		t.Errorf("%d pending sign-ins are left", n)
	}
}

// TestRefusedAnswers: every wrong answer gets the same response and begins nothing.
func TestRefusedAnswers(t *testing.T) {
	t.Parallel()
	h := setup(t)
	_, key, codes := h.member(t)
	offer := func(b *browser) string { return b.must(t, factorPath+"/options", `{}`) }
	refuse := func(what string, b *browser, body string) {
		t.Helper()
		assertCode(t, what, b.send(factorPath, body), 403, "SECOND_FACTOR_INVALID")
		h.Exec(t, `DELETE FROM core.second_factor_failure`)
	}
	refuse("without a sign-in", h.browser(), `{"recoveryCode":"`+codes[0]+`"}`)

	replayed := h.pending(t)
	first := replayed.copy()
	answer := credentialBody(key.Get(t, offer(first)))
	assertCode(t, "the passkey", first.send(factorPath, answer), 200, "")
	refuse("a completed sign-in again", replayed, answer)
	later := h.pending(t)
	refuse("an answer without an offer", later, answer)
	offer(later)
	refuse("an answer to another offer", later, answer)

	b := h.pending(t)
	key.Origin = "https://church.example.com"
	refuse("another origin", b, credentialBody(key.Get(t, offer(b))))
	key.Origin = dashboard
	key.RPID = "example.org"
	refuse("another party", b, credentialBody(key.Get(t, offer(b))))
	key.RPID = "church.example.org"
	right := credentialBody(key.Get(t, offer(b)))
	refuse("a wrong answer", b, `{"credential":{}}`)
	refuse("the right one, when the challenge is used up", b, right)

	b = h.pending(t)
	key.Count = 49
	assertCode(t, "the 50th use", h.pending(t).answer(t, key), 200, "")
	key.Frozen = true
	refuse("a counter that stands", b, credentialBody(key.Get(t, offer(b))))
	key.Count = 48
	refuse("a counter that goes back", b, credentialBody(key.Get(t, offer(b))))
	key.Frozen, key.Count = false, 100
	stranger := authenticatortest.New(t, dashboard)
	stranger.User = key.User
	refuse("a passkey that nobody has", b, credentialBody(stranger.Get(t, offer(b))))
	stranger.ID = key.ID
	refuse("another key with the id", b, credentialBody(stranger.Get(t, offer(b))))

	b = h.pending(t)
	refuse("a code that nobody has", b, `{"recoveryCode":"aaaa-aaaa-aaaa-aaaa"}`)
	refuse("no code", b, `{"recoveryCode":""}`)
	for _, body := range []string{`{}`, `{"credential":{},"recoveryCode":"x"}`, `{"credential":"x"}`,
		`{"recoveryCode":null}`, `{"recoveryCode":"x","more":1}`} {
		assertCode(t, body, b.send(factorPath, body), 400, "REQUEST_INVALID")
	}
	right = credentialBody(key.Get(t, offer(b)))
	h.Exec(t, `UPDATE core.pending_sign_in SET expires_at = now()`)
	refuse("an expired sign-in", b, right)
	assertCode(t, "the offer of an expired sign-in", b.send(factorPath+"/options", `{}`), 403,
		"SECOND_FACTOR_INVALID")
	if n := h.count(t, "core.session"); n != 3 {
		t.Errorf("%d sessions, want the first one and those of the right answers", n)
	}
	b = h.pending(t)
	assertCode(t, "the right passkey", b.answer(t, key), 200, "")
}

// TestCodes: a code works once, and is told by mail and in the activity. New codes replace the former ones.
func TestCodes(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner, _, codes := h.member(t)
	use := func(code string) *httptest.ResponseRecorder {
		return h.pending(t).send(factorPath, `{"recoveryCode":"`+code+`"}`)
	}
	assertCode(t, "a code", use(codes[3]), 200, "")
	assertCode(t, "the code again", use(codes[3]), 403, "SECOND_FACTOR_INVALID")
	if got := h.outbox.take(); !slices.Equal(got, []string{anna + ": A recovery code was used"}) {
		t.Errorf("mails %q", got)
	}
	if list := owner.must(t, keysPath, ""); !strings.Contains(list, `"recoveryCodesLeft":9`) {
		t.Errorf("after one code: %s", list)
	}
	made := owner.must(t, codesPath, `{}`)
	assertCode(t, "a former code", use(codes[4]), 403, "SECOND_FACTOR_INVALID")
	assertCode(t, "a new code", use(strings.Split(made, `"`)[3]), 200, "")
	if n := h.count(t, `core.activity WHERE action IN ('passkey.code_used', 'passkey.codes_replaced')`); n != 3 {
		t.Errorf("%d entries were recorded, want 3", n)
	}
}

// TestLimits: a pending sign-in has five tries, and a person ten in ten minutes, whatever comes after them.
func TestLimits(t *testing.T) {
	t.Parallel()
	h := setup(t)
	_, key, codes := h.member(t)
	b := h.pending(t)
	for range 5 {
		assertCode(t, "a wrong code", b.send(factorPath, `{"recoveryCode":"x"}`), 403, "SECOND_FACTOR_INVALID")
	}
	w := b.send(factorPath, `{"recoveryCode":"`+codes[0]+`"}`)
	assertCode(t, "the sixth try", w, 429, "TOO_MANY_REQUESTS")
	if w.Header().Get("X-Retry-After") == "" {
		t.Error("no X-Retry-After")
	}
	assertCode(t, "a new sign-in", h.pending(t).answer(t, key), 200, "")
	b = h.pending(t)
	for range 5 {
		assertCode(t, "a wrong code", b.send(factorPath, `{"recoveryCode":"x"}`), 403, "SECOND_FACTOR_INVALID")
	}
	assertCode(t, "the right passkey after ten failures", h.pending(t).answer(t, key), 429, "TOO_MANY_REQUESTS")
	h.Exec(t, `UPDATE core.second_factor_failure SET at = at - interval '10 minutes'
		WHERE id = (SELECT min(id) FROM core.second_factor_failure)`)
	assertCode(t, "when one is ten minutes old", h.pending(t).answer(t, key), 200, "")
	if n := h.count(t, "core.recovery_code"); n != 10 {
		t.Errorf("%d codes are left, want all of them", n)
	}
}

// TestChangesEndPendingSignIns: a new password, a deactivation and a removed passkey end what waits.
func TestChangesEndPendingSignIns(t *testing.T) {
	t.Parallel()
	h := setup(t)
	member, key, _ := h.member(t)
	second := member.add(t, "Laptop")
	b := h.pending(t)
	offer := b.must(t, factorPath+"/options", `{}`)
	h.Exec(t, `DELETE FROM core.passkey WHERE label = 'Laptop'`)
	assertCode(t, "a removed passkey", b.send(factorPath, credentialBody(second.Get(t, offer))), 403,
		"SECOND_FACTOR_INVALID")
	b = h.pending(t)
	offer = b.must(t, factorPath+"/options", `{}`)
	h.Exec(t, `UPDATE core.person SET deactivated_at = now() WHERE email = $1`, anna)
	assertCode(t, "deactivated", b.send(factorPath, credentialBody(key.Get(t, offer))), 403,
		"SECOND_FACTOR_INVALID")
	h.Exec(t, `UPDATE core.person SET deactivated_at = NULL`)
	var id string
	if err := h.Pool(t).QueryRow(t.Context(), `SELECT id::text FROM core.person WHERE email = $1`, anna).
		Scan(&id); err != nil {
		t.Fatal(err)
	}
	if err := h.people.SignOutEverywhere(t.Context(), id, map[string][]string{}); err != nil {
		t.Fatal(err)
	}
	if n := h.count(t, "core.pending_sign_in"); n != 0 {
		t.Errorf("%d sign-ins wait after signing out everywhere", n)
	}
}

// waiting makes n more pending sign-ins of Anna without a password, each in a browser of its own.
func (h *house) waiting(t *testing.T, n int) (browsers []*browser) {
	t.Helper()
	for range n {
		token := make([]byte, 32)
		_, _ = rand.Read(token)
		hash := sha256.Sum256(token)
		h.Exec(t, `INSERT INTO core.pending_sign_in (token_hash, person_id, persistent, description, expires_at)
			SELECT $1, id, true, '', now() + interval '5 minutes' FROM core.person WHERE email = $2`, hash[:], anna)
		b := h.browser()
		b.cookies["__Host-narthex_pending"] = base64.RawURLEncoding.EncodeToString(token)
		browsers = append(browsers, b)
	}
	return browsers
}

// TestRaces: of 50 uses of one recovery code, over two processes, one succeeds; and of 20 uses of one pending
// sign-in with its passkey.
func TestRaces(t *testing.T) {
	t.Parallel()
	h := setup(t)
	_, key, codes := h.member(t)
	other := process(t, h.DB, h.AnotherPool(t))
	race := func(what string, browsers []*browser, body string) {
		t.Helper()
		var wait sync.WaitGroup
		var mu sync.Mutex
		statuses := map[int]int{}
		for n, b := range browsers {
			if n%2 == 0 {
				b = b.at(other)
			}
			wait.Go(func() {
				w := b.send(factorPath, body)
				mu.Lock()
				defer mu.Unlock()
				statuses[w.Code]++
			})
		}
		wait.Wait()
		if statuses[200] != 1 || statuses[403]+statuses[429] != len(browsers)-1 {
			t.Errorf("%s: %v, want one success and refusals", what, statuses)
		}
		h.Exec(t, `DELETE FROM core.second_factor_failure`)
	}
	race("one code", h.waiting(t, 50), `{"recoveryCode":"`+codes[0]+`"}`)
	if n := h.count(t, "core.recovery_code"); n != 9 {
		t.Errorf("%d codes are left, want 9", n)
	}
	one := h.pending(t)
	answer := credentialBody(key.Get(t, one.must(t, factorPath+"/options", `{}`)))
	var copies []*browser
	for range 20 {
		copies = append(copies, one.copy())
	}
	race("one pending sign-in", copies, answer)
}

// TestSignInWhileTheFirstPasskeyIsAdded: a sign-in that has read that there is no passkey begins no session
// once there is one.
func TestSignInWhileTheFirstPasskeyIsAdded(t *testing.T) {
	t.Parallel()
	h := setup(t)
	tx := databasetest.Lock(t, h.AnotherPool(t),
		`UPDATE core.person SET has_passkey = true WHERE email = $1`, anna)
	result := make(chan *httptest.ResponseRecorder, 1)
	go func() { result <- h.browser().signIn() }()
	waittest.Until(t, "the sign-in waits for the row", func() bool {
		return h.count(t, `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 1
	})
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	assertCode(t, "the sign-in", <-result, 403, "SECOND_FACTOR_REQUIRED")
}

// TestRemovedWhileItSignsIn: a sign-in that began before its passkey was removed waits for the removal of
// another process, and fails.
func TestRemovedWhileItSignsIn(t *testing.T) {
	t.Parallel()
	h := setup(t)
	member, _, _ := h.member(t)
	lost := member.add(t, "Lost")
	b := h.pending(t)
	body := credentialBody(lost.Get(t, b.must(t, factorPath+"/options", `{}`)))
	tx := databasetest.Lock(t, h.AnotherPool(t),
		`SELECT FROM core.person WHERE email = $1 FOR NO KEY UPDATE`, anna)
	if _, err := tx.Exec(t.Context(), `DELETE FROM core.passkey WHERE label = 'Lost'`); err != nil {
		t.Fatal(err)
	}
	result := make(chan *httptest.ResponseRecorder, 1)
	go func() { result <- b.send(factorPath, body) }()
	waittest.Until(t, "the sign-in waits for the row", func() bool {
		return len(result) > 0 ||
			h.count(t, `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 1
	})
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	assertCode(t, "the sign-in", <-result, 403, "SECOND_FACTOR_INVALID")
}
