package browsertest

import (
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/emersion/go-smtp"

	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/porttest"
)

// mailbox is a mail server that accepts and keeps every email.
type mailbox struct {
	arrived chan string
	port    string
}

func startMailbox(t *testing.T) *mailbox {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	box := &mailbox{make(chan string, 10), strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return box, nil }))
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
	})
	return box
}

func (b *mailbox) Reset()                               {}
func (b *mailbox) Logout() error                        { return nil }
func (b *mailbox) Mail(string, *smtp.MailOptions) error { return nil }
func (b *mailbox) Rcpt(string, *smtp.RcptOptions) error { return nil }

func (b *mailbox) Data(r io.Reader) error {
	message, err := io.ReadAll(r)
	if err == nil {
		b.arrived <- string(message)
	}
	return err
}

var invitationLink = regexp.MustCompile(`https?://\S+/\?service_auth=accept-invitation&token=\S+`)

// waitForInvitation waits for the next email, which must be an invitation, and returns its link.
func (b *mailbox) waitForInvitation(t *testing.T) string {
	t.Helper()
	var text string
	select {
	case text = <-b.arrived:
	case <-time.After(patience):
		t.Fatal("no mail came")
	}
	message, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	_, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	part, err := multipart.NewReader(message.Body, parameters["boundary"]).NextPart()
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(part)
	link := invitationLink.FindString(string(plain))
	if err != nil || link == "" {
		t.Fatalf("the mail says %q, %v, want the link of an invitation in it", plain, err)
	}
	return link
}

const ownerPassword = "correct horse battery"

// startWithMail installs the platform without modules, with an owner and a mail server, and starts it.
func startWithMail(t *testing.T) (origin string, box *mailbox) {
	t.Helper()
	folder, port := install(t), strconv.Itoa(porttest.Free(t))
	origin, box = "http://127.0.0.1:"+port, startMailbox(t)
	if err := os.MkdirAll(filepath.Join(folder, "modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	postgres, err := cluster.Start(t.Context(), cluster.Options{
		Dir: filepath.Join(folder, "postgresql"), Tools: "../../.tools", FsyncOff: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = postgres.Stop() })
	command := func(arguments ...string) *exec.Cmd {
		c := exec.Command(filepath.Join(folder, "narthex"), arguments...)
		c.Dir = folder
		c.Env = []string{
			"PATH=" + os.Getenv("PATH"),
			"TMPDIR=" + os.TempDir(),
			"NODE_ENV=development",
			"DATABASE_URL=" + postgres.URL("postgres"),
			"SERVICE_API_PORT=" + port,
			"XDG_RUNTIME_DIR=" + folder,
			"SERVICE_IDENTITY_SECRET=8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi",
			"SERVICE_IDENTITY_BASE_URL=" + origin,
			"SERVICE_IDENTITY_TRUSTED_ORIGINS=" + origin,
			"SERVICE_SMTP_HOST=127.0.0.1",
			"SERVICE_SMTP_PORT=" + box.port,
			"SERVICE_SMTP_SECURITY=plaintext",
			"SERVICE_SMTP_FROM=Church office <office@church.example.org>",
		}
		return c
	}
	create := command("identity:create-initial-owner", "--", "--email", "owner@example.org")
	create.Stdin = strings.NewReader(ownerPassword + "\n")
	for _, step := range []*exec.Cmd{command("migrations:apply"), create} {
		if report, err := step.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, report)
		}
	}
	launch(t, command("api:start")).waitForLine(t, `"msg":"ready"`)
	return origin, box
}

// fillSignIn fills in the sign-in form.
func (p *tab) fillSignIn(email, password string) {
	p.t.Helper()
	p.waitForHeading("Sign in")
	p.fill("E-mail", email)
	p.fill("Password", password)
}

// submitUntil presses a form's button whenever it is enabled, until an expression is true. All tests share
// one client address, and an address may sign in only a few times in ten seconds.
func (p *tab) submitUntil(expression string) {
	p.t.Helper()
	p.waitFor(expression + ` || (document.querySelector("[type=submit]:enabled")?.click(), false)`)
}

// signedIn is an expression that is true on the page of a signed-in person.
const signedIn = `document.querySelector(".host-banner .host-account")`

// TestInvitedPerson follows a person on the real platform, with a mail server: they are invited with two
// permissions, join with the mailed link, work, are deactivated meanwhile, and return with the same
// permissions.
func TestInvitedPerson(t *testing.T) {
	origin, box := startWithMail(t)
	owner := openPage(t, origin+"/#/admin/people", desktop)
	owner.fillSignIn("owner@example.org", ownerPassword)
	owner.submitUntil(signedIn)
	owner.waitForHeading("People")
	owner.click("button", "Invite people")
	owner.fill("E-mail addresses", "tea5@example.org")
	owner.click("checkbox", "Change the house's name, colour and language")
	owner.click("checkbox", "See who changed what")
	owner.click("button", "Invite 1 person")
	owner.find("button", "Send again to tea5@example.org")
	owner.waitForText("2 permissions")

	link := box.waitForInvitation(t)
	owner.waitForText("Sent")
	member := openPage(t, link, phone)
	member.waitForHeading("Join")
	member.fill("Your name", "Tea 5")
	member.fill("Password", "quite a new one")
	member.click("button", "Join")
	member.waitForHome()
	second := openPage(t, link, phone)
	second.waitForText("This invitation no longer works.")

	rename := func(name string) {
		t.Helper()
		member.waitForHeading("House")
		member.fill("Name of the house optional", name)
		member.click("button", "Save")
		member.waitForAnnouncement("Saved")
	}
	member.goTo(origin, "house")
	rename("Hill Street Church")
	member.goTo(origin, "activity")
	member.waitForText("Tea 5 joined")
	member.waitForText("Tea 5 changed name, colour or language of the house")
	member.goTo(origin, "house")
	member.fill("Name of the house optional", "Another name")

	owner.reload()
	owner.chooseMenuItem("More for Tea 5", "Deactivate …")
	owner.click("button", "Deactivate")
	owner.waitForAnnouncement("Tea 5 (tea5@example.org) is deactivated")
	// The page may have sent a request by itself meanwhile: then the form is gone already.
	member.runScript(`document.querySelector(".host-house-form [type=submit]")?.click()`)
	member.fillSignIn("tea5@example.org", "quite a new one")
	member.submitUntil(`document.body.innerText.includes("That e-mail and password do not match.")`)

	owner.chooseMenuItem("More for Tea 5", "Reactivate")
	owner.waitForAnnouncement("Tea 5 (tea5@example.org) can sign in again")
	member.submitUntil(signedIn)
	member.goTo(origin, "house")
	rename("Hill Street")
	member.goTo(origin, "activity")
	member.waitForText("reactivated Tea 5")
}

// goTo opens a screen of the administration in the loaded page.
func (p *tab) goTo(origin, screen string) {
	p.t.Helper()
	p.waitFor(signedIn)
	p.do(chromedp.Navigate(origin + "/#/admin/" + screen))
	p.waitFor(`document.activeElement.tagName === "H1"`)
}
