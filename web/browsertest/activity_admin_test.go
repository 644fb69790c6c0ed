package browsertest

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestActivity uses the screen Activity of a house. The tests that record entries come last, one after
// another.
func TestActivity(t *testing.T) {
	t.Parallel()
	d := startActivityHouse(t)
	type test func(t *testing.T, d *activityHouse)
	t.Run("Read", func(t *testing.T) {
		for name, test := range map[string]test{
			"List":        testActivityList,
			"Filters":     testActivityFilters,
			"Holders":     testActivityHolders,
			"Reader":      testActivityReader,
			"Fails":       testActivityFails,
			"RightToLeft": testActivityRightToLeft,
			"Screens": func(t *testing.T, d *activityHouse) {
				assertHouseScreens(t, d.devServer, activityScreensOf(t, d))
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, d)
			})
		}
	})
	for name, test := range map[string]test{
		"Sentences": testActivitySentences,
		"Pages":     testActivityPages,
		"OneDay":    testActivityOfOneDay,
	} {
		t.Run(name, func(t *testing.T) { test(t, d) })
	}
}

// activityScreensOf are the states of the screen Activity.
func activityScreensOf(t *testing.T, d *activityHouse) []screenCase {
	t.Helper()
	const path, route = "/#/admin/activity", "GET /api/v1/activity"
	d.holdsSince(t, d.member(t, "Sound 1"), "announcements.slides.manage", "2026-11-03")
	nobody := d.addPerson(t, "quiet@example.org", "Quiet")
	coordinator := func(_ *testing.T, h *fixture) { h.session = d.coordinator }
	answering := func(status int, body string) func(t *testing.T, h *fixture) {
		return func(t *testing.T, h *fixture) {
			coordinator(t, h)
			h.respond(route, status, body)
		}
	}
	return []screenCase{
		{"W15-activity", path, coordinator, waitForEntry},
		{"W15-filter", path, coordinator, func(p *tab) {
			waitForEntry(p)
			p.runScript(`document.querySelectorAll(".host-filters [role=combobox]")[1].click()`)
			p.waitFor(`document.querySelector(".host-filters [role=option]")`)
		}},
		{"W15-no-match", path + "/" + nobody, coordinator,
			func(p *tab) { p.waitFor(`document.querySelector("main p.d-row button")`) }},
		// A house has entries from the time when its owner was made: one without lost them.
		{"W15-empty", path, answering(200, `{"entries":[],"people":{},"joined":{},"nextCursor":null}`),
			func(p *tab) { p.waitFor(`document.querySelector(".d-empty")`) }},
		{"W15-failed", path, answering(503, `{"code":"STORE_UNAVAILABLE"}`),
			func(p *tab) { p.waitFor(`document.querySelector("main .d-note[role=alert]")`) }},
		{"W15-holders", path, coordinator, func(p *tab) {
			waitForEntry(p)
			p.runScript(`document.querySelectorAll(".d-segments input")[1].click()`)
			p.waitFor(`document.querySelector(".host-holders [role=combobox]")`)
			p.typeInto(".host-holders [role=combobox]", "announcements.slides.manage")
			p.key("\r")
			p.waitFor(`document.querySelector(".host-holders .d-list-row")`)
		}},
	}
}

// holdsSince gives a person a permission on a day of the past.
func (d *devServer) holdsSince(t *testing.T, email, permission, day string) {
	t.Helper()
	d.query(t, `
		INSERT INTO core.permission_grant (person_id, permission_id, source_kind, created_at)
		VALUES ($1::uuid, $2, 'explicit', $3::timestamptz) RETURNING id::text`, d.idOf(t, email), permission, day)
}

func waitForEntry(p *tab) { p.waitFor(`document.querySelector(".host-days li")`) }

// waitForEntries waits until the page shows this number of lines.
func (p *tab) waitForEntries(count int) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`document.querySelectorAll(".host-days li").length === %d`, count))
}

// sentences returns the texts of the entries in the order of the page.
func (p *tab) sentences() []string {
	p.t.Helper()
	return eval[[]string](p,
		`[...document.querySelectorAll(".host-days li p:first-child")].map((p) => p.innerText)`)
}

// testActivityList: the page shows plain sentences, newest first, grouped by day, with names instead of ids.
func testActivityList(t *testing.T, d *activityHouse) {
	_, p := d.open(t, "")
	p.waitForText("Drive the screens during a service")
	want := []string{
		"Coordinator erased an erased person",
		"Coordinator deactivated an erased person",
		"An erased person paired a screen for Stage",
		"Coordinator gave Reader (1) the permission Drive the screens during a service",
		"Coordinator changed settings of Rota",
		"The operator switched Stage on",
		"Reader (1) joined",
		"Owner invited Reader (1)",
	}
	if got := p.sentences(); len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("the entries say %q, want %q first", got, want)
	}
	p.waitForText("(remindDaysBefore); changed: Name of the team (teamName)")
	days := eval[[]string](p, `[...document.querySelectorAll(".host-days h2")].map((day) => day.innerText)`)
	if len(days) != 4 || !strings.Contains(days[0], "2026") || !strings.HasSuffix(days[0], ")") {
		t.Errorf("the days are %q, want 4, each with its zone", days)
	}
	const newest = "2026-11-22T12:00:00.000Z"
	if got := eval[string](p, `document.querySelector(".host-days time").dateTime`); got != newest {
		t.Errorf("the first time is %s, want %s", got, newest)
	}
}

// testActivityFilters: the filters for person, action and module work alone and together. A person's menu
// leads to their activity.
func testActivityFilters(t *testing.T, d *activityHouse) {
	h := d.front(t)
	h.session = d.coordinator
	p := h.open("/#/admin/people", desktop)
	p.chooseMenuItem("More for Reader (1)", "Activity")
	p.waitForHeading("Activity")
	p.waitForEntries(3) // invited, joined, given a permission
	choose := func(field, text, option string) {
		t.Helper()
		p.enter("combobox", field, text)
		p.waitForOption(option)
		p.key("\r")
	}
	choose("Action", "joined", "Person joined")
	p.waitForEntries(1)
	choose("Module", "stage", "Stage")
	p.waitForText("No change matches.")
	p.click("button", "Show everything")
	p.waitForText("Coordinator erased an erased person")
	p.waitForText("Owner invited Reader (1)")
	choose("Module", "stage", "Stage")
	p.waitForEntries(1)
	p.waitForText("The operator switched Stage on")
	choose("Person", "coord", "Coordinator")
	p.waitForText("No change matches.")
	choose("Module", "rota", "Rota")
	p.waitForEntries(1)
	p.waitForText("Coordinator changed settings of Rota")
}

// testActivitySentences: every action that the platform records has a sentence and a name in both languages.
func testActivitySentences(t *testing.T, d *activityHouse) {
	var actions []string
	for file, pattern := range map[string]string{
		"../../docs/reference/activity.md":       "`([a-z]+\\.[a-z_]+)`",
		"../../services/activity/chain/chain.go": `Action\("([a-z]+\.[a-z_]+)"\)`,
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			if !strings.HasPrefix(found[1], "core.") { // else it is the name of a table
				actions = append(actions, found[1])
			}
		}
	}
	slices.Sort(actions)
	actions = slices.Compact(actions)
	if len(actions) < 20 {
		t.Fatalf("found the actions %q, want all that there are", actions)
	}
	everybody := d.addPerson(t, "everybody@example.org", "Everybody")
	var entries []object
	for _, action := range actions {
		entries = append(entries, entryBy(object{"kind": "person", "userId": d.coordinatorID}, action, "person",
			everybody, object{"permissionId": "stage.live.control", "moduleId": "stage", "formerUserId": d.readerID}))
	}
	d.record(t, entries...)
	for language, other := range map[string]string{"": "newer than this page", "de": "noch nicht kennt"} {
		p := openPage(t, "about:blank", desktop)
		p.setLanguage(language)
		h := d.front(t)
		h.session = d.coordinator
		h.load(p, "/#/admin/activity/"+everybody)
		p.waitForEntries(len(actions))
		sentences := p.sentences()
		for at, action := range slices.Backward(actions) {
			sentence := sentences[len(actions)-1-at]
			if strings.Contains(sentence, other) || strings.Contains(sentence, action) {
				t.Errorf("%s in language %q says %q, want a sentence of its own", action, language, sentence)
			}
		}
		names := eval[int](p,
			`document.querySelectorAll(".host-filters .d-combobox")[1].querySelectorAll("[role=option]").length`)
		if names != len(actions) {
			t.Errorf("the filter in language %q offers %d actions, want %d", language, names, len(actions))
		}
	}
}

// testActivityPages: older entries are loaded page by page, and new ones appear without a reload.
func testActivityPages(t *testing.T, d *activityHouse) {
	email := d.member(t, "Organiser", "core.house.manage")
	organiser := d.idOf(t, email)
	var entries []object
	for n := range 150 {
		moved := []string{"stage", "rota"}[n%2] // the same one twice would be one line
		entries = append(entries,
			entryBy(object{"kind": "person", "userId": organiser}, "navigation.changed", "module", moved, nil))
	}
	d.record(t, entries...)
	_, p := d.open(t, "/"+organiser)
	p.waitForText("The newest 100 changes")
	p.click("button", "Show more")
	p.waitForEntries(150)
	p.waitForText("150 changes")
	p.waitForNone("button", "Show more")
	d.as(t, d.signIn(t, email), "PUT", "/api/v1/house",
		object{"name": "Hill Street", "accent": "blue", "language": "en", "timeZone": nil,
			"secondFactor": "optional",
			"rev":          d.call(t, "GET", "/api/v1/house", nil)["rev"]})
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("Organiser changed name, colour or language of the house")
}

// testActivityHolders: for a permission and a day the page shows who held it then, and nobody who was given
// it later.
func testActivityHolders(t *testing.T, d *activityHouse) {
	const permission = "stage.live.control" // which the reader has been given today
	d.holdsSince(t, d.member(t, "Sound 2"), permission, "2026-11-03")
	_, p := d.open(t, "")
	p.click("radio", "Who could do it")
	p.waitForText("Choose a permission to see who held it at that time.")
	p.runScript(`
		const day = document.querySelector(".host-holders [type=date]");
		day.value = "2026-11-10";
		day.dispatchEvent(new Event("input", { bubbles: true }));`)
	p.waitFor(`document.querySelector(".host-holders [type=date]").value === "2026-11-10"`)
	p.runScript(`
		await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
		const time = document.querySelector(".host-holders [type=time]");
		time.value = "12:00";
		time.dispatchEvent(new Event("input", { bubbles: true }));`)
	p.enter("combobox", "Permission", permission)
	p.key("\r")
	p.waitForText("1 person held it")
	p.waitForText("Sound 2")
	p.assertNoText("Reader (1)")
	p.waitForText("The owner could do it, too")
}

// testActivityReader: for a person with only the permission for this screen, it requests nothing that they
// may not read.
func testActivityReader(t *testing.T, d *activityHouse) {
	const seeActivity = "core.activity.read"
	email, h := d.member(t, "Auditor", seeActivity), d.front(t)
	p := h.openAs(email, "/#/admin/activity", desktop)
	p.waitForHeading("Activity")
	waitForEntry(p)
	p.waitForNone("radio", "Who could do it")
	p.enter("combobox", "Person", "read")
	p.key("\r")
	p.waitForEntries(3)
	for _, asked := range h.requests() {
		if strings.Contains(asked, "/people") || strings.Contains(asked, "/permissions") {
			t.Errorf("asked %s without the permission for it", asked)
		}
	}
	d.revoke(t, email, seeActivity)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("You no longer have access (See who changed what).")
}

// testActivityFails: a failed request is reported, and the entries loaded before stay.
func testActivityFails(t *testing.T, d *activityHouse) {
	h, p := d.open(t, "")
	p.offline(true)
	p.click("combobox", "Action")
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("You are offline. Nothing is lost, nothing is saved yet.")
	p.waitForText("The operator switched Stage on")
	p.offline(false)
	h.respond("GET /api/v1/activity", 503, `{"code":"STORE_UNAVAILABLE"}`)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("That did not work just now.")
	h.restore("GET /api/v1/activity")
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitFor(`!document.querySelector(".host-stale")`)
}

// testActivityRightToLeft: in a right-to-left language an entry begins at the right with its time. Keys of
// settings stay left to right, and a name does not change the order of the text around it.
func testActivityRightToLeft(t *testing.T, d *activityHouse) {
	h := d.front(t)
	h.session = d.coordinator
	p := openPage(t, "about:blank", desktop)
	p.setLanguage("ar-XB")
	h.load(p, "/#/admin/activity")
	waitForEntry(p)
	p.waitForText("Reader (1)")
	for _, v := range []view{desktop, narrow} {
		p.setView(v)
		p.assertFits()
		wrong := eval[[]string](p, `[...document.querySelectorAll(".host-days li")].filter((entry) => {
			const edge = (selector) => entry.querySelector(selector).getBoundingClientRect();
			const [time, tile, text] = [edge("time"), edge(".d-tile"), edge("p")];
			return time.right < tile.right || tile.left < text.right;
		}).map((entry) => entry.innerText)`)
		if len(wrong) > 0 {
			t.Errorf("%d px wide: %q do not begin on the right with time and picture", v.width, wrong)
		}
	}
	// Each name has its own direction, so that a bracket in it stays at its end.
	plain := eval[[]string](p, `[...document.querySelectorAll(".host-days li p *")].filter((part) =>
		part.childElementCount === 0 && part.innerText.includes("Reader (1)") && part.closest("bdi") === null)
		.map((part) => part.outerHTML)`)
	if len(plain) > 0 {
		t.Errorf("names without a direction of their own: %q", plain)
	}
	places := eval[[]float64](p, `(() => {
		const keys = [...document.querySelectorAll(".host-days li bdi")].flatMap((part) => [...part.childNodes])
			.find((node) => node.data?.includes("teamName"));
		const at = keys.data.indexOf("teamName");
		return [0, 7].map((letter) => {
			const range = document.createRange();
			range.setStart(keys, at + letter);
			range.setEnd(keys, at + letter + 1);
			return range.getBoundingClientRect().left;
		});
	})()`)
	if places[0] >= places[1] {
		t.Errorf("the letters of teamName are at %v, want them from left to right", places)
	}
}

// testActivityOfOneDay: Activity shows what happened last Tuesday: who was invited, which module and group
// were moved, and what was repeated as one line.
func testActivityOfOneDay(t *testing.T, d *activityHouse) {
	const tuesday = "2026-11-17"
	d.ageActivity(t, "2026-11-03") // what other tests have recorded
	owner := d.signIn(t, "owner@example.org")
	put := func(path string, body object) {
		t.Helper()
		d.as(t, owner, "PUT", "/api/v1/dashboard/navigation/"+path, body)
	}
	token := d.invite(t, owner, "bert@example.org")
	put("groups/worship", object{"label": "Worship", "order": 1})
	put("placements/rota", object{"groupId": "worship", "order": 1})
	for n := range 15 {
		put("placements/rota", object{"groupId": "worship", "order": n + 2})
	}
	d.ageActivity(t, tuesday)
	d.join(t, token, "Bert Keller")
	d.invite(t, owner, "zoe@example.org")

	p := d.openIn(t, chromium, owner, "/#/admin/activity", desktop)
	p.waitForText("invited somebody who has not joined")
	p.screenshot("people-activity")
	p.enterDay("Day", tuesday)
	p.waitFor(`document.querySelectorAll(".host-days h2").length === 1`)
	want := []string{
		"Owner moved Rota in the navigation",
		"Owner moved Rota into the group Worship in the navigation",
		"Owner added the group Worship to the navigation",
		"Owner invited Bert Keller",
	}
	if got := p.sentences(); !slices.Equal(got, want) {
		t.Errorf("on Tuesday there is %q, want %q", got, want)
	}
	p.waitForText("15 times")
	p.screenshot("people-activity-day")
	p.enterDay("Day", "2026-11-18")
	p.waitForText("No change matches.")
	p.click("button", "Show everything")
	p.waitForText("Bert Keller joined")
	p.assertAccessible("Activity with a day")
}

// enterDay types a day into a date field.
func (p *tab) enterDay(label, day string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`[...document.querySelectorAll("label")].some((one) => one.innerText === %q)`, label))
	p.runScript(fmt.Sprintf(`
		const label = [...document.querySelectorAll("label")].find((one) => one.innerText === %q);
		label.control.value = %q;
		label.control.dispatchEvent(new Event("input", { bubbles: true }))`, label, day))
}
