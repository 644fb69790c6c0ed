package secondfactor_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/secondfactor"
	"github.com/narthex-platform/narthex/services/secondfactor/authenticatortest"
)

// TestNothingBeforeThePassword: whoever does not know the password learns nothing of passkeys, from no byte
// of any answer, and begins no sign-in that waits. For its time there is BenchmarkBeforeThePassword.
func TestNothingBeforeThePassword(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.member(t)
	ask := func(email string) *httptest.ResponseRecorder {
		b := h.browser()
		w := b.send("/api/auth/sign-in/email", `{"email":"`+email+`","password":"not the password"}`)
		if len(b.cookies) != 0 {
			t.Errorf("%s: a wrong password sets the cookies %v", email, b.cookies)
		}
		return w
	}
	answer := func(w *httptest.ResponseRecorder) string {
		header := w.Header().Clone()
		header.Del("X-Request-Id")
		return fmt.Sprint(w.Code, header, w.Body)
	}
	want := answer(ask("ben@example.org"))
	for what, email := range map[string]string{"somebody with a passkey": anna, "nobody": "nobody@example.org"} {
		if got := answer(ask(email)); got != want || !strings.HasPrefix(got, "401 ") {
			t.Errorf("the wrong password of %s: %s, want %s as for somebody without", what, got, want)
		}
	}
	for _, path := range []string{factorPath + "/options", factorPath} {
		body := map[bool]string{true: `{}`, false: `{"recoveryCode":"aaaa-aaaa-aaaa-aaaa"}`}[path != factorPath]
		b, stranger := h.browser(), h.browser()
		b.send("/api/auth/sign-in/email", `{"email":"`+anna+`","password":"not the password"}`)
		if got, want := answer(b.send(path, body)), answer(stranger.send(path, body)); got != want {
			t.Errorf("POST %s after the wrong password: %s, want %s as for a stranger", path, got, want)
		}
	}
	if n := h.count(t, "core.pending_sign_in"); n != 0 {
		t.Errorf("%d sign-ins wait", n)
	}
}

// TestOtherSites: no route that changes something answers the page of another site.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	h := setup(t)
	member, _, codes := h.member(t)
	pending := h.pending(t)
	for path, b := range map[string]*browser{
		keysPath: member, keysPath + "/options": member, codesPath: member,
		keysPath + "/00000000-0000-4000-8000-000000000000/remove": member,
		factorPath: pending, factorPath + "/options": pending,
	} {
		for _, origin := range []string{"", "null", "https://church.example.com"} {
			r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, path,
				strings.NewReader(`{"recoveryCode":"`+codes[0]+`"}`))
			r.Header.Set("Content-Type", "application/json")
			if origin != "" {
				r.Header.Set("Origin", origin)
			}
			for name, value := range b.cookies {
				r.AddCookie(&http.Cookie{Name: name, Value: value})
			}
			w := httptest.NewRecorder()
			h.handler.ServeHTTP(w, r)
			assertCode(t, path+" from "+origin, w, 403, "ORIGIN_NOT_TRUSTED")
		}
	}
	if n := h.count(t, "core.recovery_code"); n != 10 {
		t.Errorf("%d codes are left, want all of them", n)
	}
}

// TestOthersSecondFactor: passkeys and codes sign in their own person alone, and another's wrong answers do
// not count.
func TestOthersSecondFactor(t *testing.T) {
	t.Parallel()
	h := setup(t)
	_, key, _ := h.member(t)
	ben := h.browser()
	ben.must(t, "/api/auth/sign-in/email", `{"email":"ben@example.org","password":"`+password+`"}`)
	bens := authenticatortest.New(t, dashboard)
	made := ben.must(t, keysPath, `{"label":"Ben's","credential":`+
		bens.Create(t, ben.must(t, keysPath+"/options", `{}`))+`}`)
	_, codes, _ := strings.Cut(made, `"recoveryCodes":["`)
	code, _, _ := strings.Cut(codes, `"`)
	b := h.pending(t)
	if offer := b.must(t, factorPath+"/options", `{}`); strings.Count(offer, `"public-key"`) != 1 {
		t.Errorf("Anna, who has one passkey, is offered %s", offer)
	}
	assertCode(t, "Ben's code", b.send(factorPath, `{"recoveryCode":"`+code+`"}`), 403,
		"SECOND_FACTOR_INVALID")
	assertCode(t, "Ben's passkey", b.answer(t, bens), 403, "SECOND_FACTOR_INVALID")
	bens.User = key.User
	assertCode(t, "Ben's passkey in Anna's name", b.answer(t, bens), 403, "SECOND_FACTOR_INVALID")
	if n := h.count(t, "core.recovery_code"); n != 20 {
		t.Errorf("%d codes are left, want all of them", n)
	}
	h.Exec(t, `INSERT INTO core.second_factor_failure (person_id)
		SELECT id FROM core.person, generate_series(1, 10) WHERE email = 'ben@example.org'`)
	assertCode(t, "Anna's passkey", h.pending(t).answer(t, key), 200, "")
}

// TestNewPasskeyIsAddedOnce: the answer to a question for a new passkey is not accepted a second time, not
// even when the passkey has been removed meanwhile.
func TestNewPasskeyIsAddedOnce(t *testing.T) {
	t.Parallel()
	h := setup(t)
	b, _, _ := h.member(t)
	key := authenticatortest.New(t, dashboard)
	body := `{"label":"Laptop","credential":` + key.Create(t, b.must(t, keysPath+"/options", `{}`)) + `}`
	b.must(t, keysPath, body)
	h.Exec(t, `DELETE FROM core.passkey WHERE label = 'Laptop'`)
	assertCode(t, "the answer again", b.send(keysPath, body), 403, "SECOND_FACTOR_INVALID")
}

// TestRaceForTheLastPlace: of five windows that add a passkey at once, when there is room for one, one does.
func TestRaceForTheLastPlace(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.Exec(t, `INSERT INTO core.passkey (
			person_id, label, credential_id, public_key, transports, backup_eligible, sign_count
		)
		SELECT id, n::text, sha256(n::text::bytea), '', '{}', false, 0
		FROM core.person, generate_series(1, 9) AS n WHERE email = $1`, anna)
	other := process(t, h.DB, h.AnotherPool(t))
	type ready struct {
		b    *browser
		body string
	}
	var windows []ready
	for n := range 5 {
		b := h.browser()
		b.signIn()
		key := authenticatortest.New(t, dashboard)
		body := `{"label":"Phone","credential":` + key.Create(t, b.must(t, keysPath+"/options", `{}`)) + `}`
		if n%2 == 0 {
			b = b.at(other)
		}
		windows = append(windows, ready{b, body})
	}
	var wait sync.WaitGroup
	for _, w := range windows {
		wait.Go(func() { w.b.send(keysPath, w.body) })
	}
	wait.Wait()
	if n := h.count(t, "core.passkey"); n != 10 {
		t.Errorf("%d passkeys, want ten", n)
	}
}

// TestRemovedByTheOperator: with the second factor goes what waits for it; other people's stays.
func TestRemovedByTheOperator(t *testing.T) {
	t.Parallel()
	h := setup(t)
	_, _, codes := h.member(t)
	waits := h.pending(t)
	_, removed, err := secondfactor.RemoveByOperator(t.Context(), secondfactor.NewStore(h.Pool(t)), anna,
		identity.ErrNotFound)
	if err != nil || removed != 1 {
		t.Fatalf("%d passkeys removed, error %v, want one and none", removed, err)
	}
	assertCode(t, "the sign-in that waited", waits.send(factorPath, `{"recoveryCode":"`+codes[0]+`"}`), 403,
		"SECOND_FACTOR_INVALID")
	if n := h.count(t, "core.pending_sign_in") + h.count(t, "core.recovery_code"); n != 0 {
		t.Errorf("%d rows are left", n)
	}
	assertCode(t, "the password alone", h.browser().signIn(), 200, "")
	_, _, err = secondfactor.RemoveByOperator(t.Context(), secondfactor.NewStore(h.Pool(t)), "x@example.org",
		identity.ErrNotFound)
	if err != identity.ErrNotFound {
		t.Errorf("nobody has the address: %v", err)
	}
}
