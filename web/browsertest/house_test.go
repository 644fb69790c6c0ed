package browsertest

import (
	"fmt"
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
var sampleModules = []string{"announcements", "calendar", "countdown", "home", "rota", "stage"}

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
	body := fmt.Sprintf(`{"email":%q,"password":%q}`, email, d.password)
	r, err := http.NewRequestWithContext(t.Context(), "POST", d.address+"/api/auth/sign-in/email",
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", d.address)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	cookies := response.Cookies()
	if response.StatusCode != http.StatusOK || len(cookies) != 1 {
		t.Fatalf("sign-in of %s: status %d, want 200 and a cookie", email, response.StatusCode)
	}
	p := openPage(t, "about:blank", v)
	if _, err := chromedp.Call(p.ctx, network.SetCookie, network.SetCookieParams{
		Name: cookies[0].Name, Value: cookies[0].Value, URL: d.address, HTTPOnly: new(true),
	}); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Navigate(d.address + path))
	return p
}
