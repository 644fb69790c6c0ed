package people_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

const inviteBert = `{"email":"Bert@Example.org","name":"Bert","grants":[` +
	`{"permissionId":"test.things.manage"},` +
	`{"permissionId":"test.things.read","expiresAt":"2199-01-01T00:00:00.000Z"}]}`

func TestInviteAndJoin(t *testing.T) {
	t.Parallel()
	p := start(t)
	annaID, anna := p.member(t, "Anna", managePeople, manageGrants)
	made, token := p.invite(t, anna, inviteBert, http.StatusCreated)
	if made.Email != "bert@example.org" || *made.Name != "Bert" || made.State != "open" ||
		*made.CreatedBy != annaID ||
		*made.Delivery != "QUEUED" || len(made.Grants) != 2 {
		t.Errorf("the invitation is %+v", made)
	}
	w := p.send("", "POST", invitations+"/inspect", `{"token":"`+token+`"}`)
	if w.Code != 200 || w.Body.String() != `{"email":"bert@example.org","name":"Bert"}` {
		t.Errorf("inspect: status %d, body %s", w.Code, w.Body)
	}
	if w := p.accept(token, "Bert the First"); w.Code != 200 || w.Body.String() != `{"ok":true}` ||
		w.Header().Get("Set-Cookie") != "" {
		t.Errorf("accept: status %d, body %s, want 200, ok and no session", w.Code, w.Body)
	}
	p.signIn(t, "Bert") // verified
	if n := p.count(t, `core.permission_grant g JOIN core.permission_grant_audit a ON a.grant_id = g.id
		WHERE g.created_by = $1 AND a.actor_id = $1 AND a.action = 'issued'`, annaID); n != 2 {
		t.Errorf("%d grants are issued by Anna, want 2", n)
	}
	if got := p.actions(t); got != "person.invited person.joined grant.issued grant.issued" {
		t.Errorf("actions %q, want an invitation, the joining and two grants", got)
	}
	listed := decode[struct{ Invitations []invitation }](t, p.send(anna, "GET", invitations, ""), 200)
	if len(listed.Invitations) != 1 || listed.Invitations[0].State != "accepted" ||
		*listed.Invitations[0].Delivery != "SENT" {
		t.Errorf("the invitations are %+v, want one, accepted and sent", listed.Invitations)
	}
	assertCode(t, "a second acceptance", p.accept(token, "Bert"), 404, "INVITATION_NOT_FOUND")
	assertCode(t, "an invitation of somebody who is here", p.send(anna, "POST", invitations, inviteBert),
		409, "PERSON_ALREADY_EXISTS")
	for _, path := range []string{"/send", "/withdraw"} {
		code := map[string]string{"/send": "INVITATION_NOT_OPEN", "/withdraw": "INVITATION_ALREADY_ACCEPTED"}[path]
		assertCode(t, path, p.send(anna, "POST", invitations+"/"+made.ID+path, "{}"), 409, code)
	}
	if n := p.count(t, `core.activity
		WHERE lower(entry) LIKE '%bert%' OR entry LIKE '%' || $1 || '%'`, token); n != 0 {
		t.Error("an address, a name or a token is in the activity")
	}
}

// For every invalid token the response is the same, and nothing changes.
func TestDeadTokens(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, anna := p.member(t, "Anna", managePeople)
	tokens := map[string]string{
		"empty": "", "short": "x", "long": strings.Repeat("x", 8_000), "unknown": strings.Repeat("A", 43),
	}
	email := func(name string) string { return `{"email":"` + name + `@example.org"}` }
	made, token := p.invite(t, anna, email("withdrawn"), 201)
	tokens["tampered"] = "A" + token[1:]
	tokens["padded"] = token + "="
	tokens["with a blank"] = token + " "
	decode[invitation](t, p.send(anna, "POST", invitations+"/"+made.ID+"/withdraw", "{}"), 200)
	decode[invitation](t, p.send(anna, "POST", invitations+"/"+made.ID+"/withdraw", "{}"), 200)
	tokens["withdrawn"] = token
	_, tokens["expired"] = p.invite(t, anna, email("expired"), 201)
	p.Exec(t, "UPDATE core.invitation SET expires_at = now() WHERE email = 'expired@example.org'")
	_, tokens["replaced"] = p.invite(t, anna, email("replaced"), 201)
	p.invite(t, anna, email("replaced"), 200)
	made, tokens["sent again"] = p.invite(t, anna, email("again"), 201)
	decode[invitation](t, p.send(anna, "POST", invitations+"/"+made.ID+"/send", "{}"), 200)
	p.token(t)
	_, tokens["address taken"] = p.invite(t, anna, email("zoe"), 201)
	p.member(t, "Zoe")
	before := p.count(t, "core.person")
	for what, token := range tokens {
		w := p.send("", "POST", invitations+"/inspect", fmt.Sprintf(`{"token":%q}`, token))
		assertCode(t, "inspect "+what, w, 404, "INVITATION_NOT_FOUND")
		assertCode(t, "accept "+what, p.accept(token, "Bert"), 404, "INVITATION_NOT_FOUND")
	}
	if after := p.count(t, "core.person"); after != before {
		t.Errorf("%d people, want %d as before", after, before)
	}
	if got := p.actions(t); got != "person.invited invitation.withdrawn person.invited person.invited "+
		"person.invited person.invited invitation.sent person.invited" {
		t.Errorf("actions %q, want one withdrawal and no joining", got)
	}
}

func TestInvitationRefused(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, anna := p.member(t, "Anna", managePeople)
	_, both := p.member(t, "Both", managePeople, manageGrants)
	_, nobody := p.member(t, "Nobody", manageGrants)
	assertCode(t, "without the permission", p.send(nobody, "POST", invitations, `{"email":"x@example.org"}`),
		403, "PERMISSION_DENIED")
	assertCode(t, "grants without the permission", p.send(anna, "POST", invitations, inviteBert),
		403, "PERMISSION_DENIED")
	assertCode(t, "an unknown permission", p.send(both, "POST", invitations,
		`{"email":"x@example.org","grants":[{"permissionId":"no.such"}]}`), 400, "PERMISSION_UNKNOWN")
	body := func(grants string) string { return `{"email":"x@example.org","grants":[` + grants + `]}` }
	const things = `"permissionId":"test.things.read"`
	many := strings.Repeat(`{"permissionId":"test.things.read"},`, 33)
	for _, body := range []string{
		`{}`, `{"email":""}`, `{"email":"x"}`, `{"email":"x@example.org\r\nBcc: eve@example.com"}`,
		`{"email":"x@example.org","name":""}`, `{"email":"x@example.org","name":"A\r\nBcc: eve@example.com"}`,
		`{"email":"x@example.org","name":"A\u202eB"}`, `{"email":"x@example.org","role":"owner"}`,
		body(`{}`), body(strings.TrimSuffix(many, ",")),
		body(`{` + things + `,"expiresAt":"2020-01-01T00:00:00.000Z"}`),
		body(`{` + things + `,"expiresAt":"tomorrow"}`), body(`{` + things + `,"scope":"x"}`),
		body(`{` + things + `},{` + things + `}`),
	} {
		assertCode(t, body, p.send(both, "POST", invitations, body), 400, "REQUEST_INVALID")
	}
	for _, query := range []string{
		"state=nothing", "limit=0", "cursor=x", "cursor=", "offset=1", "state=open&state=open",
	} {
		assertCode(t, query, p.send(anna, "GET", invitations+"?"+query, ""), 400, "REQUEST_INVALID")
	}
	const unknown = invitations + "/00000000-0000-4000-8000-000000000000"
	for _, path := range []string{"/send", "/withdraw"} {
		assertCode(t, path, p.send(anna, "POST", unknown+path, "{}"), 404, "INVITATION_NOT_FOUND")
		assertCode(t, path, p.send(anna, "POST", invitations+"/x"+path, "{}"), 400, "REQUEST_INVALID")
		assertCode(t, path, p.send(anna, "POST", unknown+path, `{"x":1}`), 400, "REQUEST_INVALID")
	}
	rows, sent := p.count(t, "core.invitation"), p.outbox.deliver(t.Context(), mail.Sent)
	if rows != 0 || len(sent) != 0 || p.actions(t) != "" {
		t.Errorf("after refusals alone: %d invitations, %d mails, recorded %q", rows, len(sent), p.actions(t))
	}
}

func TestAcceptanceRefused(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, anna := p.member(t, "Anna", managePeople)
	_, token := p.invite(t, anna, `{"email":"bert@example.org"}`, 201)
	body := func(name, password string) string {
		return fmt.Sprintf(`{"token":%q,"name":"%s","password":"%s"}`, token, name, password)
	}
	for sent, code := range map[string]string{
		body("Bert", "short"):                           "PASSWORD_TOO_SHORT",
		body("Bert", strings.Repeat("x", 129)):          "PASSWORD_TOO_LONG",
		body("", password):                              "REQUEST_INVALID",
		body(" ", password):                             "REQUEST_INVALID",
		body(`A\r\nBcc: eve@example.com`, password):     "REQUEST_INVALID",
		body(`A\u202eB`, password):                      "REQUEST_INVALID",
		body(strings.Repeat("x", 201), password):        "REQUEST_INVALID",
		`{"token":"` + token + `","name":"Bert"}`:       "REQUEST_INVALID",
		`{"name":"Bert","password":"` + password + `"}`: "REQUEST_INVALID",
		`{"token":null,"name":"Bert","password":"x"}`:   "REQUEST_INVALID",
	} {
		assertCode(t, sent, p.send("", "POST", invitations+"/accept", sent), 400, code)
	}
	if w := p.accept(token, "Bert"); w.Code != 200 { // none of these requests has used the link
		t.Errorf("accept: status %d, body %s", w.Code, w.Body)
	}
}

// Grants that the inviter may no longer give are not issued; the account is made nevertheless.
func TestInviterWhoLostTheRight(t *testing.T) {
	t.Parallel()
	const ofGrants = ` WHERE permission_id = '` + manageGrants + `'`
	for name, lose := range map[string]string{
		"revoked": "UPDATE core.permission_grant SET revoked_at = now()" + ofGrants,
		"expired": "UPDATE core.permission_grant SET expires_at = now()" + ofGrants,
		// A deactivation withdraws the person's invitations. This one was not withdrawn.
		"deactivated": "UPDATE core.person SET deactivated_at = now() WHERE name = 'Anna'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t)
			_, anna := p.member(t, "Anna", managePeople, manageGrants)
			_, token := p.invite(t, anna, inviteBert, 201)
			p.Exec(t, lose)
			if w := p.accept(token, "Bert"); w.Code != 200 {
				t.Errorf("accept: status %d, body %s, want 200", w.Code, w.Body)
			}
			p.signIn(t, "Bert")
			if n := p.count(t, "core.permission_grant WHERE permission_id LIKE 'test.%'"); n != 0 {
				t.Errorf("%d grants were issued, want none", n)
			}
			if got := p.actions(t); got != "person.invited person.joined" {
				t.Errorf("actions %q, want no grant", got)
			}
		})
	}
}

// A grant with an undeclared permission or an end in the past is left out. The other grants are issued.
func TestGrantsThatCannotBeIssued(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, anna := p.member(t, "Anna", managePeople, manageGrants)
	_, token := p.invite(t, anna, inviteBert, 201)
	p.Exec(t, `UPDATE core.invitation SET grants = replace(replace(grants, '2199', '2020'), '[',
		'[{"permissionId":"gone.module","expiresAt":null},')`)
	if w := p.accept(token, "Bert"); w.Code != 200 {
		t.Fatalf("accept: status %d, body %s", w.Code, w.Body)
	}
	if n := p.count(t, "core.permission_grant WHERE permission_id = $1", manageThings); n != 1 ||
		p.actions(t) != "person.invited person.joined grant.issued" {
		t.Errorf("%d grants of %s, recorded %q, want that one alone", n, manageThings, p.actions(t))
	}
}

func TestInvitationsAreListed(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, anna := p.member(t, "Anna", managePeople)
	p.Exec(t, `
		INSERT INTO core.invitation (email, state, grants, created_at, expires_at)
		SELECT n || '@example.org', (ARRAY['open', 'accepted', 'withdrawn', 'expired'])[1 + n % 4], '[]',
			now() - n * interval '1 minute', now() + CASE WHEN n % 8 = 0 THEN -1 ELSE 1 END * interval '1 day'
		FROM generate_series(0, 39) n`)
	for state, want := range map[string]int{"": 40, "open": 5, "accepted": 10, "withdrawn": 10, "expired": 15} {
		seen, query := 0, "?limit=4"
		if state != "" {
			query += "&state=" + state
		}
		for cursor := ""; ; {
			page := decode[struct {
				Invitations []invitation
				NextCursor  *string
			}](t, p.send(anna, "GET", invitations+query+cursor, ""), 200)
			for _, i := range page.Invitations {
				seen++
				if state != "" && i.State != state {
					t.Errorf("state=%s shows one that is %s", state, i.State)
				}
			}
			if page.NextCursor == nil {
				break
			}
			cursor = "&cursor=" + *page.NextCursor
		}
		if seen != want {
			t.Errorf("%s shows %d invitations, want %d", query, seen, want)
		}
	}
}

// An expired invitation can be sent again until its address is forgotten, a month after its end.
func TestSweep(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, anna := p.member(t, "Anna", managePeople)
	made, _ := p.invite(t, anna, `{"email":"bert@example.org","name":"Bert"}`, 201)
	p.invite(t, anna, `{"email":"fresh@example.org"}`, 201)
	sweep := func(age string, want int) {
		t.Helper()
		p.Exec(t, "UPDATE core.invitation SET expires_at = now() - $1::text::interval WHERE name = 'Bert'", age)
		if changed, err := p.store.SweepInvitations(t.Context()); err != nil || changed != want {
			t.Errorf("a sweep %s after the end changes %d (%v), want %d", age, changed, err, want)
		}
	}
	sweep("1 second", 1)
	sweep("29 days", 0)
	sent := decode[invitation](t, p.send(anna, "POST", invitations+"/"+made.ID+"/send", "{}"), 200)
	if sent.State != "open" {
		t.Errorf("sent again, it is %s, want open", sent.State)
	}
	p.token(t)
	sweep("31 days", 2) // marked as expired, then address and name deleted
	assertCode(t, "send", p.send(anna, "POST", invitations+"/"+made.ID+"/send", "{}"),
		409, "INVITATION_NOT_OPEN")
	w := p.send(anna, "GET", invitations+"?state=expired", "")
	listed := decode[struct{ Invitations []invitation }](t, w, 200)
	if len(listed.Invitations) != 1 || listed.Invitations[0].Email != "" || listed.Invitations[0].Name != nil {
		t.Errorf("expired are %+v, want one without address and name", listed.Invitations)
	}
}

func TestDelivery(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, anna := p.member(t, "Anna", managePeople)
	delivery := func(id string) string {
		t.Helper()
		listed := decode[struct{ Invitations []invitation }](t, p.send(anna, "GET", invitations, ""), 200)
		for _, i := range listed.Invitations {
			if i.ID == id {
				return *i.Delivery
			}
		}
		return ""
	}
	made := decode[invitation](t, p.send(anna, "POST", invitations, `{"email":"bert@example.org"}`), 201)
	if got := delivery(made.ID); got != "QUEUED" {
		t.Errorf("before it is sent: %s", got)
	}
	p.outbox.deliver(t.Context(), mail.Rejected)
	if got := delivery(made.ID); got != "REJECTED" {
		t.Errorf("a refused mail: %s", got)
	}
	p.outbox.full = true
	decode[invitation](t, p.send(anna, "POST", invitations+"/"+made.ID+"/send", "{}"), 200)
	if got := delivery(made.ID); got != "DROPPED" {
		t.Errorf("a full queue: %s", got)
	}
	p.outbox.full = false
	decode[invitation](t, p.send(anna, "POST", invitations+"/"+made.ID+"/send", "{}"), 200)
	decode[invitation](t, p.send(anna, "POST", invitations+"/"+made.ID+"/withdraw", "{}"), 200)
	if sent := p.outbox.deliver(t.Context(), mail.Sent); len(sent) != 0 {
		t.Error("the mail of a withdrawn invitation was sent")
	}
}

// TestLostMail: an email is queued in memory, so one without an outcome after ten minutes is shown as
// dropped. If it is sent later after all, the outcome is stored.
func TestLostMail(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, anna := p.member(t, "Anna", managePeople)
	made := decode[invitation](t, p.send(anna, "POST", invitations, `{"email":"bert@example.org"}`), 201)
	assertDelivery := func(when, want string) {
		t.Helper()
		for _, filter := range []string{"", "?state=open"} {
			response := p.send(anna, "GET", invitations+filter, "")
			found := decode[struct{ Invitations []invitation }](t, response, 200).Invitations
			if len(found) != 1 || *found[0].Delivery != want {
				t.Errorf("GET invitations%s %s: %v, want one with delivery %s", filter, when, found, want)
			}
		}
	}
	age := func(minutes int) {
		t.Helper()
		p.Exec(t, "UPDATE core.invitation SET expires_at = expires_at - make_interval(mins => $1)", minutes)
	}
	age(9)
	assertDelivery("after nine minutes", "QUEUED")
	age(2)
	assertDelivery("after eleven minutes", "DROPPED")
	p.outbox.deliver(t.Context(), mail.Sent)
	assertDelivery("when it was sent after all", "SENT")
	decode[invitation](t, p.send(anna, "POST", invitations+"/"+made.ID+"/send", "{}"), 200)
	assertDelivery("when it is queued again", "QUEUED")
}

// A client may inspect 30 links per minute and use 30.
func TestJoinIsLimited(t *testing.T) {
	t.Parallel()
	p := start(t)
	p = startOn(t, p.DB, p.Pool(t), ratelimit.New())
	for _, path := range []string{"/inspect", "/accept"} {
		for n := range 31 {
			w := p.send("", "POST", invitations+path, "{}")
			if n < 30 && w.Code != 400 || n == 30 && (w.Code != 429 || w.Header().Get("X-Retry-After") == "") {
				t.Errorf("POST %s, request %d: status %d, body %s", path, n+1, w.Code, w.Body)
			}
		}
	}
}

// An invitation promises nothing that lasts longer than the inviter's own right to give it.
func TestInvitationOutlivesNoRight(t *testing.T) {
	t.Parallel()
	p := start(t)
	annaID, anna := p.member(t, "Anna", managePeople, manageGrants)
	p.Exec(t, `UPDATE core.permission_grant SET expires_at = '2198-01-01' WHERE person_id = $1`, annaID)
	assertCode(t, "a later end", p.send(anna, "POST", invitations, inviteBert), 403, "PERMISSION_DENIED")
	_, token := p.invite(t, anna, strings.NewReplacer("2199", "2197",
		`{"permissionId":"test.things.manage"},`, "").Replace(inviteBert), http.StatusCreated)
	p.Exec(t, `UPDATE core.permission_grant SET expires_at = '2196-01-01' WHERE person_id = $1`, annaID)
	if w := p.accept(token, "Bert"); w.Code != http.StatusOK {
		t.Fatalf("accept: status %d, body %s", w.Code, w.Body)
	}
	if n := p.count(t, "core.permission_grant WHERE created_by = $1", annaID); n != 0 {
		t.Errorf("%d grants outlive the right of the inviter, want none", n)
	}
}

// An address gets six letters a day, however the invitations are made.
func TestAddressIsInvitedAFewTimesADay(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, anna := p.member(t, "Anna", managePeople)
	const body = `{"email":"bert@example.org"}`
	made, _ := p.invite(t, anna, body, http.StatusCreated)
	for range 2 {
		p.invite(t, anna, body, http.StatusOK)
		decode[invitation](t, p.send(anna, "POST", invitations+"/"+made.ID+"/send", "{}"), 200)
		p.token(t)
	}
	decode[invitation](t, p.send(anna, "POST", invitations+"/"+made.ID+"/withdraw", "{}"), 200)
	made, _ = p.invite(t, anna, body, http.StatusCreated)
	for path, sent := range map[string]string{"": body, "/" + made.ID + "/send": "{}"} {
		w := p.send(anna, "POST", invitations+path, sent)
		assertCode(t, "the seventh letter "+path, w, 429, "TOO_MANY_REQUESTS")
		if wait, err := strconv.Atoi(w.Header().Get("X-Retry-After")); err != nil || wait < 1 || wait > 24*60*60 {
			t.Errorf("X-Retry-After is %q, want at most a day", w.Header().Get("X-Retry-After"))
		}
	}
	if sent := p.outbox.deliver(t.Context(), mail.Sent); len(sent) != 0 {
		t.Errorf("%d more letters were sent", len(sent))
	}
	p.invite(t, anna, `{"email":"zoe@example.org"}`, http.StatusCreated)
	p.Exec(t, `UPDATE core.invitation
		SET sent_at = ARRAY (SELECT at - interval '1 day' FROM unnest(sent_at) at)`)
	p.invite(t, anna, body, http.StatusOK)
}

// Many people are invited with one request. Each has an outcome of their own.
func TestInviteMany(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, anna := p.member(t, "Anna", managePeople)
	_, both := p.member(t, "Both", managePeople, manageGrants)
	p.member(t, "Here")
	const many = invitations + "/many"
	people := strings.Repeat(`{"email":"x"},`, 500)
	for _, body := range []string{
		`{}`, `{"people":[]}`, `{"people":[{"email":"x@example.org","role":"owner"}]}`, `{"people":{}}`,
		`{"people":[` + people + `{"email":"x"}]}`, `{"people":[{"email":"x@example.org"}],"grants":[{}]}`,
	} {
		assertCode(t, body[:min(len(body), 60)], p.send(both, "POST", many, body), 400, "REQUEST_INVALID")
	}
	const withGrant = `{"people":[{"email":"bert@example.org","name":"Bert"},{"email":"here@example.org"},` +
		`{"email":"nobody"},{"email":"zoe@example.org","name":"Z\u202e"},{"email":"Tea@Example.org"}],` +
		`"grants":[{"permissionId":"test.things.read"}]}`
	assertCode(t, "grants without the permission", p.send(anna, "POST", many, withGrant),
		403, "PERMISSION_DENIED")
	if n := p.count(t, "core.invitation"); n != 0 {
		t.Errorf("after refusals %d invitations, want none", n)
	}
	type outcome struct {
		Email      string
		Invitation *invitation
		Replaced   bool
		Code       *string
	}
	got := decode[struct{ Outcomes []outcome }](t, p.send(both, "POST", many, withGrant), 200).Outcomes
	want := []string{"", "PERSON_ALREADY_EXISTS", "REQUEST_INVALID", "REQUEST_INVALID", ""}
	if len(got) != len(want) {
		t.Fatalf("%d outcomes, want %d", len(got), len(want))
	}
	for i, code := range want {
		if (got[i].Invitation != nil) != (code == "") || code != "" && *got[i].Code != code || got[i].Replaced {
			t.Errorf("the outcome of %s is %+v, want code %q", got[i].Email, got[i], code)
		}
	}
	if sent := p.outbox.deliver(t.Context(), mail.Sent); len(sent) != 2 {
		t.Errorf("%d letters were sent, want 2", len(sent))
	}
	again := decode[struct{ Outcomes []outcome }](t,
		p.send(anna, "POST", many, `{"people":[{"email":"tea@example.org"}]}`), 200).Outcomes
	if len(again) != 1 || !again[0].Replaced || len(again[0].Invitation.Grants) != 0 {
		t.Errorf("the second invitation is %+v, want one in place of the first", again)
	}
}
