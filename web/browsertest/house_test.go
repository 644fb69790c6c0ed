package browsertest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// prepared is an installation of "narthex dev" with the sample modules and their data. It is made once for
// all tests and never runs again: each house is a copy of its data.
var prepared struct {
	once             sync.Once
	folder, password string
}

// sampleModules are the modules of "make dev".
var sampleModules = []string{"announcements", "calendar", "checklists", "countdown", "home", "rota", "stage"}

// startHouse starts "narthex dev" with the sample modules and their data, for this test alone.
func startHouse(t *testing.T) *devServer {
	t.Helper()
	prepared.once.Do(func() { prepareHouse(t) })
	if prepared.password == "" {
		t.Fatal("another test could not prepare the house")
	}
	folder := newFolder(t, "house-")
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	// cp keeps the owners, which differ: PostgreSQL never runs as root.
	copying := exec.CommandContext(t.Context(), "cp", "-a", filepath.Join(prepared.folder, ".dev"), folder)
	if report, err := copying.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	d := launchDev(t, prepared.folder, "--data-dir", filepath.Join(folder, ".dev"))
	d.folder, d.password = folder, prepared.password
	return d
}

func prepareHouse(t *testing.T) {
	t.Helper()
	sources := make([]string, 0, len(sampleModules))
	for _, id := range sampleModules {
		sources = append(sources, "../../modules/"+id)
	}
	prepared.folder = newFolder(t, "prepared-") // TestMain removes it
	installInto(t, prepared.folder, sources...)
	d := launchDev(t, prepared.folder)
	prepared.password, _, _ = strings.Cut(strings.TrimSpace(d.waitForLine(t, "Password")), " ")
	d.stop(t)
}

// addPerson adds a person with the owner's password and returns their id.
func (d *devServer) addPerson(t *testing.T, email, name string) (id string) {
	t.Helper()
	return d.query(t, `
		INSERT INTO core.person (email, name, email_verified, password_hash)
		SELECT $1, $2, true, password_hash FROM core.person WHERE email = 'owner@example.org'
		RETURNING id::text`, email, name)
}

// openAs opens a page of the Dashboard as a person who has signed in.
func (d *devServer) openAs(t *testing.T, email, path string, v view) *tab {
	t.Helper()
	return d.openIn(t, chromium, d.signIn(t, email), path, v)
}

// openIn opens a page of the Dashboard with the cookie of a session.
func (d *devServer) openIn(
	t *testing.T, browser context.Context, cookie *http.Cookie, path string, v view,
) *tab {
	t.Helper()
	return d.openAt(t, browser, cookie, d.address, path, v)
}

// openAt opens a page of the Dashboard at an address of the house with the cookie of a session.
func (d *devServer) openAt(
	t *testing.T, browser context.Context, cookie *http.Cookie, address, path string, v view,
) *tab {
	t.Helper()
	p := openPageIn(t, browser, "about:blank", v)
	if _, err := chromedp.Call(p.ctx, network.SetCookie, network.SetCookieParams{
		Name: cookie.Name, Value: cookie.Value, URL: address, HTTPOnly: new(true),
	}); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Navigate(address + path))
	return p
}

// call sends a request as the owner and returns the object in the response, if there is one.
func (d *devServer) call(t *testing.T, method, path string, body object) object {
	t.Helper()
	owner := d.signedInOwner(t)
	var sent io.Reader = http.NoBody
	if body != nil {
		sent = strings.NewReader(jsonOf(t, body))
	}
	_, received := d.send(t, owner, method, path, sent)
	if len(bytes.TrimSpace(received)) == 0 {
		return nil
	}
	return decoded(t, received)
}

// signedInOwner returns a session of the owner, which all callers share.
func (d *devServer) signedInOwner(t *testing.T) *http.Cookie {
	t.Helper()
	d.signingIn.Lock()
	defer d.signingIn.Unlock()
	if d.owner == nil {
		d.owner = d.signIn(t, "owner@example.org")
	}
	return d.owner
}

// signIn returns the cookie of a new session.
func (d *devServer) signIn(t *testing.T, email string) *http.Cookie {
	t.Helper()
	body := jsonOf(t, object{"email": email, "password": d.password})
	response, _ := d.send(t, nil, "POST", "/api/auth/sign-in/email", strings.NewReader(body))
	cookies := response.Cookies()
	if len(cookies) != 1 {
		t.Fatalf("sign-in of %s: %d cookies, want one", email, len(cookies))
	}
	return cookies[0]
}

// send sends a request, with the cookie of a session unless it is nil. The body is JSON or a PNG picture. Any
// response but a success fails the test.
func (d *devServer) send(
	t *testing.T, session *http.Cookie, method, path string, body io.Reader,
) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, d.address+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if body != nil && body != http.NoBody {
		r.Header.Set("Content-Type", "application/json")
	}
	if _, picture := body.(*bytes.Buffer); picture {
		r.Header.Set("Content-Type", "image/png")
	}
	r.Header.Set("Origin", d.address)
	if session != nil {
		r.AddCookie(session)
	}
	client := http.DefaultClient
	if session == nil {
		transport := newClient()
		defer transport.CloseIdleConnections()
		client = &http.Client{Transport: transport}
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	received, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: status %d %s %v", method, path, response.StatusCode, received, err)
	}
	return response, received
}
