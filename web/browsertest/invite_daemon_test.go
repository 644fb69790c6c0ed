package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// TestInviteManyFromASpreadsheet: rows that were copied from a spreadsheet are invited with their names, what
// cannot be read stays, and Escape loses nothing.
func TestInviteManyFromASpreadsheet(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, "owner@example.org", "/#/admin/people", desktop)
	p.click("button", "Invite people")
	rows := []string{"Surname\tFirst name\tE-mail", "Nobody\tWithout\t"}
	for i := range 120 {
		rows = append(rows, fmt.Sprintf("Family%d\tReader\treader%d@example.org", i, i))
	}
	p.runScript(fmt.Sprintf(`const list = document.querySelector("dialog textarea"); list.value = %q;
		list.dispatchEvent(new Event("input", { bubbles: true }))`, strings.Join(rows, "\n")))
	p.waitForText("1 entry cannot be read. The other people (120) are ready to be invited.")
	p.waitForText("Line 2: Nobody")
	p.click("button", "Invite 120 people")
	p.runScript(`document.querySelector("dialog").dispatchEvent(new Event("cancel", { cancelable: true }))`)
	p.waitUntil("everybody is invited", func() bool {
		return d.query(t, `SELECT count(*)::text FROM core.invitation`) == "120"
	})
	p.waitFor(`document.querySelector("dialog textarea").value.startsWith("Nobody")`)
	if got := d.query(t, `SELECT name FROM core.invitation WHERE email = 'reader7@example.org'`); got !=
		"Reader Family7" {
		t.Errorf("the name of a row is read as %q, want Reader Family7", got)
	}
	p.runScript(`document.querySelector("dialog").dispatchEvent(new Event("cancel", { cancelable: true }))`)
	p.waitForText("Discard the list?")
}
