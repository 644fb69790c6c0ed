package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
)

const matrixGolden = "testdata/matrix.golden"

// TestMatrix sends a request to every route of the table as every class of caller, and compares the responses
// with the golden file, so that no route is opened or closed by accident. MATRIX=write rewrites the file;
// review its diff then.
func TestMatrix(t *testing.T) {
	t.Parallel()
	i := installScreenModule(t)
	s := i.inProcess(t)
	callers := i.callers(t, s.Registry)

	var lines strings.Builder
	client := 100
	for _, route := range matrixRoutes(s) {
		fmt.Fprintf(&lines, "%s %s\n", route.Method, route.Path)
		for _, caller := range callers {
			client++
			fmt.Fprintf(&lines, "  %-15s %s\n", caller.class, i.visitorFrom(t, client).statusOf(route, caller))
		}
	}
	compareWithGolden(t, matrixGolden, "MATRIX", lines.String())
}

// compareWithGolden compares text with a file, line by line. The environment variable with the value "write"
// rewrites the file.
func compareWithGolden(t *testing.T, file, variable, text string) {
	t.Helper()
	if os.Getenv(variable) == "write" {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(text, "\n"), strings.Split(string(golden), "\n")
	for n := range min(len(got), len(want)) {
		if got[n] != want[n] {
			t.Fatalf("%s:%d: got %q, want %q", file, n+1, got[n], want[n])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d lines, want the %d of %s", len(got), len(want), file)
	}
}

// matrixRoutes returns the whole table, with the routes that end a caller's session last.
func matrixRoutes(s *platform.Server) []httpapi.Route {
	ends := []string{"/api/v1/account/sign-out-everywhere", "/api/auth/sign-out"}
	routes := s.Routes()
	slices.SortStableFunc(routes, func(a, b httpapi.Route) int {
		return cmp.Or(
			cmp.Compare(slices.Index(ends, a.Path), slices.Index(ends, b.Path)),
			cmp.Compare(a.Path+a.Method, b.Path+b.Method),
		)
	})
	return routes
}

// installScreenModule has a module with routes, channels and a display of its own, so that there are routes
// that a screen may call.
func installScreenModule(t *testing.T) *installation {
	t.Helper()
	i := prepare(t, databasetest.Empty(t), "announcements")
	i.useProxyAddresses()
	if r := runCommand(t, i.environment, "", "migrations:apply"); r.awaitExit(t) != cli.ExitSuccess {
		t.Fatal("migrations:apply failed")
	}
	if r := runCommand(t, i.environment, ownerPassword+"\n", "identity:create-initial-owner", "--", "--email",
		ownerAddress); r.awaitExit(t) != cli.ExitSuccess {
		t.Fatal("identity:create-initial-owner failed")
	}
	return i
}

// inProcess runs the platform inside the test, so that its route table can be read.
func (i *installation) inProcess(t *testing.T) *platform.Server {
	t.Helper()
	lookup := func(name string) (string, bool) {
		value, found := i.environment[name]
		return value, found
	}
	settings, err := environment.Load(lookup, environment.Everything)
	if err != nil {
		t.Fatal(err)
	}
	s := platform.NewServer(settings, platform.Secrets{Lookup: lookup}, zap.NewNop())
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ended, end := context.WithCancel(context.Background())
		end()
		if err := s.Wait(ended); err != nil {
			t.Error(err)
		}
	})
	return s
}

// matrixCaller is one class of caller. Classes differ only in the Cookie header.
type matrixCaller struct {
	class  string
	cookie string
}

// callers creates a caller of each class, through the platform's own routes if there is one.
func (i *installation) callers(t *testing.T, registry *authorization.Registry) []matrixCaller {
	t.Helper()
	owner := i.visitorFrom(t, 1).signInAs(t, ownerAddress)
	i.db.Exec(t, `
		INSERT INTO core.person (email, name, email_verified, password_hash)
		SELECT class || '@example.org', class, true, password_hash
		FROM core.person, unnest(ARRAY['member', 'granted', 'expired', 'revoked']) AS class`)
	people := map[string]*person{}
	for n, name := range []string{"member", "granted", "expired", "revoked"} {
		people[name] = i.visitorFrom(t, 2+n).signInAs(t, name+"@example.org")
	}
	for _, name := range []string{"granted", "expired", "revoked"} {
		for _, permission := range registry.Permissions() {
			grant := owner.create(t, 201, "/api/v1/grants",
				map[string]string{"userId": people[name].userID(t), "permissionId": permission.ID})
			if name == "revoked" {
				owner.create(t, 200, "/api/v1/grants/"+grant["id"].(string)+"/revoke", struct{}{})
			}
		}
	}
	i.db.Exec(t, `
		UPDATE core.permission_grant
		SET expires_at = now() - interval '1 second', created_at = now() - interval '1 minute'
		WHERE person_id = (SELECT id FROM core.person WHERE name = 'expired')`)
	screen, _ := i.pairScreen(t, owner, 10)
	removed, id := i.pairScreen(t, owner, 11)
	owner.create(t, 200, "/api/v1/devices/"+id+"/revoke", struct{}{})
	return []matrixCaller{
		{"anonymous", ""},
		{"person", people["member"].cookie},
		{"person, granted", people["granted"].cookie},
		{"person, expired", people["expired"].cookie},
		{"person, revoked", people["revoked"].cookie},
		{"owner", owner.cookie},
		{"device", screen},
		{"device, revoked", removed},
	}
}

// pairScreen pairs a screen with announcements and returns its cookie and its id.
func (i *installation) pairScreen(t *testing.T, owner *person, n int) (cookie, id string) {
	t.Helper()
	return i.pairScreenWith(t, owner, n, "announcements")
}

func (i *installation) pairScreenWith(
	t *testing.T, owner *person, n int, moduleID string,
) (cookie, id string) {
	t.Helper()
	screen := i.visitorFrom(t, n)
	asked := screen.do("POST", "/api/v1/device-pairing", map[string]string{"moduleId": moduleID})
	screen.cookie, _, _ = strings.Cut(asked.header.Get("Set-Cookie"), ";")
	var pairing struct{ PairingCode string }
	if err := json.Unmarshal([]byte(asked.body), &pairing); err != nil || asked.status != 201 {
		t.Fatalf("POST /api/v1/device-pairing: status %d, want 201; body %s; error %v", asked.status,
			asked.body, err)
	}
	device := owner.create(t, 200, "/api/v1/device-pairing/"+pairing.PairingCode+"/approve",
		map[string]string{"label": "A screen"})
	claimed := screen.do("POST", "/api/v1/device-pairing/claim", struct{}{})
	for _, line := range claimed.header.Values("Set-Cookie") {
		if pair, _, _ := strings.Cut(line, ";"); strings.HasPrefix(pair, "narthex_device=") {
			return pair, device["id"].(string)
		}
	}
	t.Fatalf("POST /api/v1/device-pairing/claim: status %d, want the cookie narthex_device; body %s",
		claimed.status, claimed.body)
	return "", ""
}

var parameterSegment = regexp.MustCompile(`\{[^}]*\}`)

// statusOf sends a request that passes every gate before the permission: with a trusted Origin and a small
// body. The objects that it names do not exist.
func (p *person) statusOf(route httpapi.Route, caller matrixCaller) string {
	p.t.Helper()
	p.cookie = caller.cookie
	if strings.HasPrefix(route.Path, gateway.RealtimePrefix) {
		return p.askStream(route.Path)
	}
	path := parameterSegment.ReplaceAllString(route.Path, "00000000-0000-4000-8000-000000000000")
	var body any
	if route.Method != http.MethodGet && route.MaxBody > 0 {
		body = struct{}{}
	}
	got := p.do(route.Method, path, body)
	var told struct{ Code, Kind string }
	_ = json.Unmarshal([]byte(got.body), &told) // not every response has a body
	return strings.TrimSpace(fmt.Sprint(got.status, " ", told.Code, told.Kind))
}

// askStream reads only the status of a stream, because an open stream does not end.
func (p *person) askStream(path string) string {
	p.t.Helper()
	s := p.subscribe(path)
	if s.status == http.StatusOK {
		return "200"
	}
	var told struct{ Code string }
	if err := json.NewDecoder(s.body).Decode(&told); err != nil {
		p.t.Errorf("GET %s: %d, and a body that is no JSON: %v", path, s.status, err)
	}
	return fmt.Sprint(s.status, " ", told.Code)
}

// visitorFrom returns a visitor with a client address of its own, so that no rate limit counts two of them
// together.
func (i *installation) visitorFrom(t *testing.T, n int) *person {
	return i.visitorWithHeader(t, "X-Forwarded-For", fmt.Sprintf("192.0.%d.%d", n/250, 1+n%250))
}

func (p *person) signInAs(t *testing.T, email string) *person {
	t.Helper()
	got := p.do("POST", "/api/auth/sign-in/email", map[string]string{"email": email, "password": ownerPassword})
	if got.status != http.StatusOK {
		t.Fatalf("sign-in of %s: status %d, want 200; body %s", email, got.status, got.body)
	}
	p.cookie, _, _ = strings.Cut(got.header.Get("Set-Cookie"), ";")
	return p
}

func (p *person) userID(t *testing.T) string {
	t.Helper()
	var who struct{ UserID string }
	if got := p.do("GET", "/api/v1/principal", nil); json.Unmarshal([]byte(got.body), &who) != nil ||
		who.UserID == "" {
		t.Fatalf("GET /api/v1/principal: status %d; body %s, want a user id", got.status, got.body)
	}
	return who.UserID
}

// create sends a write that must succeed and returns its response.
func (p *person) create(t *testing.T, status int, path string, value any) (response map[string]any) {
	t.Helper()
	if got := p.do("POST", path, value); got.status != status ||
		json.Unmarshal([]byte(got.body), &response) != nil {
		t.Fatalf("POST %s: status %d, want %d with JSON; body %s", path, got.status, status, got.body)
	}
	return response
}
