package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// fromAddress returns the person as another client behind the proxy.
func (p *person) fromAddress(n int) *person {
	other := *p
	other.client = &http.Client{Transport: headerTransport{p.client.Transport, "X-Forwarded-For",
		fmt.Sprintf("192.0.2.%d", n)}, Timeout: patience}
	return &other
}

// forgedToken has the form of a token or of a device's credential.
const forgedToken = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// TestOwnerSignsInDuringAFlood: ten clients reset passwords with made-up tokens, and sign up, as fast as they
// can. The owner can still sign in.
func TestOwnerSignsInDuringAFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("a flood of several seconds")
	}
	t.Parallel()
	i := install(t)
	i.useProxyAddresses()
	i.environment["SERVICE_PUBLIC_SIGNUP_ENABLED"] = "true"
	i.start(t)
	ctx, stop := context.WithCancel(t.Context())
	var flood sync.WaitGroup
	var refused, limited, other atomic.Int32
	for n := range 10 * 12 {
		client := i.visitor(t).fromAddress(1 + n/12)
		flood.Go(func() {
			for ctx.Err() == nil {
				got, err := client.doContext(ctx, "POST", "/api/auth/reset-password",
					map[string]string{"newPassword": "a new password", "token": forgedToken})
				switch {
				case err != nil:
				case got.status == http.StatusBadRequest:
					refused.Add(1)
				case got.status == http.StatusTooManyRequests:
					limited.Add(1)
				default:
					other.Add(1)
				}
				_, _ = client.doContext(ctx, "POST", "/api/auth/sign-up/email",
					map[string]string{"name": "X", "email": fmt.Sprintf("x%d@example.org", n), "password": "a new password"})
			}
		})
	}
	eventually(t, "the flood has begun", func() bool { return refused.Load()+limited.Load() > 100 })
	const attempts = 30
	for n := range attempts {
		owner := i.visitor(t).fromAddress(100 + n)
		got := owner.do("POST", "/api/auth/sign-in/email",
			map[string]string{"email": ownerAddress, "password": ownerPassword})
		if got.status != http.StatusOK {
			t.Errorf("sign-in %d of the owner: status %d, want 200; body %s", n+1, got.status, got.body)
		}
	}
	stop()
	flood.Wait()
	t.Logf("resets: %d refused, %d limited, %d other", refused.Load(), limited.Load(), other.Load())
}

// TestForgedCookiesWhileATableIsLocked: while a table is locked, requests with forged cookies do not slow
// down routes that do not need the table.
func TestForgedCookiesWhileATableIsLocked(t *testing.T) {
	t.Parallel()
	forgedSession := "narthex_session=" + forgedToken + "." + forgedToken
	for _, c := range []struct {
		table     string
		cookies   []string
		unrelated probe
	}{
		{"core.session", []string{"narthex_session=x", forgedSession},
			probe{"/api/v1/device-pairing", "narthex_claim=" + forgedToken, http.StatusNotFound}},
		{"core.device", []string{"narthex_device=x", "narthex_device=" + forgedToken},
			probe{"/api/v1/principal", forgedSession, http.StatusOK}},
	} {
		t.Run(c.table, func(t *testing.T) {
			t.Parallel()
			i := install(t)
			i.useProxyAddresses()
			i.start(t)
			holder, err := pgx.Connect(t.Context(), i.db.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = holder.Close(context.WithoutCancel(t.Context())) }()
			for _, sql := range []string{"BEGIN", "LOCK TABLE " + c.table + " IN ACCESS EXCLUSIVE MODE"} {
				if _, err := holder.Exec(t.Context(), sql); err != nil {
					t.Fatal(err)
				}
			}
			ctx, stop := context.WithCancel(t.Context())
			var forgers sync.WaitGroup
			var responded atomic.Int32
			const clients, requests = 60, 20
			for n := range clients {
				forger := i.visitor(t).fromAddress(1)
				forger.cookie = c.cookies[n%len(c.cookies)]
				forgers.Go(func() {
					for ctx.Err() == nil {
						got, err := forger.doContext(ctx, "GET", "/api/v1/dashboard/navigation", nil)
						if err == nil && got.status != http.StatusServiceUnavailable {
							t.Errorf("%s: %d %s, want 503", forger.cookie, got.status, got.body)
						}
						responded.Add(1)
					}
				})
			}
			eventually(t, "forged cookies are answered", func() bool { return responded.Load() > 0 })
			before := responded.Load()
			i.request(t, requests, c.unrelated)
			rounds := (responded.Load() - before) / clients
			stop()
			forgers.Wait()
			// A request that has to wait for a connection waits until a forged one's time is over.
			if rounds > requests/2 {
				t.Errorf("all forged cookies were answered %d times during %d requests of an unrelated route while %s "+
					"is locked, want at most %d", rounds, requests, c.table, requests/2)
			}
		})
	}
}

// probe is a request that reads the database, but not the locked table.
type probe struct {
	path, cookie string
	status       int
}

// request sends the probe repeatedly.
func (i *installation) request(t *testing.T, requests int, p probe) {
	t.Helper()
	other := i.visitor(t).fromAddress(2)
	other.cookie = p.cookie
	for range requests {
		if got := other.do("GET", p.path, nil); got.status != p.status {
			t.Errorf("GET %s: %d %s, want %d", p.path, got.status, got.body, p.status)
		}
	}
}

// TestTransferOwnerCommand: the ownership is transferred while the platform runs. The new owner has the
// owner's rights at once, and the former one has lost them.
func TestTransferOwnerCommand(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.start(t)
	i.db.Exec(t, `
		INSERT INTO core.person (email, name, email_verified, password_hash)
		SELECT 'next@example.org', 'Next', true, password_hash
		FROM core.person`)
	former, next := i.signIn(t, ownerAddress, ownerPassword), i.signIn(t, "next@example.org", ownerPassword)
	owns := func(p *person, want int) {
		t.Helper()
		if got := p.do("GET", "/api/v1/permissions", nil); got.status != want {
			t.Errorf("GET /api/v1/permissions: %d %s, want %d", got.status, got.body, want)
		}
	}
	owns(former, http.StatusOK)
	owns(next, http.StatusForbidden)
	transfer := func(status int, want string, flags ...string) {
		t.Helper()
		r := runCommand(t, i.environment, "", append([]string{"authorization:transfer-owner", "--"}, flags...)...)
		said := r.stdout.String() + r.stderr.String()
		if r.awaitExit(t) != status || !strings.HasPrefix(said, want) {
			t.Errorf("transfer-owner %v: exit %d, said %q, want exit %d and %q",
				flags, r.awaitExit(t), said, status, want)
		}
	}
	transfer(cli.ExitUsage, "Exactly one of --to-email and --to-user-id is required; see: narthex "+
		"authorization:transfer-owner --help\n")
	transfer(cli.ExitUsage, "Exactly one of", "--to-email", "next@example.org", "--to-user-id", "x")
	transfer(cli.ExitFailure, "IDENTITY_NOT_FOUND: ", "--to-email", "nobody@example.org")
	transfer(cli.ExitFailure, "EMAIL_INVALID: ", "--to-email", "nobody")
	owns(former, http.StatusOK)
	transfer(cli.ExitSuccess, "Transferred: ", "--to-email", "next@example.org")
	transfer(cli.ExitSuccess, "Nothing to do: ", "--to-email", "next@example.org")
	owns(former, http.StatusForbidden)
	owns(next, http.StatusOK)
	i.db.Exec(t, "DELETE FROM core.platform_owner")
	transfer(cli.ExitFailure, "OWNER_MISSING: ", "--to-email", "next@example.org")
}

// TestSecretRotationOfTwoProcesses replaces the secret in two processes that share a database and a
// backplane, one process after the other, in two rounds. The owner stays signed in at both throughout, in the
// end without the old secret, and updates from one process still reach readers of the other.
func TestSecretRotationOfTwoProcesses(t *testing.T) {
	t.Parallel()
	one, two := installTwo(t, "board")
	installations := [2]*installation{one, two}
	runs := [2]*invocation{one.start(t), two.start(t)}
	owner := one.signIn(t, ownerAddress, ownerPassword)
	const next = "3f9a1c5e7b2d4860f1e2d3c4b5a69788"
	old := one.environment["SERVICE_IDENTITY_SECRET"]
	notes := 0
	check := func(step string) {
		t.Helper()
		for n, each := range installations {
			p := each.visitor(t)
			p.cookie = owner.cookie
			got := p.do("GET", "/api/v1/principal", nil)
			if !strings.Contains(got.body, `"kind":"authenticated"`) {
				t.Fatalf("%s, process %d: GET principal: %s, want it authenticated", step, n+1, got.body)
			}
			if pair, _, set := strings.Cut(got.header.Get("Set-Cookie"), ";"); set {
				owner.cookie = pair
			}
			reader := installations[1-n].visitor(t)
			reader.cookie = owner.cookie
			stream := reader.subscribe("/api/v1/module-realtime/board/notes")
			p.cookie = owner.cookie
			if got := p.do("POST", "/api/v1/modules/board/notes", nil); got.status != http.StatusOK {
				t.Fatalf("%s, process %d: POST notes: status %d, want 200; body %s", step, n+1, got.status,
					got.body)
			}
			notes++
			stream.awaitNotes(reader, notes)
		}
	}
	check("before the rotation")
	for _, round := range []struct{ current, previous string }{{old, next}, {next, old}, {next, ""}} {
		for n, each := range installations {
			runs[n].signal(t, syscall.SIGTERM)
			runs[n].awaitExit(t)
			each.environment["SERVICE_IDENTITY_SECRET"] = round.current
			each.environment["SERVICE_IDENTITY_SECRET_PREVIOUS"] = round.previous
			runs[n] = each.start(t)
			runs[n].awaitOutput(t, &runs[n].stderr, "realtime backplane connected")
			check(fmt.Sprintf("current %.4s, previous %.4s, process %d restarted", round.current, round.previous, n+1))
		}
	}
}

// awaitNotes reads until it has the notes 1 to n. When a hub receives its first update from another process,
// it may have missed earlier ones: then it ends the stream, and the reader reconnects.
func (s *stream) awaitNotes(p *person, n int) {
	s.t.Helper()
	for range 5 {
		for {
			event := s.next()
			kind, data, _ := strings.Cut(event, " ")
			if kind == "update" && data == strconv.Itoa(n) || kind == "snapshot" &&
				strings.HasSuffix(data, strconv.Itoa(n)+"]") {
				return
			}
			if kind == "reconnect" || kind == "" {
				break
			}
		}
		s = p.subscribe("/api/v1/module-realtime/board/notes")
	}
	s.t.Fatalf("note %d never came", n)
}
