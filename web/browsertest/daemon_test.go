package browsertest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// daemon is a whole platform: "narthex dev" with a database of its own and the announcements module.
type daemon struct {
	address, password string
	folder            string // its own

	mu    sync.Mutex
	lines []string
}

// start builds the platform and runs it in an empty folder until the test ends.
func start(t *testing.T) *daemon {
	t.Helper()
	folder, err := os.MkdirTemp("", "narthex-browsertest-") // open to PostgreSQL's own user, which folders of t.TempDir are not
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	module := filepath.Join(folder, "modules", "announcements")
	err = errors.Join(os.Chmod(folder, 0o755), os.CopyFS(module, os.DirFS("../../modules/announcements")))
	if err != nil {
		t.Fatal(err)
	}
	build(t, filepath.Join(folder, "narthex"), "../../cmd/narthex")
	build(t, filepath.Join(module, "bin", runtime.GOOS+"-"+runtime.GOARCH, "announcements"), "../../modules/announcements")

	command := exec.Command(filepath.Join(folder, "narthex"), "dev", "--port", "4300")
	command.Dir = folder
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	d := &daemon{folder: folder}
	read := make(chan struct{})
	go func() {
		defer close(read)
		d.read(output)
	}()
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		<-read
		if err := command.Wait(); err != nil {
			t.Errorf("the platform ended with %v", err)
		}
	})
	d.address = strings.TrimSpace(d.line(t, "Narthex runs at"))
	d.password, _, _ = strings.Cut(strings.TrimSpace(d.line(t, "Password")), " ")
	return d
}

func build(t *testing.T, program, source string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "build", "-o", program, source)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if report, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
}

func (d *daemon) read(output io.Reader) {
	for lines := bufio.NewScanner(output); lines.Scan(); {
		d.mu.Lock()
		d.lines = append(d.lines, lines.Text())
		d.mu.Unlock()
	}
}

// line waits for a line that holds words and answers what follows them.
func (d *daemon) line(t *testing.T, words string) string {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		d.mu.Lock()
		for _, line := range d.lines {
			if _, rest, found := strings.Cut(line, words); found {
				d.mu.Unlock()
				return rest
			}
		}
		d.mu.Unlock()
	}
	t.Fatalf("the platform never says %q", words)
	return ""
}

// TestDaemon is walk-throughs 1 and 3 on the platform itself, with the real announcements between them.
func TestDaemon(t *testing.T) {
	d := start(t)
	p := open(t, d.address, desktop)
	enter := func(p *tab, password string) {
		t.Helper()
		p.headed("Sign in")
		p.fill("E-mail", "owner@example.org")
		p.fill("Password", password)
		p.press("button", "Sign in")
	}
	enter(p, d.password)
	p.headed("Announcements")
	p.find("navigation", "Modules")
	if kept := eval[string](p, stored); kept != `[[],[],""]` {
		t.Errorf("kept in the browser: %s", kept)
	}
	cookies, err := chromedp.Call(p.ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil || len(cookies.Cookies) != 1 || !cookies.Cookies[0].HTTPOnly || cookies.Cookies[0].Name != "narthex_session" {
		t.Errorf("cookies: %v %v", cookies, err)
	}

	p.find("heading", "Shared lunch")
	p.press("button", "Write a notice")
	p.fill("Title", "Harvest supper")
	p.press("button", "Save")
	p.find("heading", "Harvest supper")
	p.press("button", "Move Harvest supper up")
	p.wait(`document.querySelector("[role=status]").textContent === "Harvest supper moved, position 5 of 6"`)
	p.press("button", "Take down Harvest supper")
	p.wait(`document.querySelector("[role=status]").textContent === "Harvest supper is taken down"`)
	p.do(chromedp.Reload())
	p.find("button", "Publish Harvest supper")
	p.picture("real-announcements")

	second := open(t, d.address, phone)
	second.press("button", "Forgot password?")
	second.fill("E-mail", "owner@example.org")
	second.press("button", "Send link")
	second.says("If that address has an account, a link is on its way.")
	link := d.address + "/?service_auth=reset-password" + strings.Fields(d.line(t, "/?service_auth=reset-password"))[0]
	second.do(chromedp.Navigate(link))
	second.fill("New password", "quite a new one")
	second.press("button", "Save new password")
	second.says("Your other devices were signed out.")
	second.do(chromedp.Navigate(link))
	second.fill("New password", "and another one")
	second.press("button", "Save new password")
	second.says("This link no longer works.")

	p.press("button", "Publish Harvest supper") // the session has ended meanwhile
	enter(p, "quite a new one")
	p.find("heading", "Harvest supper")
	p.press("button", "Account")
	p.press("button", "Sign out")
	p.headed("Sign in")
	if cookies, err := chromedp.Call(p.ctx, network.GetCookies, network.GetCookiesParams{}); err != nil || len(cookies.Cookies) != 0 {
		t.Errorf("cookies after signing out: %v", fmt.Sprint(cookies.Cookies, err))
	}
}
