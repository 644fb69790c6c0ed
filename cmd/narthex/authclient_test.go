package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	anna, annaPassword = "anna@example.org", "green pastures"
	churchOffice       = "Church office <office@church.example.org>"
	anonymous          = `{"kind":"anonymous"}`
)

func TestTheOfficialClientSignsInAndOut(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.behindAProxy()
	i.start(t)
	c := i.officialClient(t)

	right := object{"email": ownerAddress, "password": ownerPassword}
	c.refuses("signIn.email", object{"email": ownerAddress, "password": "not the password"}, 401, "INVALID_EMAIL_OR_PASSWORD")
	c.holds()
	c.gives("signIn.email", right, `{"ok":true}`)
	c.holds("narthex_session")
	if who := c.principal(); !strings.HasPrefix(who, `{"kind":"authenticated","userId":"`) {
		t.Errorf("signed in, the principal is %s", who)
	}
	c.gives("signOut", nil, `{"success":true}`)
	c.holds()
	if who := c.principal(); who != anonymous {
		t.Errorf("signed out, the principal is %s", who)
	}

	for range 3 {
		c.from("198.51.100.1", "signIn.email", right)
	}
	fourth := c.from("198.51.100.1", "signIn.email", right)
	fourth.mustRefuse(t, 429, "TOO_MANY_REQUESTS")
	if wait, err := strconv.Atoi(fourth.RetryAfter); err != nil || wait < 1 || wait > 10 {
		t.Errorf("the application is told to wait %q s", fourth.RetryAfter)
	}
}

func TestTheOfficialClientVerifiesAndResets(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.behindAProxy()
	i.environment["SERVICE_PUBLIC_SIGNUP_ENABLED"] = "true"
	box := i.mailbox(t)
	daemon := i.start(t)
	c := i.officialClient(t)

	// Verification: the address becomes usable by its mailed link, also on a second click, and no link opens a session.
	signedUp := c.call("signUp.email", object{"name": "Anna", "email": anna, "password": annaPassword})
	if !strings.HasPrefix(string(signedUp.Data), `{"token":null,"user":{"name":"Anna","email":"anna@example.org","emailVerified":false,`) {
		t.Errorf("sign-up: %s", signedUp.line)
	}
	c.holds()
	verification := box.next(t).token(t, i.address, "verify-email")
	c.refuses("signIn.email", object{"email": anna, "password": annaPassword}, 403, "EMAIL_NOT_VERIFIED")
	c.refuses("verifyEmail", object{"query": object{"token": "x" + verification}}, 401, "INVALID_TOKEN")
	for range 2 {
		c.gives("verifyEmail", object{"query": object{"token": verification}}, `{"status":true,"user":null}`)
	}
	c.holds()
	c.gives("signIn.email", object{"email": anna, "password": annaPassword}, `{"ok":true}`)
	c.gives("signOut", nil, `{"success":true}`)

	// Recovery: the same answer for everybody; the mailed token sets a password once.
	known := c.call("requestPasswordReset", object{"email": anna})
	unknown := c.call("requestPasswordReset", object{"email": "nobody@example.org"})
	if known.line != unknown.line || known.Error != nil {
		t.Errorf("reset requests tell a known address from an unknown one:\n%s\n%s", known.line, unknown.line)
	}
	reset := box.next(t).token(t, i.address, "reset-password")
	const changed = "still waters"
	c.refuses("resetPassword", object{"newPassword": "7 chars", "token": reset}, 400, "PASSWORD_TOO_SHORT")
	c.gives("resetPassword", object{"newPassword": changed, "token": reset}, `{"status":true}`)
	c.refuses("signIn.email", object{"email": anna, "password": annaPassword}, 401, "INVALID_EMAIL_OR_PASSWORD")
	c.gives("signIn.email", object{"email": anna, "password": changed}, `{"ok":true}`)
	c.gives("signOut", nil, `{"success":true}`)
	c.refuses("resetPassword", object{"newPassword": "a third one", "token": reset}, 400, "INVALID_TOKEN")

	// Another verification mail: the same answer for everybody, and a mail for who needs one.
	const bert = "bert@example.org"
	c.call("signUp.email", object{"name": "Bert", "email": bert, "password": "quiet waters"})
	for _, email := range []string{bert, anna, "nobody@example.org"} {
		c.gives("sendVerificationEmail", object{"email": email}, `{"status":true}`)
	}

	daemon.signal(t, syscall.SIGTERM) // what is queued leaves before the end
	daemon.exit(t)
	want := map[string]int{anna + " verify-email": 1, anna + " reset-password": 1, bert + " verify-email": 2}
	if got := box.all(t, i.address); !maps.Equal(got, want) {
		t.Errorf("mails: %v, want %v", got, want)
	}
}

// behindAProxy lets each request come from an address of its own, so that only who means to meet the rate limit meets it.
func (i *installation) behindAProxy() {
	i.environment["SERVICE_CLIENT_ADDRESS_MODE"] = "trusted-proxy"
	i.environment["SERVICE_CLIENT_ADDRESS_HEADER"] = "x-forwarded-for"
	i.environment["SERVICE_CLIENT_ADDRESS_TRUSTED_PROXIES"] = "127.0.0.0/8, ::1"
}

type object = map[string]any

// officialClient is better-auth/client in a Node process of its own, with one cookie jar.
type officialClient struct {
	t       *testing.T
	address string
	calls   io.Writer
	replies *bufio.Reader
	steps   int
	last    reply
}

// reply is what the client returned to its application.
type reply struct {
	Data  jsontext.Value `json:"data"`
	Error *struct {
		Status int    `json:"status"`
		Code   string `json:"code"`
	} `json:"error"`
	Cookies    []string `json:"cookies"`
	RetryAfter string   `json:"retryAfter"`

	line string
}

func (i *installation) officialClient(t *testing.T) *officialClient {
	t.Helper()
	script, err := os.ReadFile("testdata/authclient/drive.mjs")
	if err != nil {
		t.Fatal(err)
	}
	packages := npmPackages(t, "testdata/authclient")
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience) // the end of a call that is never answered, too
	node := exec.CommandContext(ctx, "node", "--input-type=module", "--eval", string(script), "--", i.address)
	node.Dir = packages // where --eval looks for imports
	var complaint transcript
	node.Stderr = &complaint
	calls, errCalls := node.StdinPipe()
	replies, errReplies := node.StdoutPipe()
	if err := errors.Join(errCalls, errReplies, node.Start()); err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer cancel()
		_ = calls.Close()
		if err := node.Wait(); err != nil {
			t.Errorf("node: %v\n%s", err, complaint.String())
		}
	})
	return &officialClient{t: t, address: i.address, calls: calls, replies: bufio.NewReader(replies)}
}

// call calls a method of the client from an address that has not been seen before.
func (c *officialClient) call(method string, arguments any) reply {
	c.t.Helper()
	c.steps++
	return c.from(fmt.Sprintf("192.0.2.%d", c.steps), method, arguments)
}

func (c *officialClient) from(address, method string, arguments any) reply {
	c.t.Helper()
	request := object{"call": method, "from": address}
	if arguments != nil {
		request["arguments"] = arguments
	}
	line, err := json.Marshal(request)
	if err == nil {
		_, err = c.calls.Write(append(line, '\n'))
	}
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	answer, err := c.replies.ReadString('\n')
	if err != nil {
		c.t.Fatalf("%s: no answer: %v", method, err)
	}
	c.last = reply{line: strings.TrimSpace(answer)}
	if err := json.Unmarshal([]byte(answer), &c.last); err != nil {
		c.t.Fatalf("%s: %v in %s", method, err, answer)
	}
	return c.last
}

func (c *officialClient) gives(method string, arguments any, data string) {
	c.t.Helper()
	if r := c.call(method, arguments); string(r.Data) != data || r.Error != nil {
		c.t.Errorf("%s: %s, want %s", method, r.line, data)
	}
}

func (c *officialClient) refuses(method string, arguments any, status int, code string) {
	c.t.Helper()
	c.call(method, arguments).mustRefuse(c.t, status, code)
}

func (r reply) mustRefuse(t *testing.T, status int, code string) {
	t.Helper()
	if string(r.Data) != "null" || r.Error == nil || r.Error.Status != status || r.Error.Code != code {
		t.Errorf("%s, want %d %s", r.line, status, code)
	}
}

// principal asks the platform, not identity, through the same jar.
func (c *officialClient) principal() string {
	c.t.Helper()
	return string(c.call("$fetch", c.address+"/api/v1/principal").Data)
}

// holds checks the cookie jar after the last call.
func (c *officialClient) holds(cookies ...string) {
	c.t.Helper()
	if !slices.Equal(c.last.Cookies, cookies) {
		c.t.Errorf("the jar holds %q, want %q", c.last.Cookies, cookies)
	}
}

// npmPackages returns a folder with what the lock file of source pins. It is made once per lock file, in the user's cache.
func npmPackages(t *testing.T, source string) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is missing: install Node.js 20 or newer with npm, which the tests need (README.md)", program)
		}
	}
	lock, err := os.ReadFile(filepath.Join(source, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(lock)
	folder := filepath.Join(caches, "narthex-authclient-"+hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(caches, 0o700); err != nil {
		t.Fatal(err)
	}
	unlock := lockFile(t, folder+".lock")
	defer unlock()
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	unfinished := folder + ".new" // a run that was killed may have left it
	if err := errors.Join(os.RemoveAll(unfinished), os.CopyFS(unfinished, os.DirFS(source))); err != nil {
		t.Fatal(err)
	}
	t.Logf("npm ci in %s, once", folder)
	ctx, cancel := context.WithTimeout(t.Context(), npmPatience)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund")
	npm.Dir = unfinished
	if output, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, output)
	}
	if err := os.Rename(unfinished, folder); err != nil {
		t.Fatal(err)
	}
	return folder
}

const npmPatience = 5 * time.Minute // a slow line, once

// lockFile waits until no other test process holds the lock.
func lockFile(t *testing.T, name string) (unlock func()) {
	t.Helper()
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(npmPatience)
	for syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		if time.Now().After(deadline) {
			t.Fatalf("%s stays locked", name)
		}
		time.Sleep(20 * time.Millisecond) // between two looks at a condition
	}
	return func() { _ = file.Close() }
}

// mailbox is a mail server that takes every mail and keeps it.
type mailbox struct {
	arrived chan letter
	taken   []letter
}

type letter struct {
	to      string
	message []byte
}

// mailbox starts a mail server and makes it the installation's.
func (i *installation) mailbox(t *testing.T) *mailbox {
	t.Helper()
	box := &mailbox{arrived: make(chan letter, 100)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &delivery{box: box}, nil }))
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
	})
	i.environment["SERVICE_SMTP_HOST"] = "127.0.0.1"
	i.environment["SERVICE_SMTP_PORT"] = strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	i.environment["SERVICE_SMTP_SECURITY"] = "plaintext"
	i.environment["SERVICE_SMTP_FROM"] = churchOffice
	return box
}

// delivery is one connection to the mailbox.
type delivery struct {
	box *mailbox
	to  []string
}

func (d *delivery) Reset()                               { d.to = nil }
func (d *delivery) Logout() error                        { return nil }
func (d *delivery) Mail(string, *smtp.MailOptions) error { return nil }

func (d *delivery) Rcpt(to string, _ *smtp.RcptOptions) error {
	d.to = append(d.to, to)
	return nil
}

func (d *delivery) Data(r io.Reader) error {
	message, err := io.ReadAll(r)
	if err == nil {
		d.box.arrived <- letter{strings.Join(d.to, ","), message}
	}
	return err
}

// next waits for the next mail.
func (b *mailbox) next(t *testing.T) letter {
	t.Helper()
	select {
	case l := <-b.arrived:
		b.taken = append(b.taken, l)
		return l
	case <-time.After(patience):
		t.Fatal("no mail came")
		return letter{}
	}
}

// all counts every mail there ever was, by recipient and purpose. It is for the time when nobody sends any more.
func (b *mailbox) all(t *testing.T, dashboard string) map[string]int {
	t.Helper()
	for len(b.arrived) > 0 {
		b.taken = append(b.taken, <-b.arrived)
	}
	count := make(map[string]int)
	for _, l := range b.taken {
		count[l.to+" "+l.link(t, dashboard).Get("service_auth")]++
	}
	return count
}

// token returns the token of the letter's link, which must be to the Dashboard and for purpose.
func (l letter) token(t *testing.T, dashboard, purpose string) string {
	t.Helper()
	query := l.link(t, dashboard)
	if query.Get("service_auth") != purpose || query.Get("token") == "" {
		t.Fatalf("a link for %s has the query %v", purpose, query)
	}
	return query.Get("token")
}

var linkWithQuery = regexp.MustCompile(`https?://\S+\?\S*`)

// link returns the query of the one link with a query in the letter's text.
func (l letter) link(t *testing.T, dashboard string) url.Values {
	t.Helper()
	text := l.text(t)
	links := linkWithQuery.FindAllString(text, -1)
	if len(links) != 1 {
		t.Fatalf("%d links in %q", len(links), text)
	}
	query, found := strings.CutPrefix(links[0], dashboard+"/?")
	values, err := url.ParseQuery(query)
	if !found || err != nil || len(values) != 2 {
		t.Fatalf("the link is %s", links[0])
	}
	return values
}

// text returns the letter's plain text, the first part if there are more.
func (l letter) text(t *testing.T) string {
	t.Helper()
	message, err := mail.ReadMessage(strings.NewReader(string(l.message)))
	if err != nil {
		t.Fatal(err)
	}
	sender, err := message.Header.AddressList("From")
	if err != nil || len(sender) != 1 || sender[0].Address != "office@church.example.org" || sender[0].Name != "Church office" {
		t.Errorf("the sender is %v, %v", sender, err)
	}
	kind, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	body := io.Reader(message.Body)
	switch {
	case err != nil:
		t.Fatal(err)
	case strings.HasPrefix(kind, "multipart/"):
		if body, err = multipart.NewReader(message.Body, parameters["boundary"]).NextPart(); err != nil {
			t.Fatal(err)
		}
	case strings.EqualFold(message.Header.Get("Content-Transfer-Encoding"), "quoted-printable"):
		body = quotedprintable.NewReader(message.Body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
