package browsertest

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// activityFixture replaces the platform's record of changes.
type activityFixture struct {
	*peopleFixture
	entries []object // newest first
}

func newActivityFixture(t *testing.T, h *fixture, permissions ...string) *activityFixture {
	t.Helper()
	f := &activityFixture{peopleFixture: newPeopleFixture(t, h, permissions...)}
	f.record("2026-11-20T08:15:00.000Z", owner, "person.invited", "invitation", "invitation-1", nil)
	f.record("2026-11-20T09:30:00.000Z", reader, "person.joined", "person", reader, nil)
	f.record("2026-11-21T18:05:00.000Z", "", "module.enabled", "module", "stage", nil)
	f.record("2026-11-21T18:20:00.000Z", person, "configuration.replaced", "module", "rota",
		object{"set": []string{"teamName"}, "changed": []string{"remindDaysBefore"}, "removed": []string{}})
	f.record("2026-11-22T07:00:00.000Z", person, "grant.issued", "person", reader,
		object{"grantId": "grant-9", "permissionId": "stage.live.control"})
	f.record("2026-11-22T07:10:00.000Z", erased, "screen.paired", "screen", "screen-1",
		object{"moduleId": "stage"})
	f.handle("GET /api/v1/activity", f.listEntries)
	return f
}

// record adds the newest entry. An empty actor means the operator.
func (f *activityFixture) record(at, actor, action, kind, id string, details object) {
	who := object{"kind": "person", "userId": actor}
	if actor == "" {
		who = object{"kind": "operator"}
	}
	if details == nil {
		details = object{}
	}
	f.entries = slices.Insert(f.entries, 0, object{"id": fmt.Sprint(len(f.entries) + 1), "at": at,
		"actor": who, "action": action, "subject": object{"kind": kind, "id": id}, "details": details})
}

func (f *activityFixture) listEntries(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := r.URL.Query()
	below, err := strconv.Atoi(asked.Get("cursor"))
	if err != nil {
		below = len(f.entries) + 1
	}
	limit, _ := strconv.Atoi(asked.Get("limit"))
	found, next := []object{}, any(nil)
	for _, entry := range f.entries {
		if number, _ := strconv.Atoi(entry["id"].(string)); number >= below || !matches(entry, asked) {
			continue
		}
		if len(found) == limit {
			next = found[limit-1]["id"]
			break
		}
		found = append(found, entry)
	}
	names := object{}
	for _, one := range f.people {
		if one["name"] != nil {
			names[one["userId"].(string)] = one["name"]
		}
	}
	respondObject(w, 200, object{"entries": found, "people": names, "joined": object{}, "nextCursor": next})
}

func matches(entry object, asked url.Values) bool {
	actor, subject := entry["actor"].(object), entry["subject"].(object)
	fits := func(name string, values ...any) bool {
		return asked.Get(name) == "" || slices.Contains(values, any(asked.Get(name)))
	}
	at := entry["at"].(string)
	if from, to := asked.Get("from"), asked.Get("to"); at < from || to != "" && at >= to {
		return false
	}
	return fits("action", entry["action"]) && fits("userId", actor["userId"], subject["id"]) &&
		fits("subjectKind", subject["kind"]) && fits("subjectId", subject["id"])
}

// activityScreens are the states of the screen Activity.
var activityScreens = []screenCase{
	{"W15-activity", "/#/admin/activity", activityOfHouse, waitForEntry},
	{"W15-filter", "/#/admin/activity", activityOfHouse, func(p *tab) {
		waitForEntry(p)
		p.runScript(`document.querySelectorAll(".host-filters [role=combobox]")[1].click()`)
		p.waitFor(`document.querySelector(".host-filters [role=option]")`)
	}},
	{"W15-no-match", "/#/admin/activity/" + gone, activityOfHouse,
		func(p *tab) { p.waitFor(`document.querySelector("main p.d-row button")`) }},
	{"W15-empty", "/#/admin/activity", func(t *testing.T, h *fixture) {
		newActivityFixture(t, h).entries = nil
	}, func(p *tab) { p.waitFor(`document.querySelector(".d-empty")`) }},
	{"W15-failed", "/#/admin/activity", func(t *testing.T, h *fixture) {
		newActivityFixture(t, h)
		h.respond("GET /api/v1/activity", 503, `{"code":"STORE_UNAVAILABLE"}`)
	}, func(p *tab) { p.waitFor(`document.querySelector("main .d-note[role=alert]")`) }},
	{"W15-holders", "/#/admin/activity", activityOfHouse, func(p *tab) {
		waitForEntry(p)
		p.runScript(`document.querySelectorAll(".d-segments input")[1].click()`)
		p.waitFor(`document.querySelector(".host-holders [role=combobox]")`)
		p.clickSelector(".host-holders [role=combobox]")
		p.key("\r")
		p.waitFor(`document.querySelector(".host-holders .d-list-row")`)
	}},
}

func activityOfHouse(t *testing.T, h *fixture) { newActivityFixture(t, h) }

func waitForEntry(p *tab) { p.waitFor(`document.querySelector(".host-days li")`) }

// TestActivityScreens checks the screen Activity as TestScreens checks the other screens.
func TestActivityScreens(t *testing.T) {
	t.Parallel()
	assertScreens(t, activityScreens)
}

func openActivity(t *testing.T, f *activityFixture, path string) *tab {
	t.Helper()
	p := openPage(t, f.URL+"/#/admin/activity"+path, desktop)
	p.waitForHeading("Activity")
	waitForEntry(p)
	return p
}

// sentences returns the texts of the entries in the order of the page.
func (p *tab) sentences() []string {
	p.t.Helper()
	return eval[[]string](p,
		`[...document.querySelectorAll(".host-days li p:first-child")].map((p) => p.innerText)`)
}

// TestActivity: the page shows plain sentences, newest first, grouped by day, with names instead of ids.
func TestActivity(t *testing.T) {
	t.Parallel()
	f := newActivityFixture(t, newFixture(t))
	p := openActivity(t, f, "")
	p.waitForText("Drive the stage")
	want := []string{
		"An erased person paired a screen for Stage",
		"Coordinator gave Reader 1 the permission Drive the stage",
		"Coordinator changed settings of Rota",
		"The operator switched Stage on",
		"Reader 1 joined",
		"Owner invited somebody who has not joined",
	}
	if got := p.sentences(); !slices.Equal(got, want) {
		t.Errorf("the entries say %q, want %q", got, want)
	}
	p.waitForText("set: teamName; changed: remindDaysBefore")
	days := eval[[]string](p, `[...document.querySelectorAll(".host-days h2")].map((day) => day.innerText)`)
	if len(days) != 3 || !strings.Contains(days[0], "2026") || !strings.HasSuffix(days[0], ")") {
		t.Errorf("the days are %q, want 3, each with its zone", days)
	}
	const newest = "2026-11-22T07:10:00.000Z"
	if got := eval[string](p, `document.querySelector(".host-days time").dateTime`); got != newest {
		t.Errorf("the first time is %s, want %s", got, newest)
	}
}

// TestActivityFilters: the filters for person, action and module work alone and together. A person's menu
// leads to their activity.
func TestActivityFilters(t *testing.T) {
	t.Parallel()
	f := newActivityFixture(t, newFixture(t))
	p := openPeople(t, f.peopleFixture)
	p.chooseMenuItem("More for Reader 1", "Activity")
	p.waitForHeading("Activity")
	p.waitFor(`document.querySelectorAll(".host-days li").length === 2`)
	choose := func(field, text string) {
		t.Helper()
		p.enter("combobox", field, text)
		p.waitFor(`document.querySelector(".host-filters [role=option]")`)
		p.key("\r")
	}
	choose("Action", "joined")
	p.waitFor(`document.querySelectorAll(".host-days li").length === 1`)
	choose("Module", "stage")
	p.waitForText("No change matches.")
	p.click("button", "Show everything")
	p.waitFor(`document.querySelectorAll(".host-days li").length === 6`)
	choose("Module", "stage")
	p.waitFor(`document.querySelectorAll(".host-days li").length === 1`)
	choose("Person", "coord")
	p.waitForText("No change matches.")
	want := "GET /api/v1/activity?limit=100&userId=" + person + "&subjectKind=module&subjectId=stage"
	if n := f.countRequests(want); n == 0 {
		t.Errorf("asked %q, want %s among them", f.requests(), want)
	}
}

// TestActivitySentences: every action that the platform records has a sentence and a name in both languages.
func TestActivitySentences(t *testing.T) {
	t.Parallel()
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
	for language, other := range map[string]string{"": "newer than this page", "de": "noch nicht kennt"} {
		f := newActivityFixture(t, newFixture(t))
		f.entries = nil
		for _, action := range actions {
			f.record("2026-11-22T07:00:00.000Z", person, action, "person", reader,
				object{"permissionId": "stage.live.control", "moduleId": "stage", "formerUserId": owner})
		}
		p := openPage(t, "about:blank", desktop)
		p.setLanguage(language)
		p.do(chromedp.Navigate(f.URL + "/#/admin/activity"))
		p.waitFor(fmt.Sprintf(`document.querySelectorAll(".host-days li").length === %d`, len(actions)))
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

// TestActivityPages: older entries are loaded page by page, and new ones appear without a reload.
func TestActivityPages(t *testing.T) {
	t.Parallel()
	f := newActivityFixture(t, newFixture(t))
	for n := range 150 {
		moved := []string{"stage", "rota"}[n%2] // the same one twice would be one line
		f.record("2026-11-22T08:00:00.000Z", person, "navigation.changed", "module", moved, nil)
	}
	p := openActivity(t, f, "")
	p.waitForText("The newest 100 changes")
	p.click("button", "Show more")
	p.waitFor(`document.querySelectorAll(".host-days li").length === 156`)
	p.waitForText("156 changes")
	p.waitForNone("button", "Show more")
	f.mu.Lock()
	f.record("2026-11-22T09:00:00.000Z", person, "house.changed", "house", "house", nil)
	f.mu.Unlock()
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("Coordinator changed name, colour or language of the house")
}

// TestActivityHolders: for a permission and a day the page shows who held it.
func TestActivityHolders(t *testing.T) {
	t.Parallel()
	f := newActivityFixture(t, newFixture(t))
	p := openActivity(t, f, "")
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
	p.enter("combobox", "Permission", "drive")
	p.key("\r")
	p.waitForText("1 person held it")
	p.waitForText("Sound 1")
	p.waitForText("The owner could do it, too")
	want := "GET /api/v1/grants?limit=200&permissionId=stage.live.control&at=" +
		url.QueryEscape(eval[string](p, `new Date("2026-11-10T12:00").toISOString()`))
	if n := f.countRequests(want); n == 0 {
		t.Errorf("asked %q, want %s among them", f.requests(), want)
	}
}

// TestActivityReader: for a person with only the permission for this screen, it requests nothing that they
// may not read.
func TestActivityReader(t *testing.T) {
	t.Parallel()
	f := newActivityFixture(t, newFixture(t), "core.activity.read")
	p := openActivity(t, f, "")
	p.waitForNone("radio", "Who could do it")
	p.enter("combobox", "Person", "read")
	p.key("\r")
	p.waitFor(`document.querySelectorAll(".host-days li").length === 2`)
	for _, asked := range f.requests() {
		if strings.Contains(asked, "/people") || strings.Contains(asked, "/permissions") {
			t.Errorf("asked %s without the permission for it", asked)
		}
	}
	f.respond("GET /api/v1/activity", 403, `{"code":"PERMISSION_DENIED"}`)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("You no longer have access (See who changed what).")
}

// TestActivityFails: a failed request is reported, and the entries loaded before stay.
func TestActivityFails(t *testing.T) {
	t.Parallel()
	f := newActivityFixture(t, newFixture(t))
	p := openActivity(t, f, "")
	p.offline(true)
	p.click("combobox", "Action")
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("You are offline. Nothing is lost, nothing is saved yet.")
	p.waitForText("The operator switched Stage on")
	p.offline(false)
	f.respond("GET /api/v1/activity", 503, `{"code":"STORE_UNAVAILABLE"}`)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("That did not work just now.")
	f.handle("GET /api/v1/activity", f.listEntries)
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitFor(`!document.querySelector(".host-stale")`)
}

// TestActivityRightToLeft: in a right-to-left language an entry begins at the right with its time. Keys of
// settings stay left to right, and a name does not change the order of the text around it.
func TestActivityRightToLeft(t *testing.T) {
	t.Parallel()
	f := newActivityFixture(t, newFixture(t))
	f.people[3]["name"] = "Reader (1)"
	p := openPage(t, "about:blank", desktop)
	p.setLanguage("ar-XB")
	p.do(chromedp.Navigate(f.URL + "/#/admin/activity"))
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
