package browsertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// noticesFixture replaces the server of the announcements module.
type noticesFixture struct {
	mu     sync.Mutex
	slides []object
	rev    int // of the slides' order
	refuse int // the status of the next write, if it is refused
}

// newNoticesFixture publishes the announcements module with a few notices, for a person who may write them.
func newNoticesFixture(t *testing.T, h *fixture, permissions ...string) *noticesFixture {
	t.Helper()
	script, err := os.ReadFile("../../modules/announcements/ui/index.js")
	if err != nil {
		t.Fatal(err)
	}
	h.setModuleScript("announcements", string(script))
	h.setNavigation(nil, nil,
		group("foyer", "Foyer", module("announcements", "Announcements", object{"permissions": permissions})),
		group("sunday", "Sunday", module("stage", "Stage", nil), module("rota", "Rota", nil)))
	now := time.Now()
	n := &noticesFixture{}
	n.add("Welcome", "Coffee and tea are served in the foyer after the service.", true, nil, nil)
	n.add("Shared lunch", "Bring something to share.\nWe eat at half past twelve.", true, now.Add(48*time.Hour),
		nil)
	n.add("Choir practice", "Thursday 19:00 in the hall.", false, nil, nil)
	n.add("Building fund", "", true, now.Add(-240*time.Hour), now.Add(-24*time.Hour))
	h.handle("GET /api/v1/modules/announcements/slides", n.list)
	h.handle("POST /api/v1/modules/announcements/slides", n.write)
	h.handle("PUT /api/v1/modules/announcements/slides/*", n.write)
	h.handle("DELETE /api/v1/modules/announcements/slides/*", n.remove)
	return n
}

func (n *noticesFixture) add(title, body string, enabled bool, starts, ends any) {
	moment := func(at any) any {
		if at, known := at.(time.Time); known {
			return at.UTC().Format("2006-01-02T15:04:05.000Z")
		}
		return nil
	}
	n.slides = append(n.slides, object{
		"id": fmt.Sprintf("00000000-0000-4000-8000-%012d", len(n.slides)+1), "kind": "notice", "title": title,
		"body": body, "imageId": nil,
		"payload": nil, "startsAt": moment(starts), "endsAt": moment(ends), "position": 1024 * (len(n.slides) + 1),
		"enabled": enabled, "rev": 1,
	})
}

func (n *noticesFixture) list(w http.ResponseWriter, _ *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	text, _ := json.Marshal(object{"slides": n.slides, "rev": n.rev})
	reply(w, 200, string(text))
}

// maxWrite is the limit that the module declares for bodies of writes, in bytes.
const maxWrite = 16 << 10

// refused responds to a write that has to be refused: because of its size, or with the status that the test
// has set.
func (n *noticesFixture) refused(w http.ResponseWriter, r *http.Request) bool {
	if body, _ := io.ReadAll(r.Body); len(body) > maxWrite {
		reply(w, 413, `{"code":"REQUEST_BODY_TOO_LARGE"}`)
		return true
	} else {
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	status := n.refuse
	n.refuse = 0
	if status == 0 {
		return false
	}
	reply(w, status, `{"code":"REFUSED"}`)
	return true
}

func (n *noticesFixture) write(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.refused(w, r) {
		return
	}
	if strings.HasSuffix(r.URL.Path, "/place") {
		n.place(w, r)
		return
	}
	var slide object
	if err := json.NewDecoder(r.Body).Decode(&slide); err != nil {
		reply(w, 400, `{"code":"REQUEST_INVALID"}`)
		return
	}
	if r.Method == "POST" {
		n.add(slide["title"].(string), slide["body"].(string), slide["enabled"].(bool), nil, nil)
		reply(w, 201, `{}`)
		return
	}
	i := n.at(r)
	if n.slides[i]["rev"] != int(slide["rev"].(float64)) {
		reply(w, 409, `{"code":"CONFLICT"}`)
		return
	}
	for field, value := range slide {
		n.slides[i][field] = value
	}
	n.slides[i]["rev"] = int(slide["rev"].(float64)) + 1
	text, _ := json.Marshal(n.slides[i])
	reply(w, 200, string(text))
}

func (n *noticesFixture) at(r *http.Request) int {
	path := strings.TrimSuffix(r.URL.Path, "/place")
	return n.index(path[strings.LastIndex(path, "/")+1:])
}

func (n *noticesFixture) index(id any) int {
	return slices.IndexFunc(n.slides, func(slide object) bool { return slide["id"] == id })
}

func (n *noticesFixture) remove(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.slides = slices.Delete(n.slides, n.at(r), n.at(r)+1)
	w.WriteHeader(204)
}

// place must be called with the lock held.
func (n *noticesFixture) place(w http.ResponseWriter, r *http.Request) {
	var wanted struct {
		After any
		Rev   int
	}
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil || wanted.Rev != n.rev {
		reply(w, 409, `{"code":"CONFLICT"}`)
		return
	}
	from := n.at(r)
	moved := n.slides[from]
	n.slides = slices.Delete(n.slides, from, from+1)
	n.slides = slices.Insert(n.slides, n.index(wanted.After)+1, moved)
	n.rev++
	reply(w, 200, fmt.Sprintf(`{"rev":%d}`, n.rev))
}

func (n *noticesFixture) titles() (titles []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, slide := range n.slides {
		titles = append(titles, slide["title"].(string))
	}
	return titles
}

// chooseMenuItem opens a menu and clicks one of its items.
func (p *tab) chooseMenuItem(menu, item string) {
	p.t.Helper()
	p.click("button", menu)
	p.click("menuitem", item)
}

// TestAnnouncements creates, changes, publishes, orders and deletes notices.
func TestAnnouncements(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	n := newNoticesFixture(t, h, "announcements.slides.read", "announcements.slides.manage")
	p := openPage(t, h.URL+"/#/m/announcements", desktop)
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
	p.key(kb.ArrowUp, chromedp.ModifierAlt)
	p.waitForAnnouncement("Harvest supper moved, position 3 of 5")
	p.waitFor(`document.activeElement.getAttribute("aria-label") === "Move Harvest supper"`)
	if titles := n.titles(); !slices.Equal(titles,
		[]string{"Welcome", "Shared lunch", "Harvest supper", "Choir practice", "Building fund"}) {
		t.Errorf("order: %q", titles)
	}
	n.mu.Lock()
	n.refuse = 409
	n.mu.Unlock()
	p.key(kb.ArrowUp, chromedp.ModifierAlt)
	p.waitForAnnouncement("The notices have changed meanwhile. Not moved. Try again.")
	p.waitFor(
		`[...document.querySelectorAll(".notice a")].findIndex((title) => title.textContent === "Harvest ` +
			`supper") === 2`,
	)

	p.click("link", "Harvest supper")
	p.click("button", "Delete …")
	p.click("button", "Keep it")
	p.click("button", "Delete …")
	p.find("dialog", "Delete this notice?")
	p.runScript(`document.querySelector("dialog .d-danger").click()`)
	p.waitForAnnouncement("Deleted")
	p.waitForNone("link", "Harvest supper")
}

// TestAnnouncementsConflict: a person cannot overwrite another's changes unknowingly, and no text is lost.
func TestAnnouncementsConflict(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	n := newNoticesFixture(t, h, "announcements.slides.read", "announcements.slides.manage")
	p := openPage(t, h.URL+"/#/m/announcements", phone)
	other := func(title string) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.slides[0]["title"], n.slides[0]["rev"] = title, n.slides[0]["rev"].(int)+1
	}
	p.click("link", "Welcome")
	p.fill("Title", "Mine")
	other("Theirs")
	p.click("button", "Save")
	p.waitForText("Somebody else has changed this notice meanwhile.")
	p.click("button", "Show the other version")
	p.waitFor(`document.querySelector(".announcements [required]").value === "Theirs"`)
	p.fill("Title", "Mine")
	other("Theirs again")
	p.click("button", "Save")
	p.click("button", "Save my version")
	p.find("link", "Mine")
	if title := n.titles()[0]; title != "Mine" {
		t.Errorf("saved: %s", title)
	}
}

// TestAnnouncementsDraft: an unfinished notice is kept after visiting another page and after a refused save.
func TestAnnouncementsDraft(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	n := newNoticesFixture(t, h, "announcements.slides.read", "announcements.slides.manage")
	p := openPage(t, h.URL+"/#/m/announcements/new", desktop)
	p.fill("Title", "Half")
	n.mu.Lock()
	n.refuse = 403
	n.mu.Unlock()
	p.click("button", "Save")
	p.waitForText("You no longer have access (announcements.slides.manage).")
	p.click("link", "Stage")
	p.click("button", "Leave")
	p.waitForHeading("Stage")
	p.click("link", "Announcements")
	p.click("button", "Write a notice")
	p.waitFor(`document.querySelector(".announcements [required]").value === "Half"`)
	p.click("button", "Cancel")
	p.click("button", "Leave")
	p.click("button", "Write a notice")
	p.waitFor(`document.querySelector(".announcements [required]").value === ""`)
}

// TestAnnouncementsForReaders: a person without the permission to write sees no controls for writing.
func TestAnnouncementsForReaders(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	newNoticesFixture(t, h, "announcements.slides.read")
	p := openPage(t, h.URL+"/#/m/announcements", phone)
	p.waitForText("Coffee and tea are served in the foyer after the service.")
	if buttons := eval[int](p, `document.querySelectorAll("main button").length`); buttons != 0 {
		t.Errorf("%d buttons", buttons)
	}
}

// TestUnsavedNotice: every way to leave an unfinished notice asks first.
func TestUnsavedNotice(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(p *tab){
		"back":   func(p *tab) { p.runScript(`history.back()`) },
		"cancel": func(p *tab) { p.click("button", "Cancel") },
		"list":   func(p *tab) { p.click("link", "Announcements") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			h.setSignedIn(person)
			newNoticesFixture(t, h, "announcements.slides.read", "announcements.slides.manage")
			p := openPage(t, h.URL+"/#/m/announcements", desktop)
			p.click("button", "Write a notice")
			p.waitForHeading("New notice")
			p.fill("Title", "Half")
			leave(p)
			p.find("dialog", "Leave without saving?")
			p.click("button", "Stay")
			p.waitFor(`document.querySelector("main [required]").value === "Half"`)
			leave(p)
			p.find("dialog", "Leave without saving?")
			p.click("button", "Leave")
			p.waitForHeading("Announcements")
		})
	}
}

// TestMoveAmongManyNotices: a board of any length can be ordered, because a move sends only the row and its
// new neighbour.
func TestMoveAmongManyNotices(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	n := newNoticesFixture(t, h, "announcements.slides.read", "announcements.slides.manage")
	for i := len(n.slides); i < 500; i++ {
		n.add(fmt.Sprintf("Notice %d", i+1), "", true, nil, nil)
	}
	p := openPage(t, h.URL+"/#/m/announcements", desktop)
	p.waitForText("Notice 500")
	moveDown(p)
	p.waitForAnnouncement("Welcome moved, position 2 of 500")
	if titles := n.titles()[:3]; !slices.Equal(titles, []string{"Shared lunch", "Welcome", "Choir practice"}) {
		t.Errorf("the board begins with %q after Welcome was moved down", titles)
	}
}

// TestEditorIsNotForReaders: a reader who follows a link to the editor is refused at once, not only when
// saving.
func TestEditorIsNotForReaders(t *testing.T) {
	t.Parallel()
	for _, subpath := range []string{"new", "edit/00000000-0000-4000-8000-000000000001"} {
		h := newFixture(t)
		h.setSignedIn(person)
		newNoticesFixture(t, h, "announcements.slides.read")
		p := openPage(t, h.URL+"/#/m/announcements/"+subpath, phone)
		p.waitForVisibleText("You cannot write notices here (announcements.slides.manage).")
		p.waitForNone("textbox", "Title")
	}
}

// TestReadersSeeStanding: a reader sees which notices the board does not show now.
func TestReadersSeeStanding(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	n := newNoticesFixture(t, h, "announcements.slides.read")
	n.slides = slices.Delete(n.slides, 2, 3) // a reader does not receive unpublished notices
	p := openPage(t, h.URL+"/#/m/announcements", phone)
	p.waitForVisibleText("Welcome")
	p.waitFor(`[...document.querySelectorAll(".d-chip")].map((chip) => chip.textContent).join() === ` +
		`"Scheduled,Ended"`)
}
