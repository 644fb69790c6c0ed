package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// testInviteDialogStaysInPlace: the buttons do not move when the permissions arrive, so nobody presses beside
// them.
func testInviteDialogStaysInPlace(t *testing.T, d *peopleHouse) {
	leaveToProof(t, "it measures where buttons are; the case Invite invites")
	for name, size := range map[string]view{"desktop": desktop, "narrow": narrow} {
		p := d.openAs(t, "owner@example.org", "/#/admin/people", size)
		p.find("button", "Invite people")
		p.runScript(`const plain = window.fetch;
			window.fetch = async (...asked) => {
				if (String(asked[0].url ?? asked[0]).includes("/api/v1/permissions"))
					await new Promise((resolve) => (window.release = resolve));
				return plain(...asked);
			}`)
		p.click("button", "Invite people")
		p.waitFor(`window.release !== undefined`)
		const top = `[...document.querySelectorAll("dialog button")].at(-1).getBoundingClientRect().top`
		before := eval[float64](p, top)
		p.runScript(`window.release()`)
		p.waitFor(`document.querySelector(".host-picker li")`)
		if after := eval[float64](p, top); after != before {
			t.Errorf("%s: the button is %v px below the top, and %v px when the permissions are there", name, before,
				after)
		}
	}
}

// testInviteMany: rows that were copied from a spreadsheet are invited with their names, what
// cannot be read stays, and Escape loses nothing.
func testInviteMany(t *testing.T, d *peopleHouse) {
	leaveToProof(t, "it pastes many rows; the case Invite invites several people, too")
	p := d.openAs(t, "owner@example.org", "/#/admin/people", desktop)
	p.click("button", "Invite people")
	d.exec(t, `TRUNCATE core.invitation`)
	rows := []string{"Surname\tFirst name\tE-mail", "Nobody\tWithout\t"}
	for i := range 120 {
		rows = append(rows, fmt.Sprintf("Family%d\tReader\tsinger%d@example.org", i, i))
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
	if got := d.query(t, `SELECT name FROM core.invitation WHERE email = 'singer7@example.org'`); got !=
		"Reader Family7" {
		t.Errorf("the name of a row is read as %q, want Reader Family7", got)
	}
	p.runScript(`document.querySelector("dialog").dispatchEvent(new Event("cancel", { cancelable: true }))`)
	p.waitForText("Discard the list?")
}
