package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

const (
	church         = "church.example.org" // the name used in docs/operations
	churchOwner    = "office@church.example.org"
	churchPassword = "green pastures"
	churchAddress  = "192.0.2.10" // only the proxy may be on the loopback addresses
	newerVersion   = "0.1.999"
)

// TestHandbook installs, upgrades and removes the package on a minimal Debian with exactly the commands of
// docs/operations.
func TestHandbook(t *testing.T) {
	root, err := machineRoot()
	if err != nil {
		t.Skip(err)
	}
	shared := sharedFolder(t)
	makePackages(t, shared, "nomsgpack")
	m := bootMachine(t, root, shared)
	m.run("ip address add " + churchAddress + "/24 dev lo\n" + // and a name that resolves to it
		"printf '127.0.0.1 localhost\n" + churchAddress + " " + church + " files." + church + "\n' >/etc/hosts\n" +
		"cp /srv/older/*.deb /srv/announcements-* /root\ninstall /srv/versitygw /usr/local/bin")

	pages := readPages(t, "install", "upgrade", "log", "bad-sunday")
	m.follow(pages["install"], "")
	h := &machineInstallation{machine: m, address: "https://" + church}
	h.trust(string(m.read("/usr/local/share/ca-certificates/caddy-local.crt")))
	h.checkLog()
	m.follow(pages["log"], "")
	m.follow(pages["bad-sunday"], "")
	owner := h.person()
	h.signIn(owner)
	h.checkOfficialClient()
	h.pairScreen(owner)
	h.write(owner, "before the upgrade")

	m.run("rm /root/*.deb; mkdir -p /root/older; cp /srv/older/*.deb /root/older; cp /srv/newer/*.deb /root")
	stop := h.load()
	m.follow(pages["upgrade"], "")
	stop()
	if got := m.run("narthex version"); !strings.Contains(got, newerVersion) {
		t.Errorf("after the upgrade narthex version says %q, want %s", got, newerVersion)
	}
	if got := h.slides(owner); got != "before the upgrade" {
		t.Errorf("after the upgrade the slides are %q", got)
	}
	h.write(owner, "after the upgrade")
	m.follow(pages["upgrade"], "back")
	h.tryNginx(pages["install"])
	h.remove(pages["install"])
	m.follow(pages["bad-sunday"], "nothing")
	h.signIn(owner)
	if got := h.slides(owner); got != "before the upgrade" {
		t.Errorf("made again from the copy the slides are %q, want what the copy holds", got)
	}
}

// makePackages builds an older and a newer Debian package, a module's package and the object storage.
func makePackages(t *testing.T, folder, tags string) {
	t.Helper()
	top, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	run := func(words ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), words[0], words[1:]...)
		command.Dir, command.Env = top, append(os.Environ(), "CGO_ENABLED=0")
		if said, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", words, err, said)
		}
	}
	for name, version := range map[string]string{"older": abi.PlatformVersion, "newer": newerVersion} {
		out := filepath.Join(folder, name)
		if err := os.Mkdir(out, 0o755); err != nil {
			t.Fatal(err)
		}
		overlay := newerSources(t, top, version)
		binary := filepath.Join(t.TempDir(), "narthex")
		run("go", "build", "-overlay", overlay, "-trimpath", "-tags", tags, "-ldflags", "-s -w",
			"-o", binary, "./cmd/narthex")
		run("go", "run", "./deploy/debian/pack", "-binary", binary, "-arch", runtime.GOARCH,
			"-version", version, "-out", out)
	}
	run("go", "run", "./modulehost/archive/pack", "-out", folder, builtModule(t, "announcements"))
	run("cp", ".tools/versitygw", folder)
}

// newerSources writes an overlay for the go command with another version and, unless the version is the
// present one, an additional migration.
func newerSources(t *testing.T, top, version string) string {
	t.Helper()
	replaced := make(map[string]string)
	if version != abi.PlatformVersion {
		source := filepath.Join(top, "modulehost/sdk/abi/abi.go")
		content, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		present, _ := filepath.Glob(filepath.Join(top, "migrations/core/*.sql"))
		migration := filepath.Join(top, fmt.Sprintf("migrations/core/%04d_newer.sql", len(present)+1))
		changed := strings.Replace(string(content), `"`+abi.PlatformVersion+`"`, `"`+version+`"`, 1)
		table := "CREATE TABLE core.newer (id int);\n"
		for name, text := range map[string]string{source: changed, migration: table} {
			file := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			replaced[name] = file
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err == nil {
		err = os.WriteFile(file, overlay, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func readPages(t *testing.T, names ...string) map[string][]block {
	t.Helper()
	pages := make(map[string][]block)
	for _, name := range names {
		pages[name] = blocksOf(t, "../../../docs/operations/"+name+".md")
	}
	return pages
}

// follow runs commands of a page. If way is "", these are the blocks without a name and those named "inside",
// otherwise the blocks named way.
func (m *machine) follow(page []block, way string) {
	m.t.Helper()
	for _, b := range page {
		if b.language == "sh" && (b.name == way || b.name == "inside" && way == "") {
			m.answer(b.text, churchPassword+"\n")
		}
	}
}

// machineInstallation is the installation in the machine, reached through the proxy.
type machineInstallation struct {
	*machine
	address string
	roots   *x509.CertPool
	files   string // a folder with the hosts file and the certificate authority, for Node
}

// trust makes later connections trust a certificate authority.
func (h *machineInstallation) trust(authority string) {
	h.t.Helper()
	h.roots, h.files = x509.NewCertPool(), h.t.TempDir()
	if !h.roots.AppendCertsFromPEM([]byte(authority)) {
		h.t.Fatalf("no certificate: %s", authority)
	}
	hosts := churchAddress + " " + church + "\n"
	for name, text := range map[string]string{"hosts": hosts, "authority": authority} {
		if err := os.WriteFile(filepath.Join(h.files, name), []byte(text), 0o644); err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *machineInstallation) client() *http.Client {
	return h.clientOver(&http.Transport{DialContext: h.dial, TLSClientConfig: &tls.Config{RootCAs: h.roots},
		ForceAttemptHTTP2: true, IdleConnTimeout: 2 * time.Second})
}

func (h *machineInstallation) clientOver(transport *http.Transport) *http.Client {
	h.t.Cleanup(transport.CloseIdleConnections)
	jar, _ := cookiejar.New(nil)
	return &http.Client{Transport: documented(h.t, transport), Jar: jar, Timeout: patience}
}

// person returns a browser that keeps its cookies.
func (h *machineInstallation) person() *person {
	return &person{t: h.t, address: h.address, client: h.client()}
}

func (h *machineInstallation) signIn(p *person) {
	h.t.Helper()
	h.want(p, "POST", "/api/auth/sign-in/email",
		map[string]string{"email": churchOwner, "password": churchPassword}, http.StatusOK)
}

// want sends a request, fails the test unless the response has this status, and returns its body.
func (h *machineInstallation) want(p *person, method, path string, value any, status int) string {
	h.t.Helper()
	got := p.do(method, path, value)
	if got.status != status {
		h.t.Fatalf("%s %s: status %d, want %d; body %s", method, path, got.status, status, got.body)
	}
	return got.body
}

// checkLog checks that a new installation logs no warning and no error.
func (h *machineInstallation) checkLog() {
	h.t.Helper()
	log := h.run("journalctl --unit narthex --output cat --no-pager")
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"level":"error"`) || strings.Contains(line, `"level":"warn"`) {
			h.t.Errorf("the log of a new installation has the line %s", line)
		}
	}
}

// checkOfficialClient signs in with Better Auth's own client through the proxy. The proxy must ignore the
// client address that the client claims, so the limit of three attempts in ten seconds applies (person has
// signed in before).
func (h *machineInstallation) checkOfficialClient() {
	h.t.Helper()
	c := startOfficialClient(h.t, h.address, h.inside(filepath.Join(h.files, "hosts"),
		"NODE_EXTRA_CA_CERTS="+filepath.Join(h.files, "authority"))...)
	right := object{"email": churchOwner, "password": churchPassword}
	c.assertRefused("signIn.email", object{"email": churchOwner, "password": "not the password"}, 401,
		"INVALID_EMAIL_OR_PASSWORD")
	c.assertResult("signIn.email", right, `{"ok":true}`)
	c.assertCookies("__Host-narthex_session")
	if who := c.principal(); !strings.HasPrefix(who, `{"kind":"authenticated","userId":"`) {
		h.t.Errorf("signed in, the principal is %s", who)
	}
	c.assertRefused("signIn.email", right, 429, "TOO_MANY_REQUESTS")
}

// pairScreen pairs another browser as a screen.
func (h *machineInstallation) pairScreen(owner *person) {
	h.t.Helper()
	screen := h.person()
	begun := h.want(screen, "POST", "/api/v1/device-pairing", object{"moduleId": "announcements"}, 201)
	var pairing struct{ PairingCode string }
	if err := json.Unmarshal([]byte(begun), &pairing, json.MatchCaseInsensitiveNames(true)); err != nil {
		h.t.Fatal(err)
	}
	h.want(owner, "POST", "/api/v1/device-pairing/"+pairing.PairingCode+"/approve", object{"label": "Hall"}, 200)
	h.want(screen, "POST", "/api/v1/device-pairing/claim", object{}, 200)
	page := h.want(screen, "GET", "/display/announcements", nil, 200)
	if !strings.Contains(page, "narthex-display") {
		h.t.Errorf("the paired screen got %s", page)
	}
}

const houseSlides = "/api/v1/modules/announcements/slides"

func (h *machineInstallation) write(owner *person, title string) {
	h.t.Helper()
	h.want(owner, "POST", houseSlides, object{"title": title, "enabled": true}, 201)
}

// slides returns the titles of the slides.
func (h *machineInstallation) slides(owner *person) string {
	h.t.Helper()
	var list struct{ Slides []struct{ Title string } }
	text := h.want(owner, "GET", houseSlides, nil, 200)
	if err := json.Unmarshal([]byte(text), &list, json.MatchCaseInsensitiveNames(true)); err != nil {
		h.t.Fatal(err)
	}
	var titles []string
	for _, slide := range list.Slides {
		titles = append(titles, slide.Title)
	}
	return strings.Join(titles, ", ")
}

// load sends requests until it is stopped: through the proxy, and to the platform's own port with a new
// connection each time. Every request must succeed.
func (h *machineInstallation) load() (stop func()) {
	ctx, cancel := context.WithCancel(h.t.Context())
	var workers sync.WaitGroup
	var answered atomic.Int64
	direct := h.clientOver(&http.Transport{DialContext: h.dial, DisableKeepAlives: true})
	for url, client := range map[string]*http.Client{
		h.address + "/api/v1/principal": h.client(), "http://127.0.0.1:3000/api/v1/health/live": direct} {
		for range 2 {
			workers.Go(func() {
				pace := time.NewTicker(5 * time.Millisecond)
				defer pace.Stop()
				for ctx.Err() == nil {
					<-pace.C
					if err := get(client, url); err != nil {
						h.t.Errorf("during the upgrade, after %d answers: %v", answered.Load(), err)
						return
					}
					answered.Add(1)
				}
			})
		}
	}
	return func() {
		cancel()
		workers.Wait()
		h.t.Logf("during the upgrade %d requests were answered", answered.Load())
	}
}

func get(client *http.Client, url string) error {
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: status %d, want 200", url, response.StatusCode)
	}
	return nil
}

// tryNginx temporarily replaces Caddy by nginx, with a certificate of its own.
func (h *machineInstallation) tryNginx(page []block) {
	h.t.Helper()
	h.run(`systemctl stop caddy
folder=/etc/letsencrypt/live/` + church + `
mkdir -p $folder
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=` + church + ` \
	-addext subjectAltName=DNS:` + church + ` -keyout $folder/privkey.pem -out $folder/fullchain.pem 2>&1`)
	h.follow(page, "nginx")
	h.trust(string(h.read("/etc/letsencrypt/live/" + church + "/fullchain.pem")))
	eventually(h.t, "nginx has taken its site over", func() bool { // reload returns earlier
		connection, err := h.dial(h.t.Context(), "tcp", church+":443")
		if err == nil {
			_ = connection.Close()
		}
		return err == nil
	})
	owner := h.person() // the switch back has signed everybody out
	h.signIn(owner)
	if got := h.slides(owner); got != "before the upgrade" {
		h.t.Errorf("after the way back the slides are %q, want what the copy holds", got)
	}
	h.checkOfficialClient()
	h.run("systemctl stop nginx\nsystemctl start caddy")
}

// remove removes the package.
func (h *machineInstallation) remove(page []block) {
	h.t.Helper()
	h.follow(page, "removing")
	h.follow(page, "removing-data")
	left := h.run(`find / -xdev -name '*narthex*' -not -path '/proc/*' -not -path '/srv/*' -not -path '/root/*' \
	-not -path '/var/backups/*' -not -path '/var/log/*' -not -path '*narthex-storage*' | sort
systemctl is-active narthex.socket narthex.service || true
systemctl list-unit-files 'narthex.*' --no-legend || true
ss -ltn 2>/dev/null | grep :3000 || true
cd /; su postgres -c "psql -qAtc \"SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_'\""`)
	cluster := strings.TrimSpace(h.run("ls -d /etc/postgresql/*/main"))
	want := strings.ReplaceAll(`/etc/nginx/sites-available/narthex
/etc/nginx/sites-enabled/narthex
CLUSTER/conf.d/narthex.conf
CLUSTER/narthex.crt
CLUSTER/narthex.key
/etc/ssl/certs/narthex-postgresql.pem
/usr/local/share/ca-certificates/narthex-postgresql.crt
inactive
inactive
postgres
`, "CLUSTER", cluster)
	if left != want {
		h.t.Errorf("after the removal there is\n%swant\n%s", left, want)
	}
}
