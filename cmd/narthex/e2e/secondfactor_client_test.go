package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// exampleOfTheSecondFactor is the code of an application in docs/reference/identity.md.
func exampleOfTheSecondFactor(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/reference/identity.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## The second factor\n")
	_, code, _ := strings.Cut(section, "\n```js\n")
	code, _, found := strings.Cut(code, "```")
	if lines := strings.Count(code, "\n"); !found || lines > 12 {
		t.Fatalf("the example has %d lines, want about ten:\n%s", lines, code)
	}
	return code
}

// TestTheOfficialClientMeetsTheSecondFactor: better-auth's client hands SECOND_FACTOR_REQUIRED to its
// application, and the documented example signs in with the passkey.
func TestTheOfficialClientMeetsTheSecondFactor(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.useProxyAddresses()
	i.start(t)
	key, _, _ := i.visitorFrom(t, 1).signInAs(t, ownerAddress).addPasskey(t, i.address)
	c := i.officialClient(t)
	c.assertRefused("signIn.email", object{"email": ownerAddress, "password": "not the password"}, 401,
		"INVALID_EMAIL_OR_PASSWORD")
	c.assertRefused("signIn.email", object{"email": ownerAddress, "password": ownerPassword}, 403,
		"SECOND_FACTOR_REQUIRED")
	c.assertCookies("narthex_pending")
	if who := c.principal(); who != anonymous {
		t.Errorf("after the password alone the principal is %s", who)
	}

	c.send(object{"example": exampleOfTheSecondFactor(t), "email": ownerAddress, "password": ownerPassword,
		"from": "198.51.100.7"})
	var asked struct {
		Get jsontext.Value `json:"get"`
	}
	if line := c.receive(); json.Unmarshal([]byte(line), &asked) != nil || asked.Get == nil {
		t.Fatalf("the example asks no authenticator: %s", line)
	}
	c.send(jsontext.Value(key.Get(t, string(asked.Get))))
	if err := json.Unmarshal([]byte(c.receive()), &c.last); err != nil {
		t.Fatal(err)
	}
	c.assertCookies("narthex_session")
	if who := c.principal(); !strings.HasPrefix(who, `{"kind":"authenticated","userId":"`) {
		t.Errorf("after the example the principal is %s", who)
	}
}
