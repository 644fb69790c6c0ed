package people_test

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func (p process) decide(cookie, id, what string) *httptest.ResponseRecorder {
	return p.send(cookie, "POST", "/api/v1/people/"+id+"/"+what, "{}")
}

func TestDeactivateAndReactivate(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, anna := p.member(t, "Anna", managePeople)
	bertID, bert := p.member(t, "Bert", manageThings)
	p.signIn(t, "Bert")
	p.send("", "POST", "/api/auth/request-password-reset", `{"email":"bert@example.org"}`)
	reset := p.resetToken(t)

	type person struct{ UserID, Email, DeactivatedAt string }
	first := decode[person](t, p.decide(anna, bertID, "deactivate"), 200)
	again := decode[person](t, p.decide(anna, bertID, "deactivate"), 200)
	if first.DeactivatedAt == "" || first != again || first.Email != "bert@example.org" {
		t.Errorf("deactivated: %+v, then %+v, want the same twice", first, again)
	}
	if n := p.count(t, "core.session WHERE person_id = $1", bertID); n != 0 {
		t.Errorf("%d sessions are left, want none", n)
	}
	assertCode(t, "a session", p.send(bert, "GET", own, ""), 401, "AUTHENTICATION_REQUIRED")
	unknown := p.trySignIn("nobody")
	if w := p.trySignIn("Bert"); w.Code != unknown.Code || w.Body.String() != unknown.Body.String() {
		t.Errorf("sign-in: %d %s, want %d %s as for an unknown address", w.Code, w.Body, unknown.Code, unknown.Body)
	}
	if w := p.send("", "POST", "/api/auth/reset-password",
		`{"token":"`+reset+`","newPassword":"another password"}`); w.Code != 400 {
		t.Errorf("a link from before: status %d, body %s, want 400", w.Code, w.Body)
	}
	for _, path := range []string{"request-password-reset", "send-verification-email"} {
		p.send("", "POST", "/api/auth/"+path, `{"email":"bert@example.org"}`)
		if sent := p.outbox.deliver(t.Context(), "SENT"); len(sent) != 0 {
			t.Errorf("%s sends a mail to somebody deactivated", path)
		}
	}
	w := p.send(anna, "GET", "/api/v1/people?query=bert", "")
	if !strings.Contains(w.Body.String(), `"deactivatedAt":"20`) {
		t.Errorf("the directory shows %s", w.Body)
	}

	decode[map[string]any](t, p.decide(anna, bertID, "reactivate"), 200)
	decode[map[string]any](t, p.decide(anna, bertID, "reactivate"), 200)
	p.signIn(t, "Bert")
	if n := p.count(t, "core.permission_grant WHERE person_id = $1 AND revoked_at IS NULL", bertID); n != 1 {
		t.Errorf("%d grants are left, want the one that Bert had", n)
	}
	if got := p.actions(t); got != "person.deactivated person.reactivated" {
		t.Errorf("actions %q, want one deactivation and one reactivation", got)
	}
}

// A session or a grant that a deactivation did not remove has no effect.
func TestDeactivatedHoldNothing(t *testing.T) {
	t.Parallel()
	p := start(t)
	annaID, anna := p.member(t, "Anna", managePeople, manageGrants)
	p.Exec(t, "INSERT INTO core.platform_owner (person_id) VALUES ($1)", annaID)
	p.Exec(t, "UPDATE core.person SET deactivated_at = now() WHERE id = $1", annaID)
	assertCode(t, "a session", p.send(anna, "GET", "/api/v1/people", ""), 401, "AUTHENTICATION_REQUIRED")
	if w := p.send(anna, "GET", "/api/v1/principal", ""); w.Body.String() != `{"kind":"anonymous"}` {
		t.Errorf("the principal is %s, want nobody", w.Body)
	}
}

func TestDeactivationRefused(t *testing.T) {
	t.Parallel()
	p := start(t)
	annaID, anna := p.member(t, "Anna", managePeople)
	ownerID, owner := p.member(t, "Owner")
	p.Exec(t, "INSERT INTO core.platform_owner (person_id) VALUES ($1)", ownerID)
	bertID, bert := p.member(t, "Bert", managePeople)
	_, member := p.member(t, "Member")
	for _, what := range []string{"deactivate", "reactivate"} {
		assertCode(t, "oneself", p.decide(anna, annaID, what), 409, "PERSON_PROTECTED")
		assertCode(t, "the owner", p.decide(anna, ownerID, what), 409, "PERSON_PROTECTED")
		assertCode(t, "by a member", p.decide(member, bertID, what), 403, "PERMISSION_DENIED")
		assertCode(t, "by nobody", p.decide("", bertID, what), 401, "AUTHENTICATION_REQUIRED")
		assertCode(t, "unknown", p.decide(anna, "00000000-0000-4000-8000-000000000000", what),
			404, "USER_NOT_FOUND")
		assertCode(t, "malformed", p.decide(anna, strings.ToUpper(bertID), what), 400, "REQUEST_INVALID")
	}
	assertCode(t, "an administrator by another", p.decide(anna, bertID, "deactivate"), 403, "PERMISSION_DENIED")
	if n := p.count(t, "core.person WHERE deactivated_at IS NOT NULL"); n != 0 || p.actions(t) != "" {
		t.Errorf("after refusals alone: %d deactivated, recorded %q", n, p.actions(t))
	}
	if w := p.send(bert, "GET", own, ""); w.Code != 200 {
		t.Errorf("Bert's session: status %d, want 200", w.Code)
	}
	if w := p.decide(owner, bertID, "deactivate"); w.Code != 200 { // allowed: the owner may give permissions
		t.Errorf("by the owner: status %d, body %s, want 200", w.Code, w.Body)
	}
	// An expired grant does not protect its holder.
	p.Exec(t, "UPDATE core.person SET deactivated_at = NULL")
	p.Exec(t, "UPDATE core.permission_grant SET expires_at = now() WHERE person_id = $1", bertID)
	if w := p.decide(anna, bertID, "deactivate"); w.Code != 200 {
		t.Errorf("after the grant's end: status %d, body %s, want 200", w.Code, w.Body)
	}
}

// A deactivation withdraws the invitations that the person sent.
func TestDeactivationWithdrawsInvitations(t *testing.T) {
	t.Parallel()
	p := start(t)
	ownerID, owner := p.member(t, "Owner")
	p.Exec(t, "INSERT INTO core.platform_owner (person_id) VALUES ($1)", ownerID)
	annaID, anna := p.member(t, "Anna", managePeople)
	_, token := p.invite(t, anna, `{"email":"bert@example.org"}`, 201)
	_, other := p.invite(t, owner, `{"email":"zoe@example.org"}`, 201)
	decode[map[string]any](t, p.decide(owner, annaID, "deactivate"), 200)
	assertCode(t, "Anna's invitation", p.accept(token, "Bert"), 404, "INVITATION_NOT_FOUND")
	if w := p.accept(other, "Zoe"); w.Code != 200 {
		t.Errorf("the owner's invitation: status %d, body %s", w.Code, w.Body)
	}
	if got := p.actions(t); got != "person.invited person.invited person.deactivated invitation.withdrawn "+
		"person.joined" {
		t.Errorf("actions %q, want Anna's invitation withdrawn with her account", got)
	}
}

// resetToken returns the token in the only queued email.
func (p process) resetToken(t *testing.T) string {
	t.Helper()
	written := p.outbox.deliver(t.Context(), "SENT")
	if len(written) != 1 {
		t.Fatalf("%d mails wait, want one", len(written))
	}
	_, rest, _ := strings.Cut(written[0].Text, "service_auth=reset-password&token=")
	token, _, _ := strings.Cut(rest, "\n")
	return token
}

// Who may only manage people cannot give an administrator their permissions back.
func TestReactivationGivesNothingTheCallerCannotGive(t *testing.T) {
	t.Parallel()
	p := start(t)
	_, anna := p.member(t, "Anna", managePeople)
	briefID, brief := p.member(t, "Brief", managePeople, manageGrants)
	p.Exec(t, `UPDATE core.permission_grant SET expires_at = now() + interval '1 hour'
		WHERE person_id = $1`, briefID)
	_, both := p.member(t, "Both", managePeople, manageGrants)
	adminID, _ := p.member(t, "Admin", manageGrants)
	decode[map[string]any](t, p.decide(both, adminID, "deactivate"), 200)

	assertCode(t, "by somebody who manages people", p.decide(anna, adminID, "reactivate"),
		403, "PERMISSION_DENIED")
	assertCode(t, "by somebody who may give for an hour", p.decide(brief, adminID, "reactivate"),
		403, "PERMISSION_DENIED")
	if n := p.count(t, "core.person WHERE deactivated_at IS NOT NULL"); n != 1 {
		t.Errorf("after the refusals %d people are deactivated, want the administrator", n)
	}
	p.Exec(t, `UPDATE core.permission_grant SET expires_at = now() + interval '10 minutes'
		WHERE person_id = $1`, adminID)
	decode[map[string]any](t, p.decide(brief, adminID, "reactivate"), 200)

	decode[map[string]any](t, p.decide(both, adminID, "deactivate"), 200)
	p.Exec(t, `UPDATE core.permission_grant SET expires_at = now() WHERE person_id = $1`, adminID)
	decode[map[string]any](t, p.decide(anna, adminID, "reactivate"), 200)
}
