package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// asAnother has what a save of somebody else needs: it reads, changes some fields and writes the rest back.
const asAnother = `
	const call = async (method, path, body) => {
		const headers = body && { "Content-Type": "application/json" };
		const answer = await fetch("/api/v1/modules/" + path, { method, headers, body: JSON.stringify(body) });
		if (!answer.ok) throw new Error(path + ": " + answer.status + " " + await answer.text());
		return answer.json();
	};
	const get = (path) => call("GET", path);
	const put = (path, from, fields, change) => call("PUT", path, {
		...Object.fromEntries(fields.split(" ").map((field) => [field, from[field]])), ...change });
	const name = %q;`

// things are what two people can edit at once: where each form is, what opens it, its field for the name,
// and how somebody else gives the thing another name.
var things = []struct{ name, table, column, path, opener, field, theirs string }{
	{"notice", "module_announcements.slides", "title",
		"m/announcements/edit/{notice}", "", ".announcements [required]",
		`const { slides } = await get("announcements/slides");
		const notice = slides.find(({ id }) => id === "{notice}");
		await put("announcements/slides/{notice}", notice, "rev body enabled startsAt endsAt", { title: name })`},
	{"event", "module_calendar.events", "title",
		"m/calendar/edit/{event}", "", "main [required]",
		`const event = await get("calendar/events/{event}");
		await put("calendar/events/{event}", event, "text start end rule rooms rev", { title: name })`},
	{"room", "module_calendar.rooms", "name",
		"m/calendar/rooms", `button[aria-label^="Edit "]`, ".calendar form input",
		`const { rooms: [room] } = await get("calendar/rooms");
		await put("calendar/rooms/" + room.id, room, "rev", { name })`},
	{"volunteer", "module_rota.volunteers", "label",
		"m/rota/volunteers/{volunteer}", "", ".rota form input",
		`const { volunteers } = await get("rota/board");
		const volunteer = volunteers.find(({ id }) => id === "{volunteer}");
		await put("rota/volunteers/{volunteer}", volunteer, "email language digest roleIds rev", { label: name })`},
	{"roles", "module_rota.roles", "name",
		"m/rota/roles", "", ".rota form input",
		`const { roles: [first, ...others], rolesRev } = await get("rota/board");
		const roles = [{ id: first.id, name }, ...others.map(({ id, name }) => ({ id, name }))];
		await call("PUT", "rota/roles", { roles, rev: rolesRev })`},
	{"song", "module_stage.songs", "title",
		"m/stage/songs/{song}", "", "main [required]",
		`const song = await get("stage/songs/{song}");
		await put("stage/songs/{song}", song, "credit sections rev", { title: name })`},
	{"item", "module_stage.items", "title",
		"m/stage/service/{service}", `button[aria-label^="Edit "]`, "dialog input[maxlength]",
		`const { items: [item] } = await get("stage/services/{service}");
		await put("stage/items/" + item.id, item, "kind text songId seconds rev", { title: name })`},
	{"service", "module_stage.services", "title",
		"m/stage/service/{service}", `menu Change title and start`, "dialog input",
		`const service = await get("stage/services/{service}");
		await put("stage/services/{service}", service, "startsAt rev", { title: name })`},
}

// addressesOfThings fills in the ids of the house in things.
func (d *devServer) addressesOfThings(t *testing.T) *strings.Replacer {
	t.Helper()
	event := d.call(t, "POST", calendarRoot+"/events", object{"title": "Tea", "text": "",
		"start": "2031-05-04T10:00", "end": "2031-05-04T11:00", "rule": "", "rooms": []int{}})
	return strings.NewReplacer(
		"{notice}", d.query(t, `
			SELECT id::text FROM module_announcements.slides WHERE image_id IS NULL ORDER BY position LIMIT 1`),
		"{event}", event["id"].(string),
		"{volunteer}", d.query(t, `SELECT id::text FROM module_rota.volunteers ORDER BY label LIMIT 1`),
		"{song}", d.query(t, `SELECT id::text FROM module_stage.songs ORDER BY title LIMIT 1`),
		"{service}", d.query(t, `SELECT s.id::text FROM module_stage.services s
			JOIN module_stage.items i ON i.service_id = s.id ORDER BY starts_at LIMIT 1`),
	)
}

// TestTwoPeopleOnOneThing: who saves what somebody else has saved meanwhile sees the other version beside
// their own words, in every form, loses neither, and takes the one or the other.
func TestTwoPeopleOnOneThing(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	addresses := d.addressesOfThings(t)
	p := d.openAs(t, "owner@example.org", "/#/admin/activity", desktop)
	for _, thing := range things {
		t.Run(thing.name, func(t *testing.T) {
			usually(t, thing.name, "event", "volunteer", "song", "item")
			p.t = t
			value := fmt.Sprintf(`document.querySelector(%q)?.value`, thing.field)
			write := func(text string) {
				p.runScript(fmt.Sprintf(`const field = document.querySelector(%q); field.value = %q;
					field.dispatchEvent(new Event("input", { bubbles: true }))`, thing.field, text))
			}
			saveAsAnother := func(name string) {
				p.runScript(fmt.Sprintf(asAnother, name) + addresses.Replace(thing.theirs))
			}
			save := func() {
				p.runScript(fmt.Sprintf(`document.querySelector(%q).form.requestSubmit()`, thing.field))
			}
			p.runScript(`location.hash = "#/` + addresses.Replace(thing.path) + `"`)
			open := func() {
				if entry, isMenu := strings.CutPrefix(thing.opener, "menu "); isMenu {
					p.click("button", "More")
					p.click("menuitem", entry)
				} else if thing.opener != "" {
					p.waitFor(fmt.Sprintf(`document.querySelector('%s')`, thing.opener))
					p.runScript(fmt.Sprintf(`document.querySelector('%s').click()`, thing.opener))
				}
				p.waitFor(value)
			}
			open()
			write("My own words")
			saveAsAnother("What others wrote")
			save()
			p.waitFor(`document.querySelector("[role=alert] .d-version")?.innerText
				.includes("What others wrote")`)
			if got := eval[string](p, value); got != "My own words" {
				t.Errorf("the field has %q beside the other version, want one's own words", got)
			}
			p.screenshot("two-people-" + thing.name)
			p.click("button", "Take the other version")
			p.waitFor(value + ` === "What others wrote"`)
			write("My own words")
			saveAsAnother("Written once more")
			save()
			p.waitFor(`document.querySelector(".d-version")?.innerText.includes("Written once more")`)
			p.click("button", "Save my version")
			p.waitUntil("the own version is stored", func() bool {
				return d.query(t, `SELECT count(*)::text FROM `+thing.table+`
					WHERE `+thing.column+` = 'My own words'`) == "1"
			})
			// A saved form may lead back to its list meanwhile.
			p.waitFor(`(location.hash = "#/admin/activity",
				document.querySelector("main h1")?.innerText === "Activity")`)
		})
	}
}
