package people_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// atOnce makes n calls at the same time, alternating between the given functions.
func atOnce(n int, each ...func()) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			each[i%len(each)]()
		})
	}
	close(begin)
	all.Wait()
}

// Fifty simultaneous acceptances of one token in two processes make one account, one set of grants, and one
// activity entry of each.
func TestManyAcceptOneToken(t *testing.T) {
	t.Parallel()
	first := start(t)
	second := first.another(t)
	_, anna := first.member(t, "Anna", managePeople, manageGrants)
	_, token := first.invite(t, anna, inviteBert, 201)
	var joined atomic.Int32
	accept := func(p process) func() {
		return func() {
			switch w := p.accept(token, "Bert"); {
			case w.Code == http.StatusOK:
				joined.Add(1)
			case w.Code != http.StatusNotFound:
				t.Errorf("accept: status %d, want 200 or 404; body %s", w.Code, w.Body)
			}
		}
	}
	atOnce(50, accept(first), accept(second))
	people := first.count(t, "core.person WHERE email = 'bert@example.org'")
	grants := first.count(t, `core.permission_grant g JOIN core.person p ON p.id = g.person_id
		WHERE p.name = 'Bert'`)
	if joined.Load() != 1 || people != 1 || grants != 2 ||
		first.actions(t) != "person.invited person.joined grant.issued grant.issued" {
		t.Errorf("%d acceptances, %d accounts, %d grants, recorded %q; want 1, 1, 2 and each once", joined.Load(),
			people, grants, first.actions(t))
	}
}

// holdLock runs sql, which takes a lock, in a transaction and returns its release. It is used to let both
// requests of a race begin.
func (p process) holdLock(t *testing.T, sql string, args ...any) (release func()) {
	t.Helper()
	tx := databasetest.Lock(t, p.AnotherPool(t), sql, args...)
	return func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }
}

// race sends both requests while the lock is held, in the given order, and returns their responses.
func (p process) race(
	t *testing.T, lock string, one, two func() *httptest.ResponseRecorder,
) (first, second *httptest.ResponseRecorder) {
	t.Helper()
	release := p.holdLock(t, lock)
	var both sync.WaitGroup
	both.Go(func() { first = one() })
	p.awaitBlocked(t, 1)
	both.Go(func() { second = two() })
	p.awaitBlocked(t, 2)
	release()
	both.Wait()
	return first, second
}

const lockOfInvitation = "SELECT FROM core.invitation FOR UPDATE"

// Whether an acceptance or the request that ends the link is first, the other one sees its result.
func TestAcceptanceAgainstWhatEndsTheLink(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name        string
		end         func(p process, cookie, id string) *httptest.ResponseRecorder
		won, lost   int // status of the request that ends the link: when it is first, and when it is second
		left        string
		leftOfLater string
	}{
		{"withdraw", func(p process, cookie, id string) *httptest.ResponseRecorder {
			return p.send(cookie, "POST", invitations+"/"+id+"/withdraw", "{}")
		}, 200, 409, "withdrawn", "accepted"},
		{"send again", func(p process, cookie, id string) *httptest.ResponseRecorder {
			return p.send(cookie, "POST", invitations+"/"+id+"/send", "{}")
		}, 200, 409, "open", "accepted"},
		{"invite again", func(p process, cookie, _ string) *httptest.ResponseRecorder {
			return p.send(cookie, "POST", invitations, `{"email":"bert@example.org"}`)
		}, 200, 409, "open", "accepted"},
	} {
		for _, endFirst := range []bool{true, false} {
			t.Run(fmt.Sprint(row.name, " first: ", endFirst), func(t *testing.T) {
				t.Parallel()
				p := start(t)
				_, anna := p.member(t, "Anna", managePeople)
				made, token := p.invite(t, anna, `{"email":"bert@example.org"}`, 201)
				accept := func() *httptest.ResponseRecorder { return p.accept(token, "Bert") }
				end := func() *httptest.ResponseRecorder { return row.end(p, anna, made.ID) }
				var accepted, ended *httptest.ResponseRecorder
				wantAccepted, wantEnded, left, people := 404, row.won, row.left, 0
				if endFirst {
					ended, accepted = p.race(t, lockOfInvitation, end, accept)
				} else {
					accepted, ended = p.race(t, lockOfInvitation, accept, end)
					wantAccepted, wantEnded, left, people = 200, row.lost, row.leftOfLater, 1
				}
				if accepted.Code != wantAccepted || ended.Code != wantEnded {
					t.Errorf("accept: %d %s, want %d; the other: %d %s, want %d", accepted.Code, accepted.Body,
						wantAccepted, ended.Code, ended.Body, wantEnded)
				}
				if n := p.count(t, "core.person WHERE email = 'bert@example.org'"); n != people {
					t.Errorf("%d accounts, want %d", n, people)
				}
				if n := p.count(t, "core.invitation WHERE state = $1", left); n != 1 ||
					p.count(t, "core.invitation") != 1 {
					t.Errorf("the invitation is not the only one, or not %s", left)
				}
			})
		}
	}
}

const lockOfBert = "SELECT FROM core.person WHERE name = 'Bert' FOR UPDATE"

// No session survives a deactivation, in whichever order they happen, and a password reset makes none valid
// again.
func TestDeactivationAgainstSignInAndReset(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"sign-in", "reset"} {
		for _, deactivateFirst := range []bool{true, false} {
			t.Run(fmt.Sprint(what, ", deactivation first: ", deactivateFirst), func(t *testing.T) {
				t.Parallel()
				p := start(t)
				_, anna := p.member(t, "Anna", managePeople)
				bertID, _ := p.member(t, "Bert")
				p.send("", "POST", "/api/auth/request-password-reset", `{"email":"bert@example.org"}`)
				token := p.resetToken(t)
				other := func() *httptest.ResponseRecorder { return p.trySignIn("Bert") }
				if what == "reset" {
					other = func() *httptest.ResponseRecorder {
						return p.send("", "POST", "/api/auth/reset-password",
							`{"token":"`+token+`","newPassword":"another password"}`)
					}
				}
				deactivate := func() *httptest.ResponseRecorder { return p.decide(anna, bertID, "deactivate") }
				var got, done *httptest.ResponseRecorder
				if deactivateFirst {
					done, got = p.race(t, lockOfBert, deactivate, other)
				} else {
					got, done = p.race(t, lockOfBert, other, deactivate)
				}
				if done.Code != 200 || deactivateFirst != (got.Code >= 400) {
					t.Errorf("deactivate: %d %s; %s: %d %s", done.Code, done.Body, what, got.Code, got.Body)
				}
				if n := p.count(t, "core.session WHERE person_id = $1", bertID); n != 0 {
					t.Errorf("%d sessions survive, want none", n)
				}
				if n := p.count(t, "core.password_reset WHERE person_id = $1", bertID); n != 0 {
					t.Errorf("%d links survive, want none", n)
				}
			})
		}
	}
}

// An inviter is deactivated during an acceptance: either the acceptance is first and succeeds, or the link is
// invalid.
func TestDeactivationOfTheInviter(t *testing.T) {
	t.Parallel()
	p := start(t)
	second := p.another(t)
	ownerID, owner := p.member(t, "Owner")
	p.Exec(t, "INSERT INTO core.platform_owner (person_id) VALUES ($1)", ownerID)
	for n := range 12 {
		name := fmt.Sprint("Inviter", n)
		id, cookie := p.member(t, name, managePeople, manageGrants)
		address := fmt.Sprintf("guest%d@example.org", n)
		_, token := p.invite(t, cookie,
			`{"email":"`+address+`","grants":[{"permissionId":"test.things.read"}]}`, 201)
		var accepted, deactivated, invited *httptest.ResponseRecorder
		atOnce(3,
			func() { accepted = second.accept(token, "Guest") },
			func() { deactivated = p.decide(owner, id, "deactivate") },
			func() { invited = p.send(cookie, "POST", invitations, `{"email":"late@example.org"}`) })
		p.outbox.deliver(t.Context(), "SENT")
		members := p.count(t, "core.person WHERE email = $1", address)
		if deactivated.Code != 200 || (accepted.Code == 200) != (members == 1) ||
			accepted.Code != 200 && accepted.Code != 404 || invited.Code >= 500 {
			t.Fatalf("deactivate %d %s, accept %d %s, invite %d %s, %d accounts", deactivated.Code, deactivated.Body,
				accepted.Code, accepted.Body, invited.Code, invited.Body, members)
		}
		if open := p.count(t, "core.invitation WHERE created_by = $1 AND state = 'open'", id); open != 0 {
			t.Fatalf("%d invitations of somebody deactivated are open, want none", open)
		}
	}
}
