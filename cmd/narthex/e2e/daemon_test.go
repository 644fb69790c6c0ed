package e2e

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/porttest"
	"github.com/narthex-platform/narthex/services/waittest"
)

// patience limits every wait of these tests; no test asserts a duration.
const patience = 3 * time.Minute

// invocation is one run of the program in a process.
type invocation struct {
	command *exec.Cmd
	stdout  transcript
	stderr  transcript
	ended   chan struct{}
}

// transcript collects the output of a process, and lets tests wait for a part of it.
type transcript struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

// Write appends to the text.
func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
	return t.text.Write(p)
}

// String returns the text so far.
func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

func (t *transcript) next() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return t.changed
}

// newCommand returns the program as a command that is not started, with only these variables in its
// environment, besides PATH and GORACE.
func newCommand(t *testing.T, environment map[string]string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binaryFor(args)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(path, args...)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "GORACE=halt_on_error=1 exitcode=66"}
	for name, value := range environment {
		command.Env = append(command.Env, name+"="+value)
	}
	command.Dir = environment["PWD"]
	return command
}

// startCommand starts the program with these variables.
func startCommand(t *testing.T, environment map[string]string, stdin string, args ...string) *invocation {
	t.Helper()
	command := newCommand(t, environment, args...)
	command.Stdin = strings.NewReader(stdin)
	return startPrepared(t, command)
}

// startPrepared starts a command of newCommand.
func startPrepared(t *testing.T, command *exec.Cmd) *invocation {
	t.Helper()
	r := &invocation{command: command, ended: make(chan struct{})}
	command.Stdout, command.Stderr = &r.stdout, &r.stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		_ = command.Wait()
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-r.ended
		if t.Failed() {
			t.Logf("%v\nstandard output:\n%s\nstandard error:\n%s", command.Args[1:], r.stdout.String(),
				r.stderr.String())
		}
	})
	return r
}

// awaitExit waits for the process to end and returns the exit status.
func (r *invocation) awaitExit(t *testing.T) int {
	t.Helper()
	select {
	case <-r.ended:
		return r.command.ProcessState.ExitCode()
	case <-time.After(patience):
		t.Fatal("the program did not end")
		return 0
	}
}

// awaitOutput waits until a text appears in out.
func (r *invocation) awaitOutput(t *testing.T, out *transcript, text string) {
	t.Helper()
	r.awaitOutputWithin(t, out, text, patience)
}

func (r *invocation) awaitOutputWithin(t *testing.T, out *transcript, text string, within time.Duration) {
	t.Helper()
	deadline := time.After(within)
	for {
		changed := out.next()
		if strings.Contains(out.String(), text) {
			return
		}
		select {
		case <-changed:
		case <-r.ended:
			if !strings.Contains(out.String(), text) {
				t.Fatalf("the program ended without saying %q", text)
			}
			return
		case <-deadline:
			t.Fatalf("the program did not say %q", text)
		}
	}
}

func runCommand(t *testing.T, environment map[string]string, stdin string, args ...string) *invocation {
	t.Helper()
	r := startCommand(t, environment, stdin, args...)
	r.awaitExit(t)
	return r
}

// installation is a database, a modules directory and an environment with which every command works.
type installation struct {
	db          *databasetest.DB
	environment map[string]string
	address     string
	// shortDeadlines starts daemons with a tenth of the deadlines that a test waits for (supervisor/deadlines).
	shortDeadlines bool
}

const ownerAddress, ownerPassword = "owner@example.org", "correct horse battery"

// install prepares an installation with a migrated database and an owner.
func install(t *testing.T, modules ...string) *installation {
	t.Helper()
	i := prepare(t, databasetest.Empty(t), modules...)
	i.migrateWithOwner(t)
	return i
}

// migrateWithOwner migrates the database and creates an owner.
func (i *installation) migrateWithOwner(t *testing.T) {
	t.Helper()
	if r := runCommand(t, i.environment, "", "migrations:apply"); r.awaitExit(t) != cli.ExitSuccess {
		t.Fatal("migrations:apply failed")
	}
	if r := runCommand(t, i.environment, ownerPassword+"\n", "identity:create-initial-owner", "--", "--email",
		ownerAddress); r.awaitExit(t) != cli.ExitSuccess {
		t.Fatal("identity:create-initial-owner failed")
	}
}

// prepare returns an installation without running any command.
func prepare(t *testing.T, db *databasetest.DB, modules ...string) *installation {
	t.Helper()
	port := strconv.Itoa(porttest.Free(t))
	address := "http://localhost:" + port
	i := &installation{db: db, address: address, environment: map[string]string{
		"NODE_ENV":                  "development",
		"DATABASE_URL":              db.URL,
		"SERVICE_MODULES_DIR":       modulesDirectory(t, modules...),
		"SERVICE_API_PORT":          port,
		"XDG_RUNTIME_DIR":           sharedFolder(t), // a killed daemon does not remove the folder of its socket
		"SERVICE_IDENTITY_SECRET":   "8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi",
		"SERVICE_IDENTITY_BASE_URL": address,
	}}
	if db.Settings.Pooled {
		i.environment["SERVICE_DATABASE_POOLER"] = "transaction"
	}
	if slices.Contains(modules, "announcements") { // it declares a bucket, which these tests do not use
		i.environment["OBJECT_STORAGE_ENDPOINT"] = "http://127.0.0.1:1"
		i.environment["OBJECT_STORAGE_ACCESS_KEY"] = "nobody"
		i.environment["OBJECT_STORAGE_SECRET_KEY"] = "nobody"
	}
	return i
}

// start starts api:start and waits until it is ready.
func (i *installation) start(t *testing.T) *invocation {
	t.Helper()
	r := i.begin(t)
	r.awaitOutput(t, &r.stderr, `"msg":"ready"`)
	return r
}

// begin starts api:start and does not wait.
func (i *installation) begin(t *testing.T) *invocation {
	t.Helper()
	command := newCommand(t, i.environment, "api:start")
	if i.shortDeadlines {
		path, err := shortBinary()
		if err != nil {
			t.Fatal(err)
		}
		command.Path = path
	}
	return startPrepared(t, command)
}

// person is one browser.
type person struct {
	t         *testing.T
	address   string
	client    *http.Client
	transport *http.Transport // below the client's, which checks the answers
	cookie    string
}

func (i *installation) visitor(t *testing.T) *person {
	// A client closes an idle connection before the platform does, at 5 s. Otherwise a request that cannot be
	// repeated may be sent just when the platform closes the connection.
	transport := &http.Transport{IdleConnTimeout: 2 * time.Second}
	t.Cleanup(transport.CloseIdleConnections)
	return &person{t: t, address: i.address, transport: transport,
		client: &http.Client{Transport: documented(t, transport), Timeout: patience}}
}

// signIn returns a person with a session.
func (i *installation) signIn(t *testing.T, email, password string) *person {
	t.Helper()
	p := i.visitor(t)
	response := p.do("POST", "/api/auth/sign-in/email", map[string]string{"email": email, "password": password})
	if response.status != http.StatusOK {
		t.Fatalf("sign-in of %s: status %d, want 200; body %s", email, response.status, response.body)
	}
	p.cookie, _, _ = strings.Cut(response.header.Get("Set-Cookie"), ";")
	return p
}

type httpResponse struct {
	status int
	header http.Header
	body   string
}

// do sends a request with the headers of the Dashboard and reads the whole response.
func (p *person) do(method, path string, value any) httpResponse {
	p.t.Helper()
	response, err := p.doContext(p.t.Context(), method, path, value)
	if err != nil {
		p.t.Fatalf("%s %s: error %v, want none", method, path, err)
	}
	return response
}

// doContext is do with the caller's context; it returns an error instead of failing the test.
func (p *person) doContext(ctx context.Context, method, path string, value any) (httpResponse, error) {
	var body io.Reader
	switch v := value.(type) {
	case nil:
	case io.Reader:
		body = v
	default:
		text, err := json.Marshal(v)
		if err != nil {
			return httpResponse{}, err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, p.address+path, body)
	if err != nil {
		return httpResponse{}, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if method != http.MethodGet {
		request.Header.Set("Origin", p.address)
	}
	if p.cookie != "" {
		request.Header.Set("Cookie", p.cookie)
	}
	response, err := p.client.Do(request)
	if err != nil {
		return httpResponse{}, err
	}
	text, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	return httpResponse{response.StatusCode, response.Header, string(text)}, err
}

// eventually polls a condition until it is true.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	waittest.Until(t, what, condition)
}

func (r *invocation) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := r.command.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}
