package browsertest

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/porttest"
	"github.com/narthex-platform/narthex/web"
)

// The API and the Dashboard are siblings below one registrable domain. localhost itself is not one: to a
// browser, api.localhost and app.localhost are different sites.
const apiHost, dashboardHost, strangerHost = "api.narthex.localhost", "app.narthex.localhost",
	"stranger.narthex.localhost"

// serveFrontOrigin serves the Dashboard as an operator would: the page and its scripts, with the API's origin
// in the page. Any other request fails the test.
func serveFrontOrigin(t *testing.T, api string) (port string) {
	t.Helper()
	page, err := fs.ReadFile(web.Dashboard(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	const element = `<meta name="service-api-origin" content="`
	text := strings.Replace(string(page), element, element+api, 1)
	routes := http.NewServeMux()
	routes.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(text))
	})
	for _, script := range []string{"app.js", "administration.js", "account.js", "files.js"} {
		routes.HandleFunc("GET /assets/service-dashboard/"+script, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, web.Dashboard(), script)
		})
	}
	routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("asked of the Dashboard's host: %s %s", r.Method, r.URL.Path)
		http.NotFound(w, r)
	})
	server := httptest.NewServer(routes)
	t.Cleanup(server.Close)
	return strconv.Itoa(server.Listener.Addr().(*net.TCPAddr).Port)
}

// splitDaemons is the platform as an operator runs it in a split topology: the API at one address, which
// trusts a Dashboard at another.
type splitDaemons struct {
	t                    *testing.T
	folder               string
	port, api, dashboard string
	password, database   string
}

// startSplit installs the platform with its own commands, the announcements module and a module that reads a
// channel.
func startSplit(t *testing.T) *splitDaemons {
	t.Helper()
	s := &splitDaemons{t: t, port: strconv.Itoa(porttest.Free(t)), password: "correct horse battery"}
	s.api = "http://" + apiHost + ":" + s.port
	s.dashboard = "http://" + dashboardHost + ":" + serveFrontOrigin(t, s.api)
	s.folder = install(t, "../../modules/announcements", "./testdata/notes")
	ui := filepath.Join(s.folder, "modules", "notes", "ui")
	if err := errors.Join(os.Mkdir(ui, 0o755),
		os.WriteFile(filepath.Join(ui, "index.js"), []byte(mounting(reading)), 0o644)); err != nil {
		t.Fatal(err)
	}
	postgres, err := cluster.Start(t.Context(), cluster.Options{
		Dir: filepath.Join(s.folder, "postgresql"), Tools: "../../.tools", FsyncOff: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = postgres.Stop() })
	s.database = postgres.URL("postgres")
	owner := s.command("identity:create-initial-owner", "--", "--email", "owner@example.org")
	owner.Stdin = strings.NewReader(s.password + "\n")
	for _, step := range []*exec.Cmd{s.command("migrations:apply"), owner} {
		if report, err := step.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, report)
		}
	}
	return s
}

// command returns a command of the platform, not started.
func (s *splitDaemons) command(arguments ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(s.folder, "narthex"), arguments...)
	c.Dir = s.folder
	c.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"TMPDIR=" + os.TempDir(),
		"NODE_ENV=development",
		"DATABASE_URL=" + s.database,
		"SERVICE_API_PORT=" + s.port,
		"XDG_RUNTIME_DIR=" + s.folder,
		"SERVICE_IDENTITY_SECRET=8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi",
		"SERVICE_IDENTITY_BASE_URL=" + s.api,
		"SERVICE_IDENTITY_TRUSTED_ORIGINS=" + s.dashboard,
		"SERVICE_DASHBOARD_ORIGIN=" + s.dashboard,
		"OBJECT_STORAGE_ENDPOINT=http://127.0.0.1:1", // for the announcements' bucket, which is not used
		"OBJECT_STORAGE_ACCESS_KEY=nobody",
		"OBJECT_STORAGE_SECRET_KEY=nobody",
	}
	return c
}

// run starts the API.
func (s *splitDaemons) run() *daemon {
	s.t.Helper()
	d := launch(s.t, s.command("api:start"))
	d.waitForLine(s.t, `"msg":"ready"`)
	return d
}

// TestSplit checks the split topology: the Dashboard is on a sibling host, and everything else comes from the
// API across origins.
func TestSplit(t *testing.T) {
	s := startSplit(t)
	running := s.run()
	p := openPage(t, s.dashboard, desktop)
	p.waitForHeading("Sign in")
	p.fill("E-mail", "owner@example.org")
	p.fill("Password", s.password)
	p.click("button", "Sign in")
	p.click("link", "Announcements")
	p.waitForHeading("Announcements") // its artifact is imported from the other origin
	cookies := func() []*network.Cookie {
		t.Helper()
		found, err := chromedp.Call(p.ctx, network.GetCookies,
			network.GetCookiesParams{URLs: []string{s.api, s.dashboard}})
		if err != nil {
			t.Fatal(err)
		}
		return found.Cookies
	}
	if kept := cookies(); len(kept) != 1 || kept[0].Domain != apiHost || !kept[0].HTTPOnly {
		t.Errorf("the session is the API's host's alone: %v", kept)
	}

	p.click("button", "Write a notice")
	p.fill("Title", "Harvest supper")
	p.click("button", "Save")
	p.find("link", "Harvest supper")
	p.click("button", "Take down Harvest supper")
	p.find("button", "Publish Harvest supper")
	p.reload()
	p.find("button", "Publish Harvest supper")

	p.click("link", "Notes")
	s.streams(p, running)

	// the button's name is that of the person
	p.runScript(`document.querySelector(".host-account > button").click()`)
	p.click("button", "Sign out")
	p.waitForHeading("Sign in")
	if kept := cookies(); len(kept) != 0 {
		t.Errorf("cookies after signing out: %v", kept)
	}
}

// streams checks a channel across origins: updates arrive, the reader reconnects after the server has ended a
// stream, and an untrusted origin receives nothing, although the browser sends it the same cookie.
func (s *splitDaemons) streams(p *tab, running *daemon) {
	s.t.Helper()
	const send = `await context.api("/notes", { method: "POST" })`
	p.waitForUpdate("snapshot 0, live")
	p.runScript(send)
	p.waitForUpdate("update 1")

	channel := s.api + "/api/v1/module-realtime/notes/board"
	hear := fmt.Sprintf(`(async () => {
		const address = %q;
		const fetched = await fetch(address, { credentials: "include" })
			.then((response) => response.body.cancel().then(() => response.status), (error) => error.name);
		const source = new EventSource(address, { withCredentials: true });
		const opened = await new Promise((resolve) => {
			source.onopen = () => resolve("open");
			source.onerror = () => resolve("refused");
		});
		source.close();
		return fetched + " " + opened;
	})()`, channel)
	hears := func(p *tab) string {
		s.t.Helper()
		heard, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](hear, chromedp.EvalAwaitPromise))
		if err != nil {
			s.t.Fatal(err)
		}
		return heard
	}
	if heard := hears(p); heard != "200 open" {
		s.t.Errorf("the Dashboard's origin hears: %s", heard)
	}
	stranger := p.openTab(strings.Replace(s.dashboard, dashboardHost, strangerHost,
		1)) // the same page on an untrusted host
	stranger.waitForText("We cannot reach the server right now.")
	if heard := hears(stranger); heard != "TypeError refused" {
		s.t.Errorf("another origin hears: %s", heard)
	}

	p.runScript(`await context.api("/crash", { method: "POST" })`) // the module's count is lost with its process
	p.waitFor(`told.includes("snapshot 0")`)
	p.runScript(`told.length = 0; ` + send)
	p.waitFor(`told.includes("update 1")`)

	running.stop(s.t)
	p.waitFor(`told.includes("waiting")`)
	p.runScript(`told.length = 0`)
	s.run()
	p.waitForUpdate("snapshot 0, live")
	p.runScript(send)
	p.waitForUpdate("update 1")
}
