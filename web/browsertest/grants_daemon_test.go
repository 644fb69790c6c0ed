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

// testIncompleteEndDate: a permission is not given for ever because its end lacks a year.
func testIncompleteEndDate(t *testing.T, d *permissionsHouse) {
	leaveToProof(t, "it types half a date")
	_, p := d.open(t)
	p.chooseGrant("Reader 1", "stage.plan.edit")
	const date = `document.querySelector("dialog [type=date]")`
	p.runScript(date + `.focus()`)
	p.key("0303") // day and month, in whichever order
	p.waitFor(date + `.validity.badInput`)
	p.key("\r") // the form is sent from within the field
	p.waitForVisibleText("This date or time is incomplete.")
	p.click("button", "Give")
	p.waitFor(`document.activeElement.type === "date"`)
	if got := d.grantsOf(t, d.readerID, "stage.plan.edit"); got != "0" {
		t.Errorf("with an end of 3 March without a year Reader 1 has %s grants, want 0", got)
	}
	if got := eval[bool](p, date+`.validity.badInput`); !got {
		t.Error("what was typed is gone")
	}
	p.key(kb.Tab) // on to the year
	p.chooseDay("2031-03-28")
	p.click("button", "Give")
	p.waitForAnnouncement("Given.")
	if got := d.grantsOf(t, d.readerID, "stage.plan.edit"); got != "1" {
		t.Errorf("with a whole date Reader 1 has %s grants, want 1", got)
	}
}
