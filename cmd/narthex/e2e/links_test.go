package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/links"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

const linkOpenPath = "/api/v1/links/open"

// linkFixture is a platform with Rota, whose links the test makes itself.
type linkFixture struct {
	*installation
	service *links.Service
}

func installLinks(t *testing.T) *linkFixture {
	t.Helper()
	i := prepare(t, databasetest.Empty(t), "stage", "rota")
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	for _, command := range [][]string{
		{"migrations:apply"},
		{"identity:create-initial-owner", "--", "--email", ownerAddress},
	} {
		if r := runCommand(t, i.environment, ownerPassword+"\n", command...); r.awaitExit(t) != 0 {
			t.Fatalf("%v failed", command)
		}
	}
	i.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('rota')`)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org')`)
	service, err := links.New(links.Config{
		Store: links.NewStore(i.db.Pool(t)), Limiter: ratelimit.New(), Origin: environment.Origin(i.address),
	})
	if err != nil {
		t.Fatal(err)
	}
	return &linkFixture{i, service}
}

// link makes a link and returns its secret.
func (f *linkFixture) link(t *testing.T, module, permission, subject string, ends time.Time) string {
	t.Helper()
	address, err := f.service.Create(t.Context(), "", "", module, permission, subject, ends)
	if err != nil {
		t.Fatal(err)
	}
	root, secret, _ := strings.Cut(address, "#")
	if root != f.address+"/link/"+module {
		t.Fatalf("the address is %s, want the page of the module on the API's origin", root)
	}
	return secret
}

func (p *person) open(module, secret string) httpResponse {
	p.t.Helper()
	return p.do("POST", linkOpenPath, map[string]string{"moduleId": module, "secret": secret})
}

// TestLinkReachesItsModuleAlone: with the cookie of a link every route of the platform answers as to nobody,
// but for those of its module that need its permission. Cookies of a session and a screen beside it change
// nothing, on either side.
func TestLinkReachesItsModuleAlone(t *testing.T) {
	t.Parallel()
	f := installLinks(t)
	f.useProxyAddresses()
	s := f.inProcess(t)
	guest := f.visitorFrom(t, 1)
	opened := guest.open("rota", f.link(t, "rota", "rota.link.respond", "00000000-0000-4000-8000-000000000001",
		time.Time{}))
	cookie, attributes, _ := strings.Cut(opened.header.Get("Set-Cookie"), ";")
	if opened.status != 200 || !strings.HasPrefix(cookie, "narthex_link=") ||
		attributes != " Path=/; HttpOnly; SameSite=Lax" {
		t.Fatalf("open: %d %s, cookie %s;%s", opened.status, opened.body, cookie, attributes)
	}
	owner := f.visitorFrom(t, 2).signInAs(t, ownerAddress)
	reached := 0
	for n, route := range matrixRoutes(s) {
		if strings.HasPrefix(route.Path, gateway.RealtimePrefix) {
			continue // streams take no link either: they are below
		}
		ask := func(cookie string) string {
			return f.visitorFrom(t, 100+n).statusOf(route, matrixCaller{"", cookie})
		}
		nobody, link := ask(""), ask(cookie)
		if !route.Link {
			if link != nobody {
				t.Errorf("%s %s: %s with a link, want %s as without", route.Method, route.Path, link, nobody)
			}
			continue
		}
		if nobody != "404 LINK_NOT_FOUND" {
			t.Errorf("%s %s: %s without a link, want the one 404", route.Method, route.Path, nobody)
		}
		if with := ask(owner.cookie); with != nobody {
			t.Errorf("%s %s: %s for the owner, want %s", route.Method, route.Path, with, nobody)
		}
		may := route.Permission == "rota.link.respond"
		if may {
			reached++
		}
		if refused := link == "404 LINK_NOT_FOUND"; refused == may {
			t.Errorf("%s %s: %s with the link, permission %s", route.Method, route.Path, link, route.Permission)
		}
		if beside := ask(cookie + "; " + owner.cookie); beside != link {
			t.Errorf("%s %s: %s with a session beside the link, want %s", route.Method, route.Path, beside, link)
		}
	}
	if reached != 5 { // the descriptor, and the module's own four
		t.Errorf("the link reached %d routes, want 5", reached)
	}
	guest.cookie = cookie
	stream := guest.subscribe("/api/v1/module-realtime/rota/board")
	if stream.status != http.StatusUnauthorized {
		t.Errorf("a stream with the cookie of a link: %d, want 401", stream.status)
	}
	if got := guest.do("GET", "/api/v1/principal", nil); !strings.Contains(got.body, `"anonymous"`) {
		t.Errorf("the principal with a link: %s, want nobody", got.body)
	}
}

// TestLinkThatDoesNotWork: every kind of link that does not work gives one and the same answer, and one that
// stops to work does so at once, also where its cookie is there already.
func TestLinkThatDoesNotWork(t *testing.T) {
	t.Parallel()
	f := installLinks(t)
	f.useProxyAddresses()
	f.inProcess(t)
	const permission = "rota.link.respond"
	visitors := 0
	visitor := func() *person { visitors++; return f.visitorFrom(t, visitors) }
	assertOneAnswer := func(what string, got httpResponse) {
		t.Helper()
		if got.status != 404 || got.body != `{"code":"LINK_NOT_FOUND"}` || got.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %s, cookie %q, want 404 LINK_NOT_FOUND", what, got.status, got.body,
				got.header.Get("Set-Cookie"))
		}
	}
	later := time.Now().Add(time.Hour)
	good := f.link(t, "rota", permission, "good", later)
	for what, secret := range map[string]string{
		"unknown": strings.Repeat("A", 43), "empty": "", "short": good[:42], "other alphabet": good[:42] + "+",
		"ended": f.link(t, "rota", permission, "ended", time.Now().Add(-time.Second)),
	} {
		assertOneAnswer(what, visitor().open("rota", secret))
	}
	for _, module := range []string{"stage", "nothing", "", "ro\x00ta"} {
		assertOneAnswer(fmt.Sprintf("module %q", module), visitor().open(module, good))
	}
	for _, what := range []string{"revoked", "ended"} {
		secret := f.link(t, "rota", permission, what+" later", later)
		guest := visitor()
		opened := guest.open("rota", secret)
		guest.cookie, _, _ = strings.Cut(opened.header.Get("Set-Cookie"), ";")
		if got := guest.do("GET", "/api/v1/module-links/rota", nil); got.status != 200 ||
			!strings.Contains(got.body, `"apiRoot":"/api/v1/module-links/rota/api"`) {
			t.Fatalf("the descriptor: %d %s", got.status, got.body)
		}
		if what == "revoked" {
			if err := f.service.Revoke(t.Context(), "", "rota", what+" later"); err != nil {
				t.Fatal(err)
			}
		} else {
			f.db.Exec(t, `UPDATE core.link SET ends_at = now() WHERE subject = 'ended later'`)
		}
		assertOneAnswer(what+", descriptor", guest.do("GET", "/api/v1/module-links/rota", nil))
		assertOneAnswer(what+", route", guest.do("GET", "/api/v1/module-links/rota/api/link", nil))
		guest.cookie = ""
		assertOneAnswer(what+", opened again", guest.open("rota", secret))
	}
	other := visitor()
	opened := other.open("rota", f.link(t, "rota", "rota.manage", "another permission", later))
	other.cookie, _, _ = strings.Cut(opened.header.Get("Set-Cookie"), ";")
	assertOneAnswer("another permission", other.do("GET", "/api/v1/module-links/rota", nil))
	if got := visitor().do("GET", "/link/rota", nil); got.status != 200 {
		t.Errorf("the page: %d, want 200", got.status)
	}
	if got := visitor().do("GET", "/link/stage", nil); got.status != 404 {
		t.Errorf("the page of a module without links: %d, want 404", got.status)
	}
	writer := visitor()
	opened = writer.open("rota", f.link(t, "rota", permission, "writer", later))
	writer.cookie, _, _ = strings.Cut(opened.header.Get("Set-Cookie"), ";")
	for n := range 31 {
		got := writer.do("POST", "/api/v1/module-links/rota/api/link/00000000-0000-4000-8000-000000000001/answer",
			map[string]string{})
		if limited := got.status == 429 && got.header.Get("X-Retry-After") != ""; limited != (n == 30) {
			t.Fatalf("write %d: %d %s, want 30 answers and then 429", n+1, got.status, got.body)
		}
	}
	if got := writer.do("GET", "/api/v1/module-links/rota", nil); got.status != 200 {
		t.Errorf("a read after too many writes: %d, want 200", got.status)
	}
	guesser := visitor()
	for n := range 31 {
		got := guesser.open("rota", strings.Repeat("B", 43))
		if limited := got.status == 429; limited != (n == 30) {
			t.Fatalf("guess %d: %d, want 30 answers and then 429", n+1, got.status)
		}
	}
}
