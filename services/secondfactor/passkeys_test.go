package secondfactor_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/secondfactor"
	"github.com/narthex-platform/narthex/services/secondfactor/authenticatortest"
)

func TestStatementsPrepare(t *testing.T) {
	t.Parallel()
	setup(t).PrepareAll(t, secondfactor.Statements())
}

// TestPasskeys: the first passkey comes with codes, the others without; each is listed, and can be removed.
// With the last one, the codes go, and the password alone suffices again. Every change is recorded and told
// by mail.
func TestPasskeys(t *testing.T) {
	t.Parallel()
	h := setup(t)
	b, _, codes := h.member(t)
	if sorted := slices.Sorted(slices.Values(codes)); len(slices.Compact(sorted)) != 10 ||
		!regexp.MustCompile(`^([a-km-z2-9]{4}-){3}[a-km-z2-9]{4}$`).MatchString(codes[0]) {
		t.Errorf("codes %v, want ten different ones", codes)
	}
	key := authenticatortest.New(t, dashboard)
	second := b.must(t, keysPath, `{"label":"Laptop","credential":`+
		key.Create(t, b.must(t, keysPath+"/options", `{}`))+`}`)
	if strings.Contains(second, "recoveryCodes") {
		t.Errorf("the second passkey came as %s, want no codes", second)
	}
	list := b.must(t, keysPath, "")
	if !strings.Contains(list, `"label":"Phone"`) || !strings.Contains(list, `"label":"Laptop"`) ||
		!strings.Contains(list, `"lastUsedAt":null`) || !strings.Contains(list, `"recoveryCodesLeft":10`) {
		t.Errorf("the list is %s", list)
	}
	h.Exec(t, `UPDATE core.session SET created_at = now()`)
	for i, match := range regexp.MustCompile(`"id":"([^"]+)"`).FindAllStringSubmatch(list, -1) {
		for range 2 { // the second time there is none
			assertCode(t, "remove", b.send(keysPath+"/"+match[1]+"/remove", `{}`), 204, "")
		}
		if left := h.count(t, "core.recovery_code"); left != 10*(1-i) {
			t.Errorf("%d codes are left, want %d", left, 10*(1-i))
		}
	}
	assertCode(t, "a sign-in without a passkey", h.browser().signIn(), 200, "")
	want := []string{anna + ": A passkey was added", anna + ": A passkey was removed",
		anna + ": A passkey was removed"}
	if got := h.outbox.take(); !slices.Equal(got, want) {
		t.Errorf("mails %q, want %q", got, want)
	}
	if n := h.count(t, "core.activity WHERE action LIKE 'passkey.%'"); n != 4 {
		t.Errorf("%d entries were recorded, want 4", n)
	}
}

// TestRefusedPasskeys: what a browser sends is not believed. Nothing is stored then.
func TestRefusedPasskeys(t *testing.T) {
	t.Parallel()
	h := setup(t)
	b := h.browser()
	b.signIn()
	offer := func() string { return b.must(t, keysPath+"/options", `{}`) }
	add := func(credential string) string {
		return b.send(keysPath, `{"label":"Phone","credential":`+credential+`}`).Body.String()
	}
	foreign := authenticatortest.New(t, dashboard)
	foreign.Origin = "https://church.example.com"
	party := authenticatortest.New(t, dashboard)
	party.RPID = "example.org"
	key := authenticatortest.New(t, dashboard)
	former := offer()
	for what, credential := range map[string]string{
		"another origin":   foreign.Create(t, offer()),
		"another party":    party.Create(t, offer()),
		"an older offer":   func() string { offer(); return key.Create(t, former) }(),
		"an answer to use": key.Get(t, offer()),
		"nothing":          `{}`,
	} {
		if got := add(credential); got != `{"code":"SECOND_FACTOR_INVALID"}` {
			t.Errorf("%s: %s, want SECOND_FACTOR_INVALID", what, got)
		}
	}
	made := key.Create(t, offer())
	h.Exec(t, `UPDATE core.session SET challenge_expires_at = now()`)
	if got := add(made); got != `{"code":"SECOND_FACTOR_INVALID"}` {
		t.Errorf("an expired offer: %s", got)
	}
	for _, body := range []string{`{}`, `{"label":"","credential":{}}`, `{"label":"Phone","credential":[]}`,
		`{"label":"Phone"}`, `{"label":"` + strings.Repeat("x", 81) + `","credential":{}}`} {
		assertCode(t, body, b.send(keysPath, body), 400, "REQUEST_INVALID")
	}
	if n := h.count(t, "core.passkey") + h.count(t, "core.recovery_code"); n != 0 {
		t.Errorf("%d rows were stored", n)
	}
	first := b.add(t, "Phone")
	copied := authenticatortest.New(t, dashboard)
	copied.ID = first.ID
	if got := add(copied.Create(t, offer())); got != `{"code":"SECOND_FACTOR_INVALID"}` {
		t.Errorf("a passkey with the id of another: %s", got)
	}
	for n := range 9 {
		b.add(t, fmt.Sprint(n))
	}
	eleventh := authenticatortest.New(t, dashboard)
	if got := add(eleventh.Create(t, offer())); got != `{"code":"SECOND_FACTOR_LIMIT"}` {
		t.Errorf("the eleventh passkey: %s", got)
	}
}

// TestRecentSignIn: only a browser that has just signed in changes the second factor, and only that of its
// person.
func TestRecentSignIn(t *testing.T) {
	t.Parallel()
	h := setup(t)
	b, _, _ := h.member(t)
	id := regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(b.must(t, keysPath, ""))[1]
	credential := authenticatortest.New(t, dashboard).Create(t, b.must(t, keysPath+"/options", `{}`))
	h.Exec(t, `UPDATE core.session SET created_at = now() - interval '10 minutes 1 second'`)
	for path, body := range map[string]string{
		keysPath + "/options":           `{}`,
		keysPath:                        `{"label":"Phone","credential":` + credential + `}`,
		keysPath + "/" + id + "/remove": `{}`,
		codesPath:                       `{}`,
	} {
		assertCode(t, path, b.send(path, body), 403, "RECENT_SIGN_IN_REQUIRED")
	}
	ben := h.browser()
	ben.must(t, "/api/auth/sign-in/email", `{"email":"ben@example.org","password":"`+password+`"}`)
	assertCode(t, "Ben removes Anna's passkey", ben.send(keysPath+"/"+id+"/remove", `{}`), 204, "")
	assertCode(t, "Ben has no passkey", ben.send(codesPath, `{}`), 403, "SECOND_FACTOR_INVALID")
	if n := h.count(t, "core.passkey"); n != 1 {
		t.Errorf("%d passkeys, want that of Anna", n)
	}
	for _, path := range []string{keysPath, keysPath + "/options", keysPath + "/" + id + "/remove", codesPath} {
		assertCode(t, path, h.browser().send(path, `{}`), 401, "AUTHENTICATION_REQUIRED")
	}
}

// TestCodesAsTheyAreTyped: hyphens, spaces and case do not matter.
func TestCodesAsTheyAreTyped(t *testing.T) {
	t.Parallel()
	codes, hashes := secondfactor.NewCodes()
	for _, typed := range []string{codes[0], strings.ToUpper(codes[0]), strings.ReplaceAll(codes[0], "-", ""),
		" " + strings.ReplaceAll(codes[0], "-", " - ")} {
		if hash, ok := secondfactor.ParseCode(typed); !ok || string(hash[:]) != string(hashes[0]) {
			t.Errorf("%q is not %q", typed, codes[0])
		}
	}
	for _, typed := range []string{"", "abcd", codes[0] + "a", codes[0][1:], "l" + codes[0][1:],
		"\x00", codes[0] + "\n!"} {
		if _, ok := secondfactor.ParseCode(typed); ok {
			t.Errorf("%q is a code", typed)
		}
	}
}
