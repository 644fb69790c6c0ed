package browsertest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// lists are the lists whose rows can be deleted: where each is, the control of a row, the entry of its menu,
// and the answer to the question.
var lists = []struct{ name, path, control, entry, yes string }{
	{"notices", "m/announcements", `main [aria-label^="More for "]`, "Delete …", "Delete"},
	{"rooms", "m/calendar/rooms", `main [aria-label^="Delete Y"]`, "", ""},
	{"away", "m/rota/volunteers/{volunteer}/away", `main [aria-label^="Remove: "]`, "", ""},
	{"volunteers", "m/rota/volunteers", `main [aria-label^="More for "]`, "Delete …", "Delete"},
	{"roles", "m/rota/roles", `main [aria-label^="More for "]`, "Remove", ""},
	{"items", "m/stage/service/{service}", `main td [aria-label^="More for "]`, "Delete …", "Delete"},
	{"grants", "admin/permissions", `main [aria-label^="Withdraw "]`, "", ""},
	{"invitations", "admin/people", `main [aria-label^="More for "]`, "Withdraw …", "Withdraw"},
	{"screens", "admin/screens", `main [aria-label^="More for "]`, "Remove …", "Remove"},
	{"groups", "admin/navigation", `main [aria-label^="Delete "]`, "", ""},
}

// fillLists puts some rows in each list, and returns the addresses of houseAddresses.
func (d *devServer) fillLists(t *testing.T) *strings.Replacer {
	t.Helper()
	addresses := d.houseAddresses(t)
	volunteer := addresses.Replace("{volunteer}")
	rev := d.query(t, `SELECT rev::text FROM module_rota.volunteers WHERE id = $1::uuid`, volunteer)
	away := []object{{"from": "2031-01-01", "to": "2031-01-02"}, {"from": "2031-02-01", "to": "2031-02-02"}}
	d.call(t, "PUT", "/api/v1/modules/rota/volunteers/"+volunteer+"/away",
		object{"rev": json.Number(rev), "away": away})
	d.addPerson(t, "anna@example.org", "Anna")
	d.exec(t, `DELETE FROM module_rota.assignments`) // a role that somebody serves in stays
	for _, permission := range []string{"stage.plan.edit", "stage.live.control"} {
		d.grant(t, d.query(t, `SELECT id::text FROM core.person WHERE name = 'Anna'`), permission, "NULL")
	}
	d.addScreens(t, `('Foyer', 'announcements', interval '1 minute'),
		('Hall', 'announcements', interval '1 minute')`)
	d.call(t, "POST", "/api/v1/invitations", object{"email": "bert@example.org", "grants": []object{}})
	d.call(t, "POST", "/api/v1/invitations", object{"email": "cleo@example.org", "grants": []object{}})
	d.exec(t, `INSERT INTO core.navigation_group (id, label, position)
		VALUES (gen_random_uuid(), 'One', 0), (gen_random_uuid(), 'Two', 1)`)
	for _, name := range []string{"Yard", "Yoga room", "Youth room"} {
		d.call(t, "POST", calendarRoot+"/rooms", object{"name": name})
	}
	return addresses
}

// TestFocusAfterDeletedRow: in every list the focus of a deleted row goes to the same control of the next
// row, or of the one before, or else to the heading, and never to nothing. A live region says what happened.
func TestFocusAfterDeletedRow(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	addresses := d.fillLists(t)
	p := d.openAs(t, "owner@example.org", "/#/admin/activity", desktop)
	for _, list := range lists {
		t.Run(list.name, func(t *testing.T) {
			usually(t, list.name, "notices", "rooms", "away", "items", "invitations")
			p.t = t
			p.runScript(`location.hash = "#/` + addresses.Replace(list.path) + `"`)
			labels := fmt.Sprintf(`[...document.querySelectorAll('%s')].map(({ ariaLabel }) => ariaLabel)`,
				list.control)
			if list.name == "invitations" {
				p.find("radio", "Invited 2")
				p.runScript(`[...document.querySelectorAll("main input[name=view]")].at(1).click()`)
			}
			p.waitFor(`(` + labels + `).length > 1`)
			for range 2 {
				before := eval[[]string](p, labels)
				p.runScript(fmt.Sprintf(`document.querySelector('%s').focus()`, list.control))
				p.key("\r")
				if list.entry != "" {
					p.click("menuitem", list.entry)
				}
				if list.yes != "" {
					p.click("button", list.yes)
				}
				p.waitFor(fmt.Sprintf(`!(%s).includes(%q)`, labels, before[0]))
				then := `document.activeElement.tagName === "H1"`
				if len(before) > 1 && list.name != "groups" { // their rows are columns
					then = fmt.Sprintf(`document.activeElement.ariaLabel === %q`, before[1])
				}
				p.waitFor(then)
				p.waitFor(`document.querySelector(".d-toast [role=status]").innerText !== ""`)
				p.runScript(`document.activeElement.blur()`)
				if len(before) == 1 {
					break
				}
			}
			p.runScript(`location.hash = "#/admin/activity"`)
			p.waitForHeading("Activity")
		})
	}
}
