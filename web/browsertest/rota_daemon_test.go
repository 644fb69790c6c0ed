package browsertest

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/emersion/go-smtp"

	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/porttest"
	"github.com/narthex-platform/narthex/services/waittest"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// rotaMailbox is a mail server that keeps every email by recipient, and closes the connection for those that
// a test has chosen.
type rotaMailbox struct {
	port string

	mu     sync.Mutex
	breaks int // number of emails still to fail
	mails  map[string][]string
}

type rotaSession struct {
	box  *rotaMailbox
	conn net.Conn
	to   string
}

func startRotaMailbox(t *testing.T) *rotaMailbox {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	box := &rotaMailbox{port: strconv.Itoa(listener.Addr().(*net.TCPAddr).Port), mails: map[string][]string{}}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &rotaSession{box: box, conn: c.Conn()}, nil
	}))
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
	})
	return box
}

func (s *rotaSession) Reset()                               { s.to = "" }
func (s *rotaSession) Logout() error                        { return nil }
func (s *rotaSession) Mail(string, *smtp.MailOptions) error { return nil }

func (s *rotaSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	return nil
}

func (s *rotaSession) Data(r io.Reader) error {
	message, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	if s.box.breaks > 0 {
		s.box.breaks--
		return s.conn.Close()
	}
	s.box.mails[s.to] = append(s.box.mails[s.to], string(message))
	return nil
}

func (b *rotaMailbox) breakNext() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.breaks = 1
}

var (
	claimLink  = regexp.MustCompile(`https?://\S+/#/m/rota/claim/\S+`)
	answerLink = regexp.MustCompile(`https?://\S+/link/rota#\S+`)
)

// sentTo returns how many emails a person has got.
func (b *rotaMailbox) sentTo(to string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.mails[to])
}

// linkTo returns the link of a kind in the last email to a person.
func (b *rotaMailbox) linkTo(t *testing.T, to string, kind *regexp.Regexp) string {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.mails[to]
	if len(all) == 0 {
		t.Fatalf("no mail came to %s", to)
	}
	message, err := mail.ReadMessage(strings.NewReader(all[len(all)-1]))
	if err != nil {
		t.Fatal(err)
	}
	_, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	part, err := multipart.NewReader(message.Body, parameters["boundary"]).NextRawPart()
	if err != nil {
		t.Fatal(err)
	}
	var body io.Reader = part
	if part.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(part)
	}
	text, err := io.ReadAll(body)
	link := kind.FindString(string(text))
	if err != nil || link == "" || message.Header.Get("Reply-To") != "<office@example.org>" {
		t.Fatalf("the mail says %q, reply to %q, %v; want a link and the office", text,
			message.Header.Get("Reply-To"), err)
	}
	return link
}

// rotaInstallation is the platform with all sample modules, its database and its mail server.
type rotaInstallation struct {
	t              *testing.T
	origin, folder string
	environment    []string
	box            *rotaMailbox
	running        *daemon
	zone           string    // of the house: one in which the day is young
	servesAt       time.Time // the only service, today
}

func installRota(t *testing.T) *rotaInstallation {
	t.Helper()
	port := strconv.Itoa(porttest.Free(t))
	i := &rotaInstallation{t: t, origin: "http://127.0.0.1:" + port, box: startRotaMailbox(t),
		folder: install(t, "../../modules/stage", "../../modules/rota", "../../modules/home",
			"../../modules/calendar", "../../modules/announcements", "../../modules/countdown"),
		zone: youngZone(), servesAt: time.Now().UTC().Truncate(time.Hour).Add(3 * time.Hour)}
	postgres, err := cluster.Start(t.Context(), cluster.Options{
		Dir: filepath.Join(i.folder, "postgresql"), Tools: "../../.tools", FsyncOff: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = postgres.Stop() })
	i.environment = []string{
		"PATH=" + os.Getenv("PATH"),
		"TMPDIR=" + os.TempDir(),
		"NODE_ENV=development",
		"DATABASE_URL=" + postgres.URL("postgres"),
		"SERVICE_API_PORT=" + port,
		"XDG_RUNTIME_DIR=" + i.folder,
		"SERVICE_MODULES_DIR=" + filepath.Join(i.folder, "modules"),
		"SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY=a key for tests",
		"SERVICE_IDENTITY_SECRET=8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi",
		"SERVICE_IDENTITY_BASE_URL=" + i.origin,
		"SERVICE_IDENTITY_TRUSTED_ORIGINS=" + i.origin,
		"SERVICE_SMTP_HOST=127.0.0.1",
		"SERVICE_SMTP_PORT=" + i.box.port,
		"SERVICE_SMTP_SECURITY=plaintext",
		"SERVICE_SMTP_FROM=Church office <office@church.example.org>",
		"OBJECT_STORAGE_ENDPOINT=http://" + storagetest.New(t).Address,
		"OBJECT_STORAGE_ACCESS_KEY=" + storagetest.AccessKey,
		"OBJECT_STORAGE_SECRET_KEY=" + storagetest.SecretKey,
	}
	i.run("", "migrations:apply")
	i.run(ownerPassword+"\n", "identity:create-initial-owner", "--", "--email", "owner@example.org")
	i.start()
	return i
}

// youngZone returns a time zone in which it is about eight in the morning, so that today lasts for the test.
func youngZone() string {
	ahead := 8 - time.Now().UTC().Hour()
	if ahead < -12 {
		ahead += 24
	}
	return fmt.Sprintf("Etc/GMT%+d", -ahead) // these names count westwards
}

func (i *rotaInstallation) command(arguments ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(i.folder, "narthex"), arguments...)
	c.Dir, c.Env = i.folder, i.environment
	return c
}

// run runs a command and returns its output.
func (i *rotaInstallation) run(input string, arguments ...string) string {
	i.t.Helper()
	command := i.command(arguments...)
	command.Stdin = strings.NewReader(input)
	said, err := command.CombinedOutput()
	if err != nil {
		i.t.Fatalf("%q: %v\n%s", arguments, err, said)
	}
	return strings.TrimSpace(string(said))
}

func (i *rotaInstallation) start() {
	i.t.Helper()
	i.running = launch(i.t, i.command("api:start"))
	i.running.waitForLine(i.t, `"msg":"ready"`)
}

// join makes a person join by a link, in a new browser context.
func (i *rotaInstallation) join(email, name string, v view) *tab {
	i.t.Helper()
	link := regexp.MustCompile(`http\S+`).FindString(i.run("", "identity:invite", "--", "--email", email))
	p := openPage(i.t, link, v)
	p.waitForHeading("Join")
	p.fill("Your name", name)
	p.fill("Password", "quite a new one")
	p.submitUntil(signedIn)
	p.waitForHome()
	return p
}

// request sends a request as the person of the page, and returns the response body.
func (p *tab) request(method, path string, body any) (response map[string]any) {
	p.t.Helper()
	sent := "undefined"
	if body != nil {
		sent = jsonOf(p.t, jsonOf(p.t, body))
	}
	text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](fmt.Sprintf(`fetch(%q, { method: %q, body: %s,
		headers: %s ? { "Content-Type": "application/json" } : {} })
		.then(async (r) => r.ok ? r.text() : "refused: " + r.status + " " + await r.text())`,
		path, method, sent, sent), chromedp.EvalAwaitPromise))
	if err != nil || strings.HasPrefix(text, "refused") {
		p.t.Fatalf("%s %s: %v %s", method, path, err, text)
	}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &response); err != nil {
			p.t.Fatal(err)
		}
	}
	return response
}

// grant gives the person of another page a permission and returns the grant's id.
func (p *tab) grant(to *tab, permission string) (id string) {
	p.t.Helper()
	user := to.request("GET", "/api/v1/principal", nil)["userId"]
	return p.request("POST", "/api/v1/grants", object{"userId": user, "permissionId": permission})["id"].(string)
}

// TestRotaOnThePlatform is walk-throughs 5 and 10 on the real platform: the owner configures the rota, a
// coordinator sends requests, an email fails and is sent again, a volunteer claims their link and responds,
// and the coordinator's permission is revoked while the board is open.
func TestRotaOnThePlatform(t *testing.T) {
	t.Parallel()
	i := installRota(t)
	owner := openPage(t, i.origin+"/#/admin/modules", desktop)
	owner.fillSignIn("owner@example.org", ownerPassword)
	owner.submitUntil(signedIn)
	configureRota(t, i, owner)

	coordinator := i.join("office@example.org", "Coordinator", desktop)
	volunteer := i.join("reader1@example.org", "Reader 1", phone)
	owner.grant(coordinator, "rota.mail.send")
	managing := owner.grant(coordinator, "rota.manage")
	planRota(coordinator, i.origin)

	i.box.breakNext()
	coordinator.click("button", "Send requests (2)")
	coordinator.waitForText("Not sent: try again")
	coordinator.screenshot("rota-real-failed")
	coordinator.runScript(`document.querySelector(".rota .mails .failed button").click()`)
	coordinator.waitFor(`document.querySelector(".rota .mails")?.innerText.includes("Sent: Reader 1, Reader 2")`)
	coordinator.assertNoText("Not sent")

	answerByLink(t, i, coordinator)
	link := i.invite(coordinator, "reader1@example.org")
	volunteer.do(chromedp.Navigate(link))
	volunteer.waitForHeading("Connect with the rota")
	volunteer.waitFor(`location.hash === "#/m/rota/claim"`) // the link's token is not kept in the address
	volunteer.assertFits()
	volunteer.assertAccessible("the claim of a volunteer")
	volunteer.click("button", "Connect me")
	volunteer.waitForHeading("My dates")
	volunteer.waitForText("You accepted")
	coordinator.screenshot("rota-real-answered")
	volunteer.do(chromedp.Navigate(i.origin + "/#/"))
	volunteer.waitForHome()
	volunteer.find("heading", "My dates")
	volunteer.waitForText("You accepted")
	volunteer.screenshot("rota-real-tile")
	volunteer.assertFits()
	volunteer.assertAccessible("Home with the tile of the rota")
	second := volunteer.openTab(link)
	second.waitForHeading("My dates")
	second.waitForText("You accepted")
	changePlans(i, owner, coordinator, volunteer)

	owner.request("POST", "/api/v1/grants/"+managing+"/revoke", object{})
	coordinator.runScript(`document.querySelector(".rota .cell li:last-child button").click()`)
	coordinator.click("menuitem", "Note: declined")
	coordinator.waitForText("You no longer have access (rota.manage).")
	coordinator.waitFor(signedIn)
	coordinator.click("link", "Home")
	coordinator.waitForHome()
}

// answerByLink: somebody without an account answers on a phone, by the link of the mail. The coordinator sees
// it at once. The page keeps nothing in the browser, and shows what was said when the mail is opened again.
func answerByLink(t *testing.T, i *rotaInstallation, coordinator *tab) {
	t.Helper()
	link := i.box.linkTo(t, "reader1@example.org", answerLink)
	guest := openPage(t, link, phone)
	guest.waitForText("Can you?")
	guest.waitFor(`location.hash === "" && localStorage.length + sessionStorage.length === 0`)
	guest.assertFits()
	guest.assertAccessible("the page of a link")
	guest.screenshot("rota-link-asked")
	german := openPage(t, "about:blank", view{width: narrow.width, height: narrow.height, dark: true})
	german.onNewDocument(`Object.defineProperty(navigator, "languages", { get: () => ["de-DE"] })`)
	german.do(chromedp.Navigate(link))
	german.waitForText("Können Sie?")
	german.waitForText("Es gilt die Zeitzone") // a text of the kit
	german.assertFits()
	german.assertAccessible("the page of a link in German")
	german.screenshot("rota-link-german")
	guest.runScript(`document.querySelector(".rota-link .answers button").click()`) // the first button means yes
	guest.waitForText("You said yes")
	guest.screenshot("rota-link-answered")
	coordinator.waitFor(`document.querySelector(".rota .cell .d-chip.d-ok")?.innerText === "Accepted"`)
	guest.reload()
	guest.waitForText("You said yes")
	guest.runScript(`document.querySelector(".rota-link .answers button").click()`) // "Take this back"
	guest.waitForText("Can you?")
	again := openPage(t, link, phone)
	again.waitForText("Can you?")
	again.runScript(`document.querySelector(".rota-link .answers button").click()`)
	again.waitForText("You said yes")
	wrong := openPage(t, i.origin+"/link/rota#"+strings.Repeat("A", 43), phone)
	wrong.waitForText("This link does not work any more.")
	wrong.assertFits()
	wrong.screenshot("rota-link-wrong")
}

// invite sends a volunteer the link that connects them, and returns it.
func (i *rotaInstallation) invite(coordinator *tab, email string) string {
	i.t.Helper()
	before := i.box.sentTo(email)
	coordinator.runScript(`(async () => {
		const root = "/api/v1/modules/rota";
		const { volunteers } = await (await fetch(root + "/board")).json();
		const { id } = volunteers.find(({ email }) => email === "` + email + `");
		await fetch(root + "/mail/send", { method: "POST", headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ kind: "invitation", ids: [id] }) });
	})()`)
	waittest.Until(i.t, "the invitation arrives", func() bool { return i.box.sentTo(email) > before })
	return i.box.linkTo(i.t, email, claimLink)
}

// configureRota is walk-through 5.
func configureRota(t *testing.T, i *rotaInstallation, owner *tab) {
	t.Helper()
	owner.waitForHeading("Modules")
	owner.waitForText("Name of the team has no value.")
	owner.do(chromedp.Navigate(i.origin + rotaSettings))
	owner.find("heading", "Settings: Rota")
	owner.fill("Name of the team", "Welcome team")
	owner.fill("Reply address", "office@example.org")
	owner.fill("Address of the Dashboard", i.origin)
	owner.click("button", "Save")
	owner.waitForAnnouncement("Saved")
	owner.waitForText("1 change waits for a restart.")
	i.running.stop(t)
	i.start()
	owner.click("button", "Check again")
	owner.waitFor(`!document.body.innerText.includes("waits for a restart")`)
	owner.do(chromedp.Navigate(i.origin + "/#/admin/modules"))
	owner.waitForHeading("Modules")
	owner.assertNoText("BLOCKED")
	house := owner.request("GET", "/api/v1/house", nil)
	house["timeZone"] = i.zone
	owner.request("PUT", "/api/v1/house", house)
	service := object{"title": "Morning service", "startsAt": timestamp(i.servesAt)}
	owner.request("POST", "/api/v1/modules/stage/services", service)
}

// planRota creates a role and two volunteers, and plans both for the only service.
func planRota(p *tab, origin string) {
	p.t.Helper()
	// A new document reads the new permissions, whatever the old one is doing.
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(origin+"/#/m/rota/roles"))
	p.waitForHeading("Roles")
	p.click("button", "Add a role")
	p.waitFor(`document.activeElement === document.querySelector(".roles > li:last-child input")`)
	p.fill("Role 1", "Reader")
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	for _, name := range []string{"Reader 1", "Reader 2"} {
		p.do(chromedp.Navigate(origin + "/#/m/rota/volunteers/new"))
		p.waitForHeading("Add a volunteer")
		p.fill("Name", name)
		p.fill("E-mail optional", strings.ToLower(strings.ReplaceAll(name, " ", ""))+"@example.org")
		p.click("checkbox", "Reader")
		p.click("button", "Save")
		p.waitForAnnouncement("Saved")
		p.waitForHeading("Volunteers")
	}
	p.do(chromedp.Navigate(origin + "/#/m/rota"))
	p.waitForHeading("Rota")
	for _, name := range []string{"Reader 1", "Reader 2"} { // by keyboard only
		p.waitFor(`document.querySelector(".rota .cell > button")`)
		p.runScript(`document.querySelector(".rota .cell > button").focus()`)
		p.key("\r")
		p.waitFor(`document.activeElement.getAttribute("role") === "combobox"`)
		p.key(name)
		p.key("\r")
		p.waitFor(`!document.querySelector("dialog .d-primary").disabled`)
		p.key(kb.Tab)
		p.key(kb.Tab)
		p.key("\r")
		p.waitForAnnouncement(name + " is added to Reader")
		p.waitForText(name + "\nPlanned")
	}
}
