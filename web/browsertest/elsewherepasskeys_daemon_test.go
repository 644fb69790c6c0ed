package browsertest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// waits is a sign-in that waits for a passkey. Whoever began it knows the password, and sends what browsers
// make anywhere.
type waits struct {
	house  *devServer
	cookie *http.Cookie
	asked  object // what the browser is asked
}

// beginWaiting sends the right password of somebody with a passkey, and asks for the passkey.
func (d *devServer) beginWaiting(t *testing.T, email string) *waits {
	t.Helper()
	w := &waits{house: d}
	response, answer := w.post(t, "/api/auth/sign-in/email", object{"email": email, "password": d.password})
	if response.StatusCode != 403 || len(response.Cookies()) != 1 {
		t.Fatalf("the password of %s: %d %s, want a sign-in that waits", email, response.StatusCode, answer)
	}
	w.cookie = response.Cookies()[0]
	response, answer = w.post(t, "/api/v1/second-factor/options", object{})
	if response.StatusCode != 200 {
		t.Fatalf("asking for the passkey of %s: %d %s", email, response.StatusCode, answer)
	}
	w.asked = decoded(t, []byte(answer))["publicKey"].(map[string]any)
	return w
}

func (w *waits) post(t *testing.T, path string, body object) (response *http.Response, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", w.house.address+path,
		strings.NewReader(jsonOf(t, body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", w.house.address)
	if w.cookie != nil {
		r.AddCookie(w.cookie)
	}
	transport := newClient()
	defer transport.CloseIdleConnections()
	response, err = (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(read)
}

// passkeyFor lets the page's browser use a passkey as it is asked, and returns what the browser sends, or the
// name of the error with which it refuses.
func (p *tab) passkeyFor(asked object) string {
	p.t.Helper()
	p.runScript(`window.used = await navigator.credentials.get({
		publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(` + jsonOf(p.t, asked) + `),
	}).then((credential) => JSON.stringify(credential.toJSON()), ({ name }) => name)`)
	return eval[string](p, "window.used")
}

// TestPasskeysFromElsewhere: Chromium makes what a page of another origin and somebody else's passkey can
// make, and none of it signs in. What the page of another site asks for, Chromium does not even make.
func TestPasskeysFromElsewhere(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	p := openPage(t, d.address, desktop)
	p.addAuthenticator()
	for _, name := range []string{"Ada", "Ben"} {
		email := strings.ToLower(name) + "@example.org"
		d.addPerson(t, email, name)
		p.signInAs(email, d.password)
		p.openAccount()
		p.addPasskey(name + "'s phone")
		p.click("button", "Sign out")
		p.waitForHeading("Sign in")
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, "<!doctype html><title>Elsewhere</title>")
	}))
	t.Cleanup(elsewhere.Close)
	port := elsewhere.URL[strings.LastIndexByte(elsewhere.URL, ':'):]
	send := func(what string, to *waits, credential string, want int) {
		t.Helper()
		if !strings.HasPrefix(credential, "{") {
			t.Fatalf("%s: Chromium refuses with %s, want a passkey's answer", what, credential)
		}
		response, answer := to.post(t, "/api/v1/second-factor",
			object{"credential": decoded(t, []byte(credential))})
		if response.StatusCode != want || want == 403 && answer != `{"code":"SECOND_FACTOR_INVALID"}` {
			t.Errorf("%s: %d %s, want %d", what, response.StatusCode, answer, want)
		}
	}

	ada, ben := d.beginWaiting(t, "ada@example.org"), d.beginWaiting(t, "ben@example.org")
	ofAda := ada.asked["allowCredentials"]
	ada.asked["allowCredentials"] = ben.asked["allowCredentials"]
	send("Ben's passkey for Ada's sign-in", ada, p.passkeyFor(ada.asked), 403)

	p.do(chromedp.Navigate("http://localhost" + port))
	ada = d.beginWaiting(t, "ada@example.org")
	send("Ada's passkey on a page of another port", ada, p.passkeyFor(ada.asked), 403)
	p.do(chromedp.Navigate("http://elsewhere.localhost" + port))
	ada = d.beginWaiting(t, "ada@example.org")
	if got := p.passkeyFor(ada.asked); got != "SecurityError" {
		t.Errorf("Ada's passkey on a page of another host: %s, want SecurityError", got)
	}

	p.do(chromedp.Navigate(d.address))
	ada = d.beginWaiting(t, "ada@example.org")
	if fmt.Sprint(ada.asked["allowCredentials"]) != fmt.Sprint(ofAda) {
		t.Errorf("Ada is asked for %v, then for %v", ofAda, ada.asked["allowCredentials"])
	}
	send("Ada's passkey on a page of the house", ada, p.passkeyFor(ada.asked), 200)
}
