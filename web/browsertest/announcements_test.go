package browsertest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// chooseMenuItem opens a menu and clicks one of its items.
func (p *tab) chooseMenuItem(menu, item string) {
	p.t.Helper()
	p.click("button", menu)
	p.click("menuitem", item)
}

// startNotices starts a house with one notice of each standing: live, scheduled, not published, ended.
func startNotices(t *testing.T) *devServer {
	t.Helper()
	d := startHouse(t)
	d.exec(t, `DELETE FROM module_announcements.slides`)
	now := time.Now()
	for _, notice := range []object{
		{"title": "Welcome", "body": "Coffee and tea are served in the foyer after the service.", "enabled": true},
		{"title": "Shared lunch", "body": "Bring something to share.\nWe eat at half past twelve.", "enabled": true,
			"startsAt": timestamp(now.Add(48 * time.Hour))},
		{"title": "Choir practice", "body": "Thursday 19:00 in the hall.", "enabled": false},
		{"title": "Building fund", "enabled": true, "startsAt": timestamp(now.Add(-240 * time.Hour)),
			"endsAt": timestamp(now.Add(-24 * time.Hour))},
	} {
		d.call(t, "POST", announcementsRoot+"/slides", notice)
	}
	return d
}

// noticeIDs returns the ids of the notices in their order.
func (d *devServer) noticeIDs(t *testing.T) []string {
	t.Helper()
	return strings.Split(d.query(t, `
		SELECT string_agg(id::text, ' ' ORDER BY position, id) FROM module_announcements.slides`), " ")
}

// noticeTitles returns the titles of the notices in their order.
func (d *devServer) noticeTitles(t *testing.T) []string {
	t.Helper()
	return strings.Split(d.query(t, `
		SELECT string_agg(title, '|' ORDER BY position, id) FROM module_announcements.slides`), "|")
}

// moveAsAnother moves the last notice to the top, as another person would.
func (d *devServer) moveAsAnother(t *testing.T) {
	t.Helper()
	ids := d.noticeIDs(t)
	rev := d.call(t, "GET", announcementsRoot+"/slides", nil)["rev"]
	d.call(t, "PUT", announcementsRoot+"/slides/"+ids[len(ids)-1]+"/place", object{"after": nil, "rev": rev})
}

// renameAsAnother changes the title of a notice, as another person would.
func (d *devServer) renameAsAnother(t *testing.T, id, title string) {
	t.Helper()
	slides := d.call(t, "GET", announcementsRoot+"/slides", nil)["slides"].([]any)
	at := slices.IndexFunc(slides, func(slide any) bool { return slide.(map[string]any)["id"] == id })
	fields := object{}
	for _, field := range []string{"rev", "body", "enabled", "startsAt", "endsAt"} {
		fields[field] = slides[at].(map[string]any)[field]
	}
	fields["title"] = title
	d.call(t, "PUT", announcementsRoot+"/slides/"+id, fields)
}

const (
	manageNotices = "announcements.slides.manage"
	writeRoute    = "PUT " + announcementsRoot + "/slides/*"
)

// revoke takes a permission from a person.
func (d *devServer) revoke(t *testing.T, email, permission string) {
	t.Helper()
	d.query(t, `DELETE FROM core.permission_grant g USING core.person p
		WHERE g.person_id = p.id AND p.email = $1 AND g.permission_id = $2 RETURNING p.email`, email, permission)
}

// TestAnnouncements creates, changes, publishes, orders and deletes notices.
func TestAnnouncements(t *testing.T) {
	t.Parallel()
	d := startNotices(t)
	h := d.front(t)
	p := h.openAs(d.member(t, "Ada", manageNotices), "/#/m/announcements", desktop)
	p.waitForHeading("Announcements")
	p.find("link", "Welcome")
	chips := eval[string](p, `[...document.querySelectorAll(".d-chip")].map((chip) => chip.textContent).join()`)
	if chips != "Live,Scheduled,Not published,Ended" {
		t.Errorf("standing: %s", chips)
	}

	p.click("button", "Write a notice")
	p.waitForHeading("New notice")
	p.click("button", "Save")
	p.waitForText("A notice needs a title.")
	p.waitFor(`document.activeElement === document.querySelector(".announcements [required]")`)
	p.fill("Title", "Harvest")
	p.fill("Text", "Bring apples.")
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	p.waitForHeading("Announcements")
	p.click("link", "Harvest")
	p.fill("Title", "Harvest supper")
	p.click("button", "Save")
	p.find("link", "Harvest supper")
	p.click("button", "Take down Harvest supper")
	p.waitForAnnouncement("Harvest supper is taken down")
	p.click("button", "Publish Harvest supper")
	p.waitForAnnouncement("Harvest supper is published")

	p.click("button", "Undo")
	p.waitForAnnouncement("Harvest supper is taken down")
	p.click("button", "Undo")
	p.waitForAnnouncement("Harvest supper is published")

	p.chooseMenuItem("More for Harvest supper", "Move up")
	p.waitForAnnouncement("Harvest supper moved, position 4 of 5")
	p.waitFor(`document.activeElement.getAttribute("aria-label") === "More for Harvest supper"`)
	p.runScript(`document.querySelector("[aria-label='Move Harvest supper']").focus()`)
	open := h.hold(writeRoute)
	p.key(kb.ArrowUp, chromedp.ModifierAlt)
	p.key(kb.ArrowUp, chromedp.ModifierAlt) // while the first move is being sent
	open()
	p.waitForAnnouncement("Harvest supper moved, position 2 of 5")
	p.waitFor(`document.activeElement.getAttribute("aria-label") === "Move Harvest supper"`)
	if titles := d.noticeTitles(t); !slices.Equal(titles,
		[]string{"Welcome", "Harvest supper", "Shared lunch", "Choir practice", "Building fund"}) {
		t.Errorf("order: %q", titles)
	}
	h.restore(writeRoute)
	open = h.hold(writeRoute)
	moves := func() (n int) {
		for _, request := range h.requests() {
			if strings.HasSuffix(request, "/place") {
				n++
			}
		}
		return n
	}
	before := moves()
	p.key(kb.ArrowUp, chromedp.ModifierAlt)
	p.waitUntil("the move is sent", func() bool { return moves() > before })
	d.moveAsAnother(t)
	open()
	p.waitForAnnouncement("The notices have changed meanwhile. Not moved. Try again.")
	h.restore(writeRoute)
	p.waitFor(`[...document.querySelectorAll(".notice a")].map((title) => title.textContent).join() ===
		"Building fund,Welcome,Harvest supper,Shared lunch,Choir practice"`)

	p.click("link", "Harvest supper")
	p.click("button", "Delete …")
	p.click("button", "Keep it")
	p.click("button", "Delete …")
	p.find("dialog", "Delete this notice?")
	p.runScript(`document.querySelector("dialog .d-danger").click()`)
	p.waitForAnnouncement("Deleted")
	p.waitForNone("link", "Harvest supper")
}

// TestNotices uses the notices of one house.
func TestNotices(t *testing.T) {
	t.Parallel()
	d := startNotices(t)
	for name, test := range map[string]func(t *testing.T, d *devServer){
		"Conflict":              testNoticeConflict,
		"Draft":                 testNoticeDraft,
		"ForReaders":            testNoticesForReaders,
		"Unsaved":               testUnsavedNotice,
		"EditorIsNotForReaders": testEditorIsNotForReaders,
		"ReadersSeeStanding":    testReadersSeeStanding,
		"RefusedWritesAreSeen":  testRefusedWritesAreSeen,
		"ScreensOfOthers":       testScreensOfOthers,
		"ManyNavigations":       testManyNavigations,
	} {
		t.Run(name, func(t *testing.T) {
			if name == "ManyNavigations" {
				leaveToProof(t, "it goes from page to page many times")
			}
			t.Parallel()
			test(t, d)
		})
	}
}

// testNoticeConflict: a person cannot overwrite another's changes unknowingly, and no text is lost.
func testNoticeConflict(t *testing.T, d *devServer) {
	contested := d.call(t, "POST", announcementsRoot+"/slides",
		object{"title": "Contested", "enabled": false})["id"].(string)
	h := d.front(t)
	p := h.openAs(d.member(t, "Ada", manageNotices), "/#/m/announcements", phone)
	p.click("link", "Contested")
	p.fill("Title", "Mine")
	d.renameAsAnother(t, contested, "Theirs")
	p.click("button", "Save")
	p.waitForText("Somebody else has changed this notice meanwhile.")
	p.click("button", "Take the other version")
	p.waitFor(`document.querySelector(".announcements [required]").value === "Theirs"`)
	p.fill("Title", "Mine")
	d.renameAsAnother(t, contested, "Theirs again")
	open := h.hold("GET " + announcementsRoot + "/slides")
	p.click("button", "Save")
	p.waitForText("Somebody else has changed this notice meanwhile.")
	if eval[bool](p, `document.body.innerText.includes("Save my version")`) {
		t.Error("the version of before is offered, until the other one was read")
	}
	open()
	p.click("button", "Save my version")
	p.find("link", "Mine")
	const title = `SELECT title FROM module_announcements.slides WHERE id = $1::uuid`
	if saved := d.query(t, title, contested); saved != "Mine" {
		t.Errorf("saved: %s", saved)
	}
}

// testNoticeDraft: an unfinished notice is kept after visiting another page and after a refused save.
func testNoticeDraft(t *testing.T, d *devServer) {
	email := d.member(t, "Ada", manageNotices)
	p := d.front(t).openAs(email, "/#/m/announcements/new", desktop)
	p.fill("Title", "Half")
	d.revoke(t, email, manageNotices)
	p.click("button", "Save")
	p.waitForText("You no longer have access (announcements.slides.manage).")
	d.grant(t, d.query(t, `SELECT id::text FROM core.person WHERE email = $1`, email), manageNotices, "NULL")
	p.click("link", "Stage")
	p.waitForHeading("Stage")
	p.waitForAnnouncement("Your draft is kept.")
	p.click("link", "Announcements")
	p.click("button", "Write a notice")
	p.waitFor(`document.querySelector(".announcements [required]").value === "Half"`)
	p.click("button", "Cancel")
	p.find("dialog", "Discard what you have typed?")
	p.click("button", "Stay")
	p.waitFor(`document.querySelector(".announcements [required]").value === "Half"`)
	p.click("button", "Cancel")
	p.find("dialog", "Discard what you have typed?")
	p.runScript(`document.querySelector("dialog .d-danger").click()`)
	p.waitForHeading("Announcements")
	p.click("button", "Write a notice")
	p.waitFor(`document.querySelector(".announcements [required]").value === ""`)
}

// testScreensOfOthers: the groups of screens that other notices name are offered, each once, however it is
// written.
func testScreensOfOthers(t *testing.T, d *devServer) {
	for title, screens := range map[string][]string{"Coats": {"Foyer", "Hall"}, "Shoes": {"hall"}} {
		d.call(t, "POST", announcementsRoot+"/slides", object{"title": title,
			"only": object{"weekdays": []int{}, "hours": nil, "screens": screens}})
	}
	p := d.front(t).openAs(d.member(t, "Ada", manageNotices), "/#/m/announcements/new", desktop)
	p.fill("Title", "Umbrellas")
	p.fill("Only on these screens optional", "kitchen, foyer")
	p.find("group", "Screens that other notices name")
	if boxes := len(p.findAll("checkbox", "Foyer")) + len(p.findAll("checkbox", "Hall")) +
		len(p.findAll("checkbox", "hall")); boxes != 2 {
		t.Errorf("%d groups of screens are offered, want 2", boxes)
	}
	p.screenshot("announcements-screens")
	p.click("checkbox", "Foyer") // no longer
	p.click("checkbox", "Hall")
	p.click("button", "Save")
	p.find("link", "Umbrellas")
	const saved = `SELECT shown_only->>'screens' FROM module_announcements.slides WHERE title = 'Umbrellas'`
	if got := d.query(t, saved); got != `["kitchen", "Hall"]` && got != `["kitchen", "hall"]` {
		t.Errorf("the notice is for %s", got)
	}
}

// testNoticesForReaders: a person without the permission to write sees no controls for writing.
func testNoticesForReaders(t *testing.T, d *devServer) {
	p := d.front(t).openAs(d.member(t, "Bob"), "/#/m/announcements", phone)
	p.waitForText("Coffee and tea are served in the foyer after the service.")
	if buttons := eval[int](p, `document.querySelectorAll("main button").length`); buttons != 0 {
		t.Errorf("%d buttons", buttons)
	}
}

// testUnsavedNotice: Back and a link leave an unfinished notice at once. The message about it discards it.
func testUnsavedNotice(t *testing.T, d *devServer) {
	for name, leave := range map[string]func(p *tab){
		"back": func(p *tab) { p.runScript(`history.back()`) },
		"list": func(p *tab) { p.click("link", "Announcements") },
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "back")
			t.Parallel()
			p := d.front(t).openAs(d.member(t, "Ada", manageNotices), "/#/m/announcements", desktop)
			p.click("button", "Write a notice")
			p.waitForHeading("New notice")
			p.fill("Title", "Half")
			leave(p)
			p.waitForHeading("Announcements")
			p.waitForAnnouncement("Your draft is kept.")
			p.click("button", "Discard")
			p.click("button", "Write a notice")
			p.waitFor(`document.querySelector("main [required]").value === ""`)
		})
	}
}

// TestManyNotices: of hundreds of notices the list draws one hundred, and further ones when they are asked
// for, because all of them take seconds on a phone. It comes back as long as it was, and ends with the notice
// that was written. A board of any length can be ordered: a move sends only the row and its new neighbour.
func TestManyNotices(t *testing.T) {
	t.Parallel()
	d := startNotices(t)
	d.exec(t, `
		INSERT INTO module_announcements.slides (kind, title, body, position, enabled)
		SELECT 'notice', 'Notice ' || n, '', 1048576 * n, true
		FROM generate_series(5, 500) AS n`)
	p := d.front(t).openAs(d.member(t, "Ada", manageNotices), "/#/m/announcements", desktop)
	drawn := func(p *tab, selector string, count int, last string) {
		t.Helper()
		p.waitFor(fmt.Sprintf(`document.querySelectorAll(%q).length === %d`, selector, count))
		p.waitFor(fmt.Sprintf(`[...document.querySelectorAll(%q)].pop().innerText.includes(%q)`, selector, last))
	}
	const rows, elements = "tbody tr", `document.querySelectorAll("*").length`
	drawn(p, rows, 100, "Notice 100")
	p.waitForText("497 live, 1 scheduled")
	if count := eval[int](p, elements); count > 4000 {
		t.Errorf("a list of 500 notices has %d elements, want at most 4,000", count)
	}
	moveDown(p)
	p.waitForAnnouncement("Welcome moved, position 2 of 500")
	if titles := d.noticeTitles(t)[:3]; !slices.Equal(titles,
		[]string{"Shared lunch", "Welcome", "Choir practice"}) {
		t.Errorf("the board begins with %q after Welcome was moved down", titles)
	}
	p.click("button", "Show more")
	drawn(p, rows, 200, "Notice 200")
	p.click("link", "Notice 150")
	p.waitForHeading("Edit notice")
	p.click("button", "Cancel")
	drawn(p, rows, 200, "Notice 200")
	p.click("button", "Write a notice")
	p.fill("Title", "The newest")
	p.click("button", "Save")
	drawn(p, rows, 501, "The newest")
	p.waitForNone("button", "Show more")

	p.do(chromedp.Reload())
	drawn(p, rows, 100, "Notice 100")
	response, saved := d.send(t, d.signedInOwner(t), "GET", "/api/v1/modules/announcements/export", http.NoBody)
	if response.StatusCode != 200 {
		t.Fatalf("GET the export: status %d, want 200", response.StatusCode)
	}
	d.exec(t, `DELETE FROM module_announcements.slides WHERE title = 'The newest'`)
	p.chooseFile(`input[accept*="json"]`, putFile(t, "notices.json", saved))
	p.waitForText("Notices: 1 new, 0 changed, 500 as they are here.")
	p.click("button", "Import")
	p.waitForAnnouncement("Imported")
	drawn(p, rows, 501, "The newest")

	p = d.front(t).openAs(d.member(t, "Bob"), "/#/m/announcements", phone)
	drawn(p, ".read > li", 100, "Notice 102") // of those before, one is not published, one scheduled
	p.assertFits()
	p.assertAccessible("the first of many notices")
	p.click("button", "Show more")
	drawn(p, ".read > li", 200, "Notice 202")
}

// testEditorIsNotForReaders: a reader who follows a link to the editor is refused at once, not only when
// saving.
func testEditorIsNotForReaders(t *testing.T, d *devServer) {
	for _, subpath := range []string{"new", "edit/" + d.noticeIDs(t)[0]} {
		p := d.front(t).openAs(d.member(t, "Bob"), "/#/m/announcements/"+subpath, phone)
		p.waitForVisibleText("You cannot write notices here (announcements.slides.manage).")
		p.waitForNone("textbox", "Title")
	}
}

// testReadersSeeStanding: a reader sees which notices the board does not show now, and none that are not
// published or whose time has not come.
func testReadersSeeStanding(t *testing.T, d *devServer) {
	p := d.front(t).openAs(d.member(t, "Bob"), "/#/m/announcements", phone)
	p.waitForVisibleText("Welcome")
	p.waitFor(`[...document.querySelectorAll(".d-chip")].map((chip) => chip.textContent).join() === "Ended"`)
	p.assertNoText("Choir practice")
	p.assertNoText("Shared lunch")
}

// testRefusedWritesAreSeen: every refused write in the list of notices is reported visibly.
func testRefusedWritesAreSeen(t *testing.T, d *devServer) {
	const forbidden = "You no longer have access (announcements.slides.manage)."
	welcome := d.noticeIDs(t)[0]
	forbid := func(_ *testing.T, email string, _ *fixture, _ *tab) { d.revoke(t, email, manageNotices) }
	offline := func(_ *testing.T, _ string, _ *fixture, p *tab) { p.offline(true) }
	for name, row := range map[string]struct {
		before func(t *testing.T, email string, h *fixture, p *tab)
		do     func(p *tab)
		after  func(t *testing.T) // while the write waits
		words  string
	}{
		"take down, forbidden": {forbid, takeDown, nil, forbidden},
		"take down, conflict": {nil, takeDown, func(t *testing.T) { d.renameAsAnother(t, welcome, "Welcome") },
			"Somebody else has changed this notice meanwhile."},
		"take down, failed": {func(_ *testing.T, _ string, h *fixture, _ *tab) {
			h.respond(writeRoute, 500, `{"code":"MODULE_FAILED"}`)
		}, takeDown, nil, "That did not work just now."},
		"take down, offline": {offline, takeDown, nil, "You are offline. Nothing is lost, nothing is saved yet."},
		"move, forbidden":    {forbid, moveDown, nil, forbidden},
		"move, conflict":     {nil, moveDown, d.moveAsAnother, "The notices have changed meanwhile."},
		"move, offline":      {offline, moveDown, nil, "You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "take down, conflict", "move, forbidden")
			t.Parallel()
			h, email := d.front(t), d.member(t, "Ada", manageNotices)
			p := h.openAs(email, "/#/m/announcements", desktop)
			p.waitForText("Welcome")
			if row.before != nil {
				row.before(t, email, h, p)
			}
			if row.after == nil {
				row.do(p)
			} else {
				open := h.hold(writeRoute)
				row.do(p)
				p.waitUntil("the write is sent", func() bool {
					return slices.ContainsFunc(h.requests(),
						func(sent string) bool { return strings.HasPrefix(sent, "PUT ") })
				})
				row.after(t)
				open()
			}
			p.waitForVisibleText(row.words)
		})
	}
}

func takeDown(p *tab) { p.click("button", "Take down Welcome") }

func moveDown(p *tab) { p.chooseMenuItem("More for Welcome", "Move down") }
