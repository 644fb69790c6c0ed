package people_test

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

type erased struct {
	UserID                             string
	Email, Name                        *string
	EmailVerified                      bool
	CreatedAt, DeactivatedAt, ErasedAt string
	ErasurePending                     []string
}

// withDatabases records that these modules have a database.
func (p process) withDatabases(t *testing.T, moduleIDs ...string) {
	t.Helper()
	for _, id := range moduleIDs {
		p.Exec(t, "INSERT INTO core.module_database_role (module_id, schema_name) VALUES ($1, 'module_' || $1)", id)
	}
}

// After an erasure only the id is left: nothing in Core identifies the person, and the modules still have to
// forget them.
func TestErase(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.withDatabases(t, "songs", "choir")
	_, anna := p.member(t, "Anna", managePeople, manageGrants)
	_, token := p.invite(t, anna, inviteBert, 201)
	if w := p.accept(token, "Bert"); w.Code != 200 {
		t.Fatalf("accept: status %d, body %s", w.Code, w.Body)
	}
	bert := p.signIn(t, "Bert")
	bertID := decode[struct{ UserID string }](t, p.send(bert, "GET", own, ""), 200).UserID
	assertCode(t, "somebody active", p.decide(anna, bertID, "erase"), 409, "PERSON_ACTIVE")
	decode[map[string]any](t, p.decide(anna, bertID, "deactivate"), 200)
	before := p.actions(t)

	body := p.decide(anna, bertID, "erase")
	first := decode[erased](t, body, 200)
	if first.UserID != bertID || first.Email != nil || first.Name != nil || first.EmailVerified ||
		first.ErasedAt == "" || !slices.Equal(first.ErasurePending, []string{"choir", "songs"}) {
		t.Errorf("erased: %s, want an id without address and name, and both modules pending", body.Body)
	}
	if got := strings.TrimPrefix(p.actions(t), before); got != " person.erased grant.revoked grant.revoked" {
		t.Errorf("recorded %q, want the erasure and both grants", got)
	}
	if again := p.decide(anna, bertID, "erase"); again.Body.String() != body.Body.String() {
		t.Errorf("the second time: %d %s, want the same as %s", again.Code, again.Body, body.Body)
	}
	if got := strings.TrimPrefix(p.actions(t), before); strings.Count(got, "person.erased") != 1 {
		t.Errorf("recorded %q, want one erasure", got)
	}
	assertCode(t, "reactivation", p.decide(anna, bertID, "reactivate"), 409, "PERSON_ERASED")
	if w := p.decide(anna, bertID, "deactivate"); w.Body.String() != body.Body.String() {
		t.Errorf("deactivation: %d %s, want the same as %s", w.Code, w.Body, body.Body)
	}
	assertCode(t, "a grant", p.send(anna, "POST", "/api/v1/grants",
		`{"userId":"`+bertID+`","permissionId":"test.things.read"}`), 404, "USER_NOT_FOUND")
	listed := decode[struct{ People []erased }](t, p.send(anna, "GET", "/api/v1/people?userId="+bertID, ""), 200)
	if len(listed.People) != 1 || listed.People[0].ErasedAt != first.ErasedAt ||
		!slices.Equal(listed.People[0].ErasurePending, first.ErasurePending) {
		t.Errorf("the directory has %+v, want %+v", listed.People, first)
	}
	p.assertForgotten(t, "bert")

	// The address is free again, for a new person.
	_, token = p.invite(t, anna, `{"email":"bert@example.org"}`, 201)
	if w := p.accept(token, "Bert"); w.Code != 200 {
		t.Errorf("joining again: status %d, body %s, want 200", w.Code, w.Body)
	}
	joined := decode[struct{ UserID string }](t, p.send(p.signIn(t, "Bert"), "GET", own, ""), 200)
	if joined.UserID == bertID {
		t.Errorf("who joins again has the id of the erased person")
	}
}

// assertForgotten checks that no column of Core contains a text.
func (p process) assertForgotten(t *testing.T, text string) {
	t.Helper()
	rows, err := p.Pool(t).Query(t.Context(), `
		SELECT table_name
		FROM information_schema.tables
		WHERE table_schema = 'core' AND table_type = 'BASE TABLE'`)
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if len(tables) < 15 {
		t.Fatalf("%d tables are searched, want all of Core", len(tables))
	}
	for _, table := range tables {
		if n := p.count(t, "core."+table+" AS row WHERE row::text ILIKE '%' || $1 || '%'", text); n != 0 {
			t.Errorf("%d rows of core.%s still tell %q", n, table, text)
		}
	}
}

func TestErasureRefused(t *testing.T) {
	t.Parallel()
	p := start(t)
	annaID, anna := p.member(t, "Anna", managePeople)
	ownerID, owner := p.member(t, "Owner")
	p.Exec(t, "INSERT INTO core.platform_owner (person_id) VALUES ($1)", ownerID)
	bertID, _ := p.member(t, "Bert", managePeople)
	_, member := p.member(t, "Member")
	decode[map[string]any](t, p.decide(owner, bertID, "deactivate"), 200)
	before := p.actions(t)
	for _, row := range []struct {
		who, cookie, id string
		status          int
		code            string
	}{
		{"oneself", anna, annaID, 409, "PERSON_PROTECTED"},
		{"the owner", anna, ownerID, 409, "PERSON_PROTECTED"},
		{"by a member", member, bertID, 403, "PERMISSION_DENIED"},
		{"by nobody", "", bertID, 401, "AUTHENTICATION_REQUIRED"},
		{"an administrator by another", anna, bertID, 403, "PERMISSION_DENIED"},
		{"unknown", anna, "00000000-0000-4000-8000-000000000000", 404, "USER_NOT_FOUND"},
		{"malformed", anna, strings.ToUpper(bertID), 400, "REQUEST_INVALID"},
	} {
		assertCode(t, row.who, p.decide(row.cookie, row.id, "erase"), row.status, row.code)
	}
	assertCode(t, "a body with a field",
		p.send(owner, "POST", "/api/v1/people/"+bertID+"/erase", `{"really":true}`), 400, "REQUEST_INVALID")
	if n := p.count(t, "core.person WHERE erased_at IS NOT NULL"); n != 0 || p.actions(t) != before {
		t.Errorf("after refusals alone: %d erased, recorded %q, want what was there: %q", n, p.actions(t), before)
	}
	if w := p.decide(owner, bertID, "erase"); w.Code != 200 { // allowed: the owner may give permissions
		t.Errorf("by the owner: status %d, body %s, want 200", w.Code, w.Body)
	}
}

// Whether an erasure or a reactivation is first, the other one sees its result.
func TestErasureAgainstReactivation(t *testing.T) {
	t.Parallel()
	for _, eraseFirst := range []bool{true, false} {
		t.Run(fmt.Sprint("erasure first: ", eraseFirst), func(t *testing.T) {
			t.Parallel()
			p := start(t)
			_, anna := p.member(t, "Anna", managePeople)
			bertID, _ := p.member(t, "Bert")
			decode[map[string]any](t, p.decide(anna, bertID, "deactivate"), 200)
			erase := func() *httptest.ResponseRecorder { return p.decide(anna, bertID, "erase") }
			reactivate := func() *httptest.ResponseRecorder { return p.decide(anna, bertID, "reactivate") }
			if eraseFirst {
				done, refused := p.race(t, lockOfBert, erase, reactivate)
				decode[erased](t, done, 200)
				assertCode(t, "reactivation after it", refused, 409, "PERSON_ERASED")
				return
			}
			done, refused := p.race(t, lockOfBert, reactivate, erase)
			decode[erased](t, done, 200)
			assertCode(t, "erasure after it", refused, 409, "PERSON_ACTIVE")
			p.signIn(t, "Bert")
		})
	}
}

// Of two simultaneous erasures in two processes, one erases, and both return the erased person.
func TestErasedTwiceAtOnce(t *testing.T) {
	t.Parallel()
	p := start(t)
	second := p.another(t)
	p.withDatabases(t, "songs")
	_, anna := p.member(t, "Anna", managePeople, manageGrants)
	bertID, _ := p.member(t, "Bert", manageThings)
	decode[map[string]any](t, p.decide(anna, bertID, "deactivate"), 200)
	one, two := p.race(t, lockOfBert,
		func() *httptest.ResponseRecorder { return p.decide(anna, bertID, "erase") },
		func() *httptest.ResponseRecorder { return second.decide(anna, bertID, "erase") })
	if one.Code != 200 || one.Body.String() != two.Body.String() {
		t.Errorf("erased: %d %s and %d %s, want 200 and the same twice", one.Code, one.Body, two.Code, two.Body)
	}
	if got := p.actions(t); got != "person.deactivated person.erased grant.revoked" {
		t.Errorf("recorded %q, want the erasure once", got)
	}
}

// Neither a sign-in that has already checked the password nor a change of the name restores anything after an
// erasure.
func TestErasureAgainstSignInAndRename(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		status int
		do     func(p process, cookie string) *httptest.ResponseRecorder
	}{
		{"sign-in", 401, func(p process, _ string) *httptest.ResponseRecorder { return p.trySignIn("Bert") }},
		{"rename", 401, func(p process, cookie string) *httptest.ResponseRecorder {
			return p.send(cookie, "PUT", own, `{"name":"Bertram"}`)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := start(t)
			_, anna := p.member(t, "Anna", managePeople)
			bertID, bert := p.member(t, "Bert")
			// Both decisions are made while the other request waits for the row, so that it sees both at once.
			_, got := p.race(t, lockOfBert, func() *httptest.ResponseRecorder {
				decode[map[string]any](t, p.decide(anna, bertID, "deactivate"), 200)
				return p.decide(anna, bertID, "erase")
			}, func() *httptest.ResponseRecorder { return row.do(p, bert) })
			if got.Code != row.status {
				t.Errorf("%s: status %d, body %s, want %d", row.name, got.Code, got.Body, row.status)
			}
			if n := p.count(t, "core.session WHERE person_id = $1", bertID); n != 0 {
				t.Errorf("%d sessions are left, want none", n)
			}
			if w := p.decide(anna, bertID, "erase"); w.Code != 200 {
				t.Errorf("erase: status %d, body %s, want 200", w.Code, w.Body)
			}
			p.assertForgotten(t, "bert")
		})
	}
}

// An invitation can be older than the account, when the address signed up in another way while the
// invitation's form was open. The invitation is no longer valid after the erasure, in whichever order they
// happen.
func TestErasureAgainstAcceptance(t *testing.T) {
	t.Parallel()
	for _, eraseFirst := range []bool{true, false} {
		t.Run(fmt.Sprint("erasure first: ", eraseFirst), func(t *testing.T) {
			t.Parallel()
			p := start(t)
			_, anna := p.member(t, "Anna", managePeople)
			made, token := p.invite(t, anna, `{"email":"bert@example.org","name":"Bert"}`, 201)
			bertID, _ := p.member(t, "Bert2")
			decode[map[string]any](t, p.decide(anna, bertID, "deactivate"), 200)
			address := func(email string) {
				p.Exec(t, "UPDATE core.person SET email = $2 WHERE id = $1", bertID, email)
			}
			var done, refused *httptest.ResponseRecorder
			erase := func() { done = p.decide(anna, bertID, "erase") }
			accept := func() { refused = p.accept(token, "Bert") }
			release := p.holdLock(t, lockOfInvitation)
			var both sync.WaitGroup
			if eraseFirst {
				address("bert@example.org")
				both.Go(erase)
				p.awaitBlocked(t, 1)
				address("elsewhere@example.org") // the link is looked up before the account exists
				both.Go(accept)
				p.awaitBlocked(t, 2)
				address("bert@example.org")
			} else {
				both.Go(accept)
				p.awaitBlocked(t, 1)
				address("bert@example.org")
				both.Go(erase)
				p.awaitBlocked(t, 2)
			}
			release()
			both.Wait()
			decode[erased](t, done, 200)
			assertCode(t, "accept", refused, 404, "INVITATION_NOT_FOUND")
			assertCode(t, "accept after it", p.accept(token, "Bert"), 404, "INVITATION_NOT_FOUND")
			if n := p.count(t, "core.invitation WHERE id = $1 AND state = 'withdrawn'", made.ID); n != 1 {
				t.Errorf("the invitation is not withdrawn")
			}
			if got := p.actions(t); got != "person.invited person.deactivated person.erased invitation.withdrawn" {
				t.Errorf("recorded %q", got)
			}
			p.assertForgotten(t, "bert")
		})
	}
}
