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

// testReactivation: whoever may only manage people cannot make a dismissed administrator one
// again, and is told who can.
func testReactivation(t *testing.T, d *peopleHouse) {
	leaveToProof(t, "services/people has TestReactivationGivesNothingTheCallerCannotGive")
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

// testBriefAdministrator: whoever may give permissions for an hour gives none for ever.
func testBriefAdministrator(t *testing.T, d *permissionsHouse) {
	leaveToProof(t, "services/authorization has TestGrantOutlivesNoRight")
	d.revoke(t, "coordinator@example.org", manageGrants)
	d.grant(t, d.coordinatorID, manageGrants, "'2031-03-28T12:00:00Z'")
	_, p := d.open(t)
	p.chooseGrant("Coordinator", "stage.plan.edit")
	p.click("button", "Give")
	p.waitForVisibleText("Your own permission to give ends on")
	if got := d.grantsOf(t, d.coordinatorID, "stage.plan.edit"); got != "0" {
		t.Errorf("the coordinator has given %s permissions for ever, want 0", got)
	}
}
