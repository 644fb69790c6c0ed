package browsertest

import (
	"testing"
)

// grant gives a person a permission, with an end (an SQL expression) or "NULL".
func (d *devServer) grant(t *testing.T, userID, permission, ends string) {
	t.Helper()
	d.query(t, `
		INSERT INTO core.permission_grant (person_id, permission_id, source_kind, expires_at)
		VALUES ($1::uuid, $2, 'explicit', `+ends+`) RETURNING id::text`, userID, permission)
}

// TestReactivationByManagerOfPeople: whoever may only manage people cannot make a dismissed administrator one
// again, and is told who can.
func TestReactivationByManagerOfPeople(t *testing.T) {
	leaveToProof(t, "services/people has TestReactivationGivesNothingTheCallerCannotGive")
	t.Parallel()
	d := startHouse(t)
	d.grant(t, d.addPerson(t, "anna@example.org", "Anna"), "core.people.manage", "NULL")
	dismissed := d.addPerson(t, "dora@example.org", "Dora")
	d.grant(t, dismissed, "core.authorization.grants.manage", "NULL")
	d.query(t, `UPDATE core.person SET deactivated_at = now() WHERE id = $1::uuid RETURNING email`, dismissed)
	p := d.openAs(t, "anna@example.org", "/#/admin/people", desktop)
	p.click("button", "More for Dora")
	p.click("menuitem", "Reactivate")
	p.waitForAnnouncement("Only somebody who manages permissions can decide about Dora (dora@example.org).")
	if got := d.query(t, `SELECT (deactivated_at IS NULL)::text FROM core.person WHERE id = $1::uuid`,
		dismissed); got != "false" {
		t.Error("the dismissed administrator is active again")
	}
}

// TestGrantByBriefAdministrator: whoever may give permissions for an hour gives none for ever.
func TestGrantByBriefAdministrator(t *testing.T) {
	leaveToProof(t, "services/authorization has TestGrantOutlivesNoRight")
	t.Parallel()
	d := startHouse(t)
	anna := d.addPerson(t, "anna@example.org", "Anna")
	d.grant(t, anna, "core.authorization.grants.manage", "'2031-03-28T12:00:00Z'")
	p := d.openAs(t, "anna@example.org", "/#/admin/permissions", desktop)
	p.chooseGrant("Anna", "stage.plan.edit")
	p.click("button", "Give")
	p.waitForVisibleText("Your own permission to give ends on")
	if got := d.grantsOf(t, anna, "stage.plan.edit"); got != "0" {
		t.Errorf("Anna has given herself %s permissions for ever, want 0", got)
	}
}
