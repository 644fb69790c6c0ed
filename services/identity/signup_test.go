package identity_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/identity"

	"go.uber.org/zap"
)

const signUpPath = "/api/auth/sign-up/email"

func signUpBody(name, address, word string) string {
	body, _ := json.Marshal(map[string]string{"name": name, "email": address, "password": word})
	return string(body)
}

// A refused sign-up creates no person and sends no email.
func TestSignUpRefusals(t *testing.T) {
	t.Parallel()
	h := setup(t)
	rows := []struct {
		name   string
		body   string
		header []string
		status int
		want   string
	}{
		{
			"7 characters",
			signUpBody("B", "b@example.org", "1234567"),
			nil,
			400,
			`{"message":"Password too short","code":"PASSWORD_TOO_SHORT"}`,
		},
		{
			"129 characters",
			signUpBody("B", "b@example.org", strings.Repeat("x", 129)),
			nil,
			400,
			`{"message":"Password too long","code":"PASSWORD_TOO_LONG"}`,
		},
		{
			"65 emoji",
			signUpBody("B", "b@example.org", strings.Repeat("😀", 65)),
			nil,
			400,
			`{"message":"Password too long","code":"PASSWORD_TOO_LONG"}`,
		},
		{
			"empty password",
			signUpBody("B", "b@example.org", ""),
			nil,
			400,
			validation("[body.password] Too small: expected string to have >=1 characters"),
		},
		{
			"bad address",
			signUpBody("B", "b@localhost", password),
			nil,
			400,
			validation("[body.email] Invalid email address"),
		},
		{
			"a long address",
			signUpBody("B", strings.Repeat("b", 243)+"@example.org", password),
			nil,
			400,
			validation("[body.email] Invalid email address"),
		},
		{
			"65 characters before the @",
			signUpBody("B", strings.Repeat("b", 65)+"@example.org", password),
			nil,
			400,
			validation("[body.email] Invalid email address"),
		},
		{
			"NUL in the name",
			signUpBody("B\x00", "b@example.org", password),
			nil,
			400,
			validation("[body.name] Invalid input"),
		},
		{
			"a reordered name",
			signUpBody("B\u202e", "b@example.org", password),
			nil,
			400,
			validation("[body.name] Invalid input"),
		},
		{
			"an invisible name",
			signUpBody("\u200d", "b@example.org", password),
			nil,
			400,
			validation("[body.name] Invalid input"),
		},
		{"no name", signUpBody("", "b@example.org", password), nil, 400, validation("[body.name] Invalid input")},
		{
			"everything missing",
			`{}`,
			nil,
			400,
			validation("[body.name] Invalid input: expected string, received undefined; " +
				"[body.email] Invalid input: expected string, received undefined; [body.password] Invalid input: " +
				"expected string, received undefined"),
		},
		{
			"from another site",
			signUpBody("B", "b@example.org", password),
			[]string{"Origin: https://elsewhere.test"},
			403,
			`{"message":"Invalid origin","code":"INVALID_ORIGIN"}`,
		},
		{
			"from a browser without an origin",
			signUpBody("B", "b@example.org", password),
			[]string{"Sec-Fetch-Mode: cors"},
			403,
			`{"message":"Missing or null Origin","code":"MISSING_OR_NULL_ORIGIN"}`,
		},
	}
	for _, row := range rows {
		w := h.send(t, request{path: signUpPath, body: row.body, header: row.header})
		if w.Code != row.status || w.Body.String() != row.want || w.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s: status %d, want %d; body %s, want %s", row.name, w.Code, row.status, w.Body, row.want)
		}
	}
	if n := h.count(t, "core.person"); n != 0 || len(h.outbox.compose(t.Context())) != 0 {
		t.Errorf("refused sign-ups made %d people, want 0, and no email", n)
	}
}

// A second sign-up with the address gets the same response, changes nothing and sends nothing.
func TestSignUpTwice(t *testing.T) {
	t.Parallel()
	h := setup(t)
	var results []map[string]any
	for _, body := range []string{
		signUpBody("Anna", "Anna@Example.org", password), signUpBody("Eve", "anna@example.org", "another password"),
	} {
		w := h.send(t, request{path: signUpPath, body: body, header: []string{"Origin: " + base}})
		var result struct {
			Token any            `json:"token"`
			User  map[string]any `json:"user"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &result); err != nil || w.Code != 200 || result.Token != nil ||
			w.Header().Get("Set-Cookie") != "" {
			t.Fatalf("sign-up: status %d, want 200; body %s, want no token; header %v, want no Set-Cookie",
				w.Code, w.Body, w.Header())
		}
		results = append(results, result.User)
	}
	for i, name := range []string{"Anna", "Eve"} {
		user := results[i]
		if len(user) != 7 || user["name"] != name || user["email"] != "anna@example.org" ||
			user["emailVerified"] != false ||
			user["image"] != nil ||
			user["createdAt"] != user["updatedAt"] ||
			len(user["id"].(string)) != 36 {
			t.Errorf("sign-up: user %v, want the new person %s, address not verified", user, name)
		}
	}
	if n := h.count(
		t, "core.person WHERE name = 'Anna' AND id = $1 AND created_at = updated_at", results[0]["id"],
	); n != 1 ||
		results[0]["id"] == results[1]["id"] {
		t.Errorf("the person was changed, or the ids are the same: %v", results)
	}
	if emails := h.outbox.compose(t.Context()); len(emails) != 1 || emails[0].To[0] != "anna@example.org" {
		t.Errorf("%d emails, want one to anna@example.org", len(emails))
	}
	if w := h.send(
		t, request{path: signInPath, body: credentials("anna@example.org", password)},
	); w.Code != 403 {
		t.Errorf("the password of the first sign-up: %d %s", w.Code, w.Body)
	}
}

// Production has no sign-up. The refusal comes after the ordinary checks and before any look-up of a person.
func TestSignUpDisabled(t *testing.T) {
	t.Parallel()
	service, err := identity.New(identity.Config{
		Store:    identity.NewStore(nil), // a look-up would panic
		Settings: environment.Identity{Secret: environment.NewSecret(secret), BaseURL: base},
		Limiter:  unlimited{},
		Outbox:   &outbox{},
		Emails:   inEnglish,
		Log:      zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	h := harness{service: service}
	for body, want := range map[string]string{
		signUpBody("A", "anna@example.org", password): `{"code":"EMAIL_PASSWORD_SIGN_UP_DISABLED"}`,
		signUpBody("A", "anna@example.org", "short"):  `{"code":"EMAIL_PASSWORD_SIGN_UP_DISABLED"}`,
		`{`: invalidJSON,
	} {
		if w := h.send(t, request{path: signUpPath, body: body}); w.Code != 400 || w.Body.String() != want ||
			w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("sign-up with %s: status %d, want 400; body %s, want %s", body, w.Code, w.Body, want)
		}
	}
}
