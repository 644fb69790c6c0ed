package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/services/porttest"
)

// twoProcesses starts an installation with a second process, whose address is trusted by both.
func twoProcesses(t *testing.T) (i *installation, second string) {
	t.Helper()
	i = install(t)
	i.useProxyAddresses()
	port := strconv.Itoa(porttest.Free(t))
	second = "http://localhost:" + port
	i.environment["SERVICE_IDENTITY_TRUSTED_ORIGINS"] = second
	two := &installation{db: i.db, address: second, environment: maps.Clone(i.environment)}
	two.environment["SERVICE_API_PORT"] = port
	i.start(t)
	two.start(t)
	return i, second
}

// at returns the same browser at another address.
func (p *person) at(address string) *person {
	other := *p
	other.address = address
	return &other
}

// together sends the requests at once and counts the statuses.
func together(requests []func() int) map[int]int {
	var wait sync.WaitGroup
	var mu sync.Mutex
	counted := map[int]int{}
	begin := make(chan struct{})
	for _, request := range requests {
		wait.Go(func() {
			<-begin
			status := request()
			mu.Lock()
			defer mu.Unlock()
			counted[status]++
		})
	}
	close(begin)
	wait.Wait()
	return counted
}

// TestSecondFactorOverTwoProcesses: of many sign-ins that use one recovery code, one succeeds, and so does
// one of many answers to one sign-in. A passkey that is removed while it signs in begins a session or none,
// and signs in no more.
func TestSecondFactorOverTwoProcesses(t *testing.T) {
	t.Parallel()
	i, second := twoProcesses(t)
	owner := i.visitorFrom(t, 200).signInAs(t, ownerAddress)
	key, _, codes := owner.addPasskey(t, i.address)
	visitors := 250
	begin := func() *person {
		visitors++
		return i.visitorFrom(t, visitors).begin(t, ownerAddress, ownerPassword)
	}
	sessions := func() (n int) {
		t.Helper()
		if err := i.db.Pool(t).QueryRow(t.Context(), "SELECT count(*) FROM core.session").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	race := func(what string, before int, requests []func() int) {
		t.Helper()
		statuses := together(requests)
		if statuses[200] != 1 || statuses[403]+statuses[429] != len(requests)-1 || sessions() != before+1 {
			t.Errorf("%s: %v and %d new sessions, want one success and refusals", what, statuses,
				sessions()-before)
		}
		i.db.Exec(t, `DELETE FROM core.second_factor_failure`)
	}
	uses := 50
	if testing.Short() {
		uses = 12 // each waits for the hash of a password
	}
	var requests []func() int
	for n := range uses {
		p := begin()
		if n%2 == 1 {
			p = p.at(second)
		}
		requests = append(requests, func() int {
			return p.do("POST", factorPath, object{"recoveryCode": codes[0]}).status
		})
	}
	race("one recovery code", sessions(), requests)

	one := begin()
	offer := one.must(t, "POST", factorPath+"/options", object{})
	answer := jsontext.Value(key.Get(t, offer))
	requests = nil
	for n := range 20 {
		p := one.at([]string{i.address, second}[n%2])
		requests = append(requests, func() int {
			return p.do("POST", factorPath, object{"credential": answer}).status
		})
	}
	race("one sign-in", sessions(), requests)

	for range 5 {
		lost, id, _ := owner.addPasskey(t, i.address)
		p := begin()
		answer := jsontext.Value(lost.Get(t, p.must(t, "POST", factorPath+"/options", object{})))
		var signedIn, removed int
		together([]func() int{
			func() int {
				signedIn = p.at(second).do("POST", factorPath, object{"credential": answer}).status
				return signedIn
			},
			func() int {
				removed = owner.do("POST", passkeysPath+"/"+id+"/remove", object{}).status
				return removed
			},
		})
		if signedIn != 200 && signedIn != 403 || removed != 204 {
			t.Errorf("signing in: %d, removing: %d, want 200 or 403, and 204", signedIn, removed)
		}
		if got := begin().use(t, lost).status; got != 403 {
			t.Errorf("the removed passkey afterwards: %d, want 403", got)
		}
		i.db.Exec(t, `DELETE FROM core.second_factor_failure`)
	}
}

// TestOwnerSignsInDuringAFloodOfPendingSignIns: 120 clients at ten addresses sign in as ten people with
// passkeys, with the right passwords, and answer wrongly what they are asked then, as fast as they can. The
// owner signs in with password and passkey, every time.
func TestOwnerSignsInDuringAFloodOfPendingSignIns(t *testing.T) {
	if testing.Short() {
		t.Skip("a flood of several seconds")
	}
	t.Parallel()
	i := install(t)
	i.useProxyAddresses()
	i.start(t)
	owner := i.visitorFrom(t, 1000).signInAs(t, ownerAddress)
	key, _, _ := owner.addPasskey(t, i.address)
	i.db.Exec(t, `
		INSERT INTO core.person (email, name, email_verified, password_hash)
		SELECT 'bert' || n || '@example.org', 'Bert', true, password_hash
		FROM core.person, generate_series(0, 9) AS n
		WHERE email = $1`, ownerAddress)
	for n := range 10 {
		i.visitorFrom(t, 1001+n).signInAs(t, fmt.Sprintf("bert%d@example.org", n)).addPasskey(t, i.address)
	}
	ctx, stop := context.WithCancel(t.Context())
	var flood sync.WaitGroup
	var waiting, asked, refused, limited, other atomic.Int32
	count := func(got httpResponse, err error) {
		switch {
		case err != nil:
		case got.status == http.StatusForbidden && got.body == `{"code":"SECOND_FACTOR_REQUIRED"}`:
			waiting.Add(1)
		case got.status == http.StatusOK && strings.HasPrefix(got.body, `{"publicKey":`):
			asked.Add(1)
		case got.status == http.StatusForbidden:
			refused.Add(1)
		case got.status == http.StatusTooManyRequests:
			limited.Add(1)
		default:
			other.Add(1)
		}
	}
	for n := range 10 * 12 {
		client := i.visitor(t).fromAddress(1 + n/12)
		password := object{"email": fmt.Sprintf("bert%d@example.org", n%10), "password": ownerPassword}
		flood.Go(func() {
			for ctx.Err() == nil {
				begun, err := client.doContext(ctx, "POST", "/api/auth/sign-in/email", password)
				count(begun, err)
				if cookie, _, set := strings.Cut(begun.header.Get("Set-Cookie"), ";"); err == nil && set {
					client.cookie = cookie
				}
				count(client.doContext(ctx, "POST", factorPath, object{"recoveryCode": "aaaa-aaaa-aaaa-aaaa"}))
				count(client.doContext(ctx, "POST", factorPath+"/options", object{}))
			}
		})
	}
	eventually(t, "the flood has begun", func() bool {
		return waiting.Load() >= 10 && refused.Load()+limited.Load() > 100
	})
	const attempts = 30
	done := 0
	for n := range attempts {
		p := i.visitor(t).fromAddress(100 + n)
		p.begin(t, ownerAddress, ownerPassword)
		if got := p.use(t, key); got.status == http.StatusOK {
			done++
		} else {
			t.Errorf("sign-in %d of the owner: status %d, want 200; body %s", n+1, got.status, got.body)
		}
	}
	stop()
	flood.Wait()
	t.Logf("owner: %d of %d; flood: %d sign-ins wait, %d are asked for a passkey, %d answers refused, %d "+
		"limited, %d other", done, attempts, waiting.Load(), asked.Load(), refused.Load(), limited.Load(),
		other.Load())
	if other.Load() > 0 {
		t.Errorf("%d answers of the flood are none of these", other.Load())
	}
}
