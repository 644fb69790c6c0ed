package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// grantsOf counts the effective grants of a permission that a person has.
func (d *devServer) grantsOf(t *testing.T, userID, permission string) string {
	t.Helper()
	return d.query(t, `
		SELECT count(*)::text
		FROM core.permission_grant
		WHERE person_id = $1::uuid AND permission_id = $2 AND revoked_at IS NULL`, userID, permission)
}

// chooseGrant opens the dialog that gives a permission, and chooses a person and the permission.
func (p *tab) chooseGrant(person, permission string) {
	p.t.Helper()
	p.click("button", "Give permission")
	p.enter("combobox", "Person", person)
	p.waitFor(fmt.Sprintf(`document.querySelector("dialog [role=option]")?.innerText.includes(%q)`, person))
	p.key("\r")
	p.enter("combobox", "Permission", permission)
	p.waitForText("1 match")
	p.key("\r")
}

// TestWithdrawnPermissionIsGivenBack: Undo gives a withdrawn permission to the person again.
func TestWithdrawnPermissionIsGivenBack(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	member := d.addPerson(t, "anna@example.org", "Anna")
	const permission = "stage.plan.edit"
	d.query(t, `
		INSERT INTO core.permission_grant (person_id, permission_id, source_kind)
		VALUES ($1::uuid, $2, 'explicit') RETURNING id::text`, member, permission)
	p := d.openAs(t, "owner@example.org", "/#/admin/permissions", desktop)
	p.click("button", "Withdraw "+permission+" from Anna (anna@example.org)")
	p.waitForAnnouncement("Withdrawn.")
	if got := d.grantsOf(t, member, permission); got != "0" {
		t.Errorf("after Withdraw Anna has %s grants, want 0", got)
	}
	p.click("button", "Undo")
	p.waitForAnnouncement("Given.")
	if got := d.grantsOf(t, member, permission); got != "1" {
		t.Errorf("after Undo Anna has %s grants, want 1", got)
	}
	p.find("button", "Withdraw "+permission+" from Anna (anna@example.org)")
}

// TestIncompleteEndDateGivesNothing: a permission is not given for ever because its end lacks a year.
func TestIncompleteEndDateGivesNothing(t *testing.T) {
	leaveToProof(t, "it types half a date")
	t.Parallel()
	d := startHouse(t)
	member := d.addPerson(t, "anna@example.org", "Anna")
	p := d.openAs(t, "owner@example.org", "/#/admin/permissions", desktop)
	p.chooseGrant("Anna", "stage.plan.edit")
	const date = `document.querySelector("dialog [type=date]")`
	p.runScript(date + `.focus()`)
	p.key("0303") // day and month, in whichever order
	p.waitFor(date + `.validity.badInput`)
	p.key("\r") // the form is sent from within the field
	p.waitForVisibleText("This date or time is incomplete.")
	p.click("button", "Give")
	p.waitFor(`document.activeElement.type === "date"`)
	if got := d.grantsOf(t, member, "stage.plan.edit"); got != "0" {
		t.Errorf("with an end of 3 March without a year Anna has %s grants, want 0", got)
	}
	if got := eval[bool](p, date+`.validity.badInput`); !got {
		t.Error("what was typed is gone")
	}
	p.key(kb.Tab) // on to the year
	p.runScript(date + `.value = "2031-03-28"; ` +
		date + `.dispatchEvent(new Event("input", { bubbles: true }))`)
	p.click("button", "Give")
	p.waitForAnnouncement("Given.")
	if got := d.grantsOf(t, member, "stage.plan.edit"); got != "1" {
		t.Errorf("with a whole date Anna has %s grants, want 1", got)
	}
}
