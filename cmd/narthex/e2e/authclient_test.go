package e2e

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	anna, annaPassword = "anna@example.org", "green pastures"
	anonymous          = `{"kind":"anonymous"}`
)

func TestTheOfficialClientSignsInAndOut(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.useProxyAddresses()
	i.start(t)
	c := i.officialClient(t)

	right := object{"email": ownerAddress, "password": ownerPassword}
	c.assertRefused("signIn.email", object{"email": ownerAddress, "password": "not the password"}, 401,
		"INVALID_EMAIL_OR_PASSWORD")
	c.assertCookies()
	c.assertResult("signIn.email", right, `{"ok":true}`)
	c.assertCookies("narthex_session")
	if who := c.principal(); !strings.HasPrefix(who, `{"kind":"authenticated","userId":"`) {
		t.Errorf("signed in, the principal is %s", who)
	}
	c.assertResult("signOut", nil, `{"success":true}`)
	c.assertCookies()
	if who := c.principal(); who != anonymous {
		t.Errorf("signed out, the principal is %s", who)
	}

	for range 3 {
		c.callFrom("198.51.100.1", "signIn.email", right)
	}
	fourth := c.callFrom("198.51.100.1", "signIn.email", right)
	fourth.assertRefused(t, 429, "TOO_MANY_REQUESTS")
	if wait, err := strconv.Atoi(fourth.RetryAfter); err != nil || wait < 1 || wait > 10 {
		t.Errorf("the application is told to wait %q s", fourth.RetryAfter)
	}
}

func TestTheOfficialClientVerifiesAndResets(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.useProxyAddresses()
	i.environment["SERVICE_PUBLIC_SIGNUP_ENABLED"] = "true"
	box := i.mailbox(t)
	daemon := i.start(t)
	c := i.officialClient(t)

	// Verification: the mailed link verifies the address, also when it is opened a second time, and opens no
	// session.
	signedUp := c.call("signUp.email", object{"name": "Anna", "email": anna, "password": annaPassword})
	if !strings.HasPrefix(string(signedUp.Data),
		`{"token":null,"user":{"name":"Anna","email":"anna@example.org","emailVerified":false,`) {
		t.Errorf("signUp.email: %s, want no token and Anna with an address not verified", signedUp.line)
	}
	c.assertCookies()
	verification := box.next(t).token(t, i.address, "verify-email")
	c.assertRefused("signIn.email", object{"email": anna, "password": annaPassword}, 403, "EMAIL_NOT_VERIFIED")
	c.assertRefused("verifyEmail", object{"query": object{"token": "x" + verification}}, 401, "INVALID_TOKEN")
	for range 2 {
		c.assertResult("verifyEmail", object{"query": object{"token": verification}}, `{"status":true,"user":null}`)
	}
	c.assertCookies()
	c.assertResult("signIn.email", object{"email": anna, "password": annaPassword}, `{"ok":true}`)
	c.assertResult("signOut", nil, `{"success":true}`)

	// Recovery: the same response for everybody; the mailed token sets a password once.
	known := c.call("requestPasswordReset", object{"email": anna})
	unknown := c.call("requestPasswordReset", object{"email": "nobody@example.org"})
	if known.line != unknown.line || known.Error != nil {
		t.Errorf("reset requests tell a known address from an unknown one:\n%s\n%s", known.line, unknown.line)
	}
	reset := box.next(t).token(t, i.address, "reset-password")
	const changed = "still waters"
	c.assertRefused("resetPassword", object{"newPassword": "7 chars", "token": reset}, 400, "PASSWORD_TOO_SHORT")
	c.assertResult("resetPassword", object{"newPassword": changed, "token": reset}, `{"status":true}`)
	former := object{"email": anna, "password": annaPassword}
	c.assertRefused("signIn.email", former, 401, "INVALID_EMAIL_OR_PASSWORD")
	c.assertResult("signIn.email", object{"email": anna, "password": changed}, `{"ok":true}`)
	c.assertResult("signOut", nil, `{"success":true}`)
	c.assertRefused("resetPassword", object{"newPassword": "a third one", "token": reset}, 400, "INVALID_TOKEN")

	// Another verification email: the response is the same for everybody, but only an unverified person gets
	// an email.
	const bert = "bert@example.org"
	c.call("signUp.email", object{"name": "Bert", "email": bert, "password": "quiet waters"})
	for _, email := range []string{bert, anna, "nobody@example.org"} {
		c.assertResult("sendVerificationEmail", object{"email": email}, `{"status":true}`)
	}

	daemon.signal(t, syscall.SIGTERM) // the queue is sent before the process ends
	daemon.awaitExit(t)
	want := map[string]int{anna + " verify-email": 1, anna + " reset-password": 1, anna + " password-changed": 1,
		bert + " verify-email": 2}
	if got := box.all(t, i.address); !maps.Equal(got, want) {
		t.Errorf("mails: %v, want %v", got, want)
	}
}

// useProxyAddresses gives each visitor an address of its own, so that only tests of the rate limit reach it.
func (i *installation) useProxyAddresses() {
	i.environment["SERVICE_CLIENT_ADDRESS_MODE"] = "trusted-proxy"
	i.environment["SERVICE_CLIENT_ADDRESS_HEADER"] = "x-forwarded-for"
	i.environment["SERVICE_CLIENT_ADDRESS_TRUSTED_PROXIES"] = "127.0.0.0/8, ::1"
}

type object = map[string]any

// officialClient is better-auth/client in a Node process, with one cookie jar.
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
	return startOfficialClient(t, i.address)
}

// startOfficialClient starts the client for the platform at an address; before is put in front of the node
// command.
func startOfficialClient(t *testing.T, address string, before ...string) *officialClient {
	t.Helper()
	script, err := os.ReadFile("testdata/authclient/drive.mjs")
	if err != nil {
		t.Fatal(err)
	}
	packages := npmPackages(t, "testdata/authclient")
	ctx, cancel := context.WithTimeout(context.Background(),
		2*patience) // enough also for a call without a response
	words := append(before, "node", "--input-type=module", "--eval", string(script), "--", address)
	node := exec.CommandContext(ctx, words[0], words[1:]...)
	node.Dir = packages // --eval resolves imports in the working directory
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
			t.Errorf("the client's Node process: %v, want success; stderr %s", err, complaint.String())
		}
	})
	return &officialClient{t: t, address: address, calls: calls, replies: bufio.NewReader(replies)}
}

// call calls a method of the client from a new client address.
func (c *officialClient) call(method string, arguments any) reply {
	c.t.Helper()
	c.steps++
	return c.callFrom(fmt.Sprintf("192.0.2.%d", c.steps), method, arguments)
}

func (c *officialClient) callFrom(address, method string, arguments any) reply {
	c.t.Helper()
	request := object{"call": method, "from": address}
	if arguments != nil {
		request["arguments"] = arguments
	}
	c.send(request)
	body := c.receive()
	c.last = reply{line: strings.TrimSpace(body)}
	if err := json.Unmarshal([]byte(body), &c.last); err != nil {
		c.t.Fatalf("%s: the reply %s is not JSON: %v", method, body, err)
	}
	return c.last
}

// send sends a line to the Node process.
func (c *officialClient) send(value any) {
	c.t.Helper()
	line, err := json.Marshal(value)
	if err == nil {
		_, err = c.calls.Write(append(line, '\n'))
	}
	if err != nil {
		c.t.Fatalf("%v: error %v, want none", value, err)
	}
}

// receive returns the next line of the Node process.
func (c *officialClient) receive() string {
	c.t.Helper()
	line, err := c.replies.ReadString('\n')
	if err != nil {
		c.t.Fatalf("no response: %v", err)
	}
	return line
}

func (c *officialClient) assertResult(method string, arguments any, data string) {
	c.t.Helper()
	if r := c.call(method, arguments); string(r.Data) != data || r.Error != nil {
		c.t.Errorf("%s: %s, want %s", method, r.line, data)
	}
}

func (c *officialClient) assertRefused(method string, arguments any, status int, code string) {
	c.t.Helper()
	c.call(method, arguments).assertRefused(c.t, status, code)
}

func (r reply) assertRefused(t *testing.T, status int, code string) {
	t.Helper()
	if string(r.Data) != "null" || r.Error == nil || r.Error.Status != status || r.Error.Code != code {
		t.Errorf("reply %s, want null data and the error %d %s", r.line, status, code)
	}
}

// principal calls a route of the platform, and not of Better Auth, with the same cookie jar.
func (c *officialClient) principal() string {
	c.t.Helper()
	return string(c.call("$fetch", c.address+"/api/v1/principal").Data)
}

// assertCookies checks the cookie jar after the last call.
func (c *officialClient) assertCookies(cookies ...string) {
	c.t.Helper()
	if !slices.Equal(c.last.Cookies, cookies) {
		c.t.Errorf("the jar holds %q, want %q", c.last.Cookies, cookies)
	}
}

// npmPackages returns a folder with the packages that the lock file of source pins. It is installed once per
// lock file, in the user's cache.
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
	unfinished := folder + ".new" // may be left by a killed run
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

const npmPatience = 5 * time.Minute // the first download may be slow

// lockFile takes an exclusive lock and waits until no other test process holds it.
func lockFile(t *testing.T, name string) (unlock func()) {
	t.Helper()
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for err = syscall.EINTR; err == syscall.EINTR; {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() { _ = file.Close() }
}
