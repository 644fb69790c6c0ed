package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/secondfactor/authenticatortest"
)

const (
	passkeysPath = "/api/v1/account/passkeys"
	factorPath   = "/api/v1/second-factor"
)

// addPasskey adds a passkey, on a page of the Dashboard. Only the first one comes with recovery codes.
func (p *person) addPasskey(
	t *testing.T, dashboard string,
) (key *authenticatortest.Authenticator, id string, codes []string) {
	t.Helper()
	key = authenticatortest.New(t, dashboard)
	offer := p.must(t, "POST", passkeysPath+"/options", object{})
	made := p.must(t, "POST", passkeysPath,
		object{"label": "Phone", "credential": jsontext.Value(key.Create(t, offer))})
	var shown struct {
		ID            string   `json:"id"`
		RecoveryCodes []string `json:"recoveryCodes"`
	}
	if err := json.Unmarshal([]byte(made), &shown); err != nil {
		t.Fatal(err)
	}
	return key, shown.ID, shown.RecoveryCodes
}

// must sends a request that has to succeed, and returns the body.
func (p *person) must(t *testing.T, method, path string, body any) string {
	t.Helper()
	answer := p.do(method, path, body)
	if answer.status > 299 {
		t.Fatalf("%s %s: status %d, body %s", method, path, answer.status, answer.body)
	}
	return answer.body
}

// begin sends the right password of a person with a passkey, whose sign-in waits then.
func (p *person) begin(t *testing.T, email, password string) *person {
	t.Helper()
	answer := p.do("POST", "/api/auth/sign-in/email", object{"email": email, "password": password})
	if answer.status != http.StatusForbidden || answer.body != `{"code":"SECOND_FACTOR_REQUIRED"}` {
		t.Fatalf("the password of %s: status %d, body %s, want SECOND_FACTOR_REQUIRED", email, answer.status,
			answer.body)
	}
	p.cookie, _, _ = strings.Cut(answer.header.Get("Set-Cookie"), ";")
	return p
}

// use answers with a passkey.
func (p *person) use(t *testing.T, key *authenticatortest.Authenticator) httpResponse {
	t.Helper()
	offer := p.must(t, "POST", factorPath+"/options", object{})
	return p.do("POST", factorPath, object{"credential": jsontext.Value(key.Get(t, offer))})
}

// TestRemovedByTheOperator: the password alone lets the person in again, and they are told by mail. Without
// a mail server the command says that they were not.
func TestRemovedByTheOperator(t *testing.T) {
	t.Parallel()
	i := install(t)
	box := i.mailbox(t)
	i.start(t)
	remove := func(want string) {
		t.Helper()
		r := runCommand(t, i.environment, "", "identity:remove-second-factor", "--", "--email", ownerAddress)
		_, said, _ := strings.Cut(r.stdout.String(), ".\n")
		if exit := r.awaitExit(t); exit != cli.ExitSuccess || said != want {
			t.Errorf("exit %d, and the command says %q after the number, want %q; stderr %s", exit, said, want,
				r.stderr.String())
		}
	}
	owner := i.signIn(t, ownerAddress, ownerPassword)
	owner.addPasskey(t, i.address)
	box.next(t)
	i.visitor(t).begin(t, ownerAddress, ownerPassword)
	remove("They were told by mail.\n")
	if text := box.next(t).text(t); !strings.Contains(text, "A passkey was removed from the account") {
		t.Errorf("the mail says %q", text)
	}
	again := i.signIn(t, ownerAddress, ownerPassword)
	remove("")
	again.addPasskey(t, i.address)
	box.next(t)
	delete(i.environment, "SERVICE_SMTP_HOST")
	delete(i.environment, "SERVICE_SMTP_FROM")
	remove("They were not told by mail. This installation sends no mail; set SERVICE_SMTP_HOST and " +
		"SERVICE_SMTP_FROM.\n")
	if n := len(box.arrived); n != 0 {
		t.Errorf("%d further mails, want none", n)
	}
}

// TestMailsAboutTheSecondFactor: a person is told of each change, and of a used code, in the house's
// language.
func TestMailsAboutTheSecondFactor(t *testing.T) {
	t.Parallel()
	i := install(t)
	box := i.mailbox(t)
	i.useProxyAddresses()
	i.start(t)
	owner := i.visitorFrom(t, 1).signInAs(t, ownerAddress)
	owner.must(t, "PUT", "/api/v1/house", object{"name": "St. Marien", "accent": "plum", "language": "de",
		"timeZone": nil, "secondFactor": "optional"})
	told := func(want string) {
		t.Helper()
		if text := strings.Join(strings.Fields(box.next(t).text(t)), " "); !strings.Contains(text, want) {
			t.Errorf("the mail says %q, want %q", text, want)
		}
	}
	_, id, codes := owner.addPasskey(t, i.address)
	told("wurde ein Passkey hinzugefügt")
	i.visitorFrom(t, 2).begin(t, ownerAddress, ownerPassword).
		must(t, "POST", factorPath, object{"recoveryCode": codes[0]})
	told("mit dem Passwort und einem Notfallcode angemeldet")
	owner.must(t, "POST", passkeysPath+"/"+id+"/remove", object{})
	told("wurde ein Passkey entfernt")
	owner.addPasskey(t, i.address)
	told("wurde ein Passkey hinzugefügt")
	i.mustRun(t, "identity:remove-second-factor", "--", "--email", ownerAddress)
	told("wurde ein Passkey entfernt")
}
