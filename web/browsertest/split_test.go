package browsertest

import (
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/web"
)

// The API and the Dashboard are siblings below one registrable domain, which localhost alone is not: to a browser, api.localhost
// and app.localhost are different sites.
const apiHost, dashboardHost = "api.narthex.localhost", "app.narthex.localhost"

// hosted serves the Dashboard as an operator would: two files, the API's origin written into the page. Nothing else may be asked
// of it.
func hosted(t *testing.T, api string) (port string) {
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
	routes.HandleFunc("GET /assets/service-dashboard/app.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, web.Dashboard(), "app.js")
	})
	routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("asked of the Dashboard's host: %s %s", r.Method, r.URL.Path)
		http.NotFound(w, r)
	})
	server := httptest.NewServer(routes)
	t.Cleanup(server.Close)
	return strconv.Itoa(server.Listener.Addr().(*net.TCPAddr).Port)
}

// startSplit installs the platform with its own commands and runs its API, with the announcements module, until the test ends.
func startSplit(t *testing.T, api, port, dashboard, password string) {
	t.Helper()
	folder, err := os.MkdirTemp("", "narthex-browsertest-") // open to PostgreSQL's own user, as in start
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	module := filepath.Join(folder, "modules", "announcements")
	err = errors.Join(os.Chmod(folder, 0o755), os.CopyFS(module, os.DirFS("../../modules/announcements")))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "narthex")
	build(t, program, "../../cmd/narthex")
	build(t, filepath.Join(module, "bin", runtime.GOOS+"-"+runtime.GOARCH, "announcements"), "../../modules/announcements")
	postgres, err := cluster.Start(t.Context(), cluster.Options{
		Dir: filepath.Join(folder, "postgresql"), Tools: "../../.tools", FsyncOff: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = postgres.Stop() })

	command := func(stdin string, arguments ...string) *exec.Cmd {
		c := exec.Command(program, arguments...)
		c.Dir, c.Stdin = folder, strings.NewReader(stdin)
		c.Env = []string{
			"PATH=" + os.Getenv("PATH"),
			"NODE_ENV=development",
			"DATABASE_URL=" + postgres.URL("postgres"),
			"SERVICE_API_PORT=" + port,
			"SERVICE_IDENTITY_SECRET=8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi",
			"SERVICE_IDENTITY_BASE_URL=" + api,
			"SERVICE_IDENTITY_TRUSTED_ORIGINS=" + dashboard,
			"SERVICE_DASHBOARD_ORIGIN=" + dashboard,
		}
		return c
	}
	for _, step := range []*exec.Cmd{
		command("", "migrations:apply"),
		command(password+"\n", "identity:create-initial-owner", "--", "--email", "owner@example.org"),
	} {
		if report, err := step.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, report)
		}
	}
	running := command("", "api:start")
	output, err := running.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	d := &daemon{}
	read := make(chan struct{})
	go func() {
		defer close(read)
		d.read(output)
	}()
	t.Cleanup(func() {
		_ = running.Process.Signal(os.Interrupt)
		<-read
		if err := running.Wait(); err != nil {
			t.Errorf("the platform ended with %v", err)
		}
	})
	d.line(t, `"msg":"ready"`)
}

// TestSplit walks through the split topology: the Dashboard on a sibling host, everything else across origins from the API.
func TestSplit(t *testing.T) {
	const password = "correct horse battery"
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	apiPort := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	_ = listener.Close()
	api := "http://" + apiHost + ":" + apiPort
	port := hosted(t, api)
	dashboard := "http://" + dashboardHost + ":" + port
	startSplit(t, api, apiPort, dashboard, password)

	p := open(t, dashboard, desktop)
	p.headed("Sign in")
	p.fill("E-mail", "owner@example.org")
	p.fill("Password", password)
	p.press("button", "Sign in")
	p.headed("Announcements") // its artifact is imported from the other origin
	cookies, err := chromedp.Call(p.ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{api, dashboard}})
	if err != nil || len(cookies.Cookies) != 1 || cookies.Cookies[0].Domain != apiHost || !cookies.Cookies[0].HTTPOnly {
		t.Errorf("the session is the API's host's alone: %v %v", cookies, err)
	}

	p.press("button", "Write a notice")
	p.fill("Title", "Harvest supper")
	p.press("button", "Save")
	p.find("heading", "Harvest supper")
	p.press("button", "Take down Harvest supper")
	p.find("button", "Publish Harvest supper")
	p.do(chromedp.Reload())
	p.find("button", "Publish Harvest supper")

	p.press("button", "Account")
	p.press("button", "Sign out")
	p.headed("Sign in")
	cookies, err = chromedp.Call(p.ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{api, dashboard}})
	if err != nil || len(cookies.Cookies) != 0 {
		t.Errorf("cookies after signing out: %v %v", cookies, err)
	}

	stranger := open(t, "http://stranger.narthex.localhost:"+port, desktop) // the same page on a host that is not trusted
	stranger.says("We cannot reach the server right now.")
}
