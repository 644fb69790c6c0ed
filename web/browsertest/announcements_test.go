package browsertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// notices stands in for the server side of the announcements module.
type notices struct {
	mu     sync.Mutex
	slides []object
	refuse int // a status that the next write gets
}

// board publishes the announcements module with a few notices, for somebody who may write them.
func board(t *testing.T, h *house, permissions ...string) *notices {
	t.Helper()
	script, err := os.ReadFile("../../modules/announcements/ui/index.js")
	if err != nil {
		t.Fatal(err)
	}
	h.script("announcements", string(script))
	h.navigation(nil, nil,
		group("foyer", "Foyer", module("announcements", "Announcements", object{"permissions": permissions})),
		group("sunday", "Sunday", module("stage", "Stage", nil), module("rota", "Rota", nil)))
	now := time.Now()
	n := &notices{}
	n.add("Welcome", "Coffee and tea are served in the foyer after the service.", true, nil, nil)
	n.add("Shared lunch", "Bring something to share.\nWe eat at half past twelve.", true, now.Add(48*time.Hour), nil)
	n.add("Choir practice", "Thursday 19:00 in the hall.", false, nil, nil)
	n.add("Building fund", "", true, now.Add(-240*time.Hour), now.Add(-24*time.Hour))
	h.on("GET /api/v1/modules/announcements/slides", n.list)
	h.on("POST /api/v1/modules/announcements/slides", n.write)
	h.on("PUT /api/v1/modules/announcements/slides/*", n.write)
	h.on("DELETE /api/v1/modules/announcements/slides/*", n.remove)
	h.on("PUT /api/v1/modules/announcements/order", n.order)
	return n
}

func (n *notices) add(title, body string, enabled bool, starts, ends any) {
	moment := func(at any) any {
		if at, known := at.(time.Time); known {
			return at.UTC().Format("2006-01-02T15:04:05.000Z")
		}
		return nil
	}
	n.slides = append(n.slides, object{
		"id": fmt.Sprintf("00000000-0000-4000-8000-%012d", len(n.slides)+1), "kind": "notice", "title": title, "body": body, "imageId": nil,
		"payload": nil, "startsAt": moment(starts), "endsAt": moment(ends), "position": 1024 * (len(n.slides) + 1), "enabled": enabled, "rev": 1,
	})
}

func (n *notices) list(w http.ResponseWriter, _ *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	text, _ := json.Marshal(object{"slides": n.slides})
	reply(w, 200, string(text))
}

// refused answers the status that the next write is to get.
func (n *notices) refused(w http.ResponseWriter) bool {
	status := n.refuse
	n.refuse = 0
	if status == 0 {
		return false
	}
	reply(w, status, `{"code":"REFUSED"}`)
	return true
}

func (n *notices) write(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.refused(w) {
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
	reply(w, 200, `{}`)
}

func (n *notices) at(r *http.Request) int {
	id := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	return slices.IndexFunc(n.slides, func(slide object) bool { return slide["id"] == id })
}

func (n *notices) remove(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.slides = slices.Delete(n.slides, n.at(r), n.at(r)+1)
	w.WriteHeader(204)
}

func (n *notices) order(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.refused(w) {
		return
	}
	var wanted struct{ IDs []string }
	_ = json.NewDecoder(r.Body).Decode(&wanted)
	slices.SortFunc(n.slides, func(a, b object) int {
		return slices.Index(wanted.IDs, a["id"].(string)) - slices.Index(wanted.IDs, b["id"].(string))
	})
	w.WriteHeader(204)
}

func (n *notices) titles() (titles []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, slide := range n.slides {
		titles = append(titles, slide["title"].(string))
	}
	return titles
}

// TestAnnouncements writes, changes, publishes, orders and deletes notices.
func TestAnnouncements(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.signedIn(person)
	n := board(t, h, "announcements.slides.read", "announcements.slides.manage")
	p := open(t, h.URL, desktop)
	p.headed("Announcements")
	p.find("heading", "Welcome")
	if chips := eval[string](p, `[...document.querySelectorAll(".chip")].map((chip) => chip.textContent).join()`); chips != "Live,Scheduled,Not published,Ended" {
		t.Errorf("standing: %s", chips)
	}

	p.press("button", "Write a notice")
	p.headed("New notice")
	p.press("button", "Save")
	p.says("A notice needs a title.")
	p.wait(`document.activeElement.id === "announcements-title"`)
	p.fill("Title", "Harvest")
	p.fill("Text", "Bring apples.")
	p.press("button", "Save")
	p.hears("Saved")
	p.headed("Announcements")
	p.find("heading", "Harvest")

	p.press("button", "Edit Harvest")
	p.fill("Title", "Harvest supper")
	p.press("button", "Save")
	p.find("heading", "Harvest supper")
	p.press("button", "Take down Harvest supper")
	p.hears("Harvest supper is taken down")
	p.press("button", "Publish Harvest supper")
	p.hears("Harvest supper is published")

	p.press("button", "Move Harvest supper up")
	p.hears("Harvest supper moved, position 4 of 5")
	p.wait(`document.activeElement.getAttribute("aria-label") === "Move Harvest supper up"`)
	p.key("\r")
	p.hears("Harvest supper moved, position 3 of 5")
	if titles := n.titles(); !slices.Equal(titles, []string{"Welcome", "Shared lunch", "Harvest supper", "Choir practice", "Building fund"}) {
		t.Errorf("order: %q", titles)
	}
	n.mu.Lock()
	n.refuse = 409
	n.mu.Unlock()
	p.key("\r")
	p.hears("The notices have changed meanwhile. Not moved. Try again.")
	p.wait(`[...document.querySelectorAll(".notice h2")].findIndex((title) => title.textContent === "Harvest supper") === 2`)

	p.press("button", "Edit Harvest supper")
	p.press("button", "Delete")
	p.press("button", "Keep it")
	p.press("button", "Delete")
	p.find("dialog", "Delete this notice?")
	p.run(`document.querySelector("dialog .danger").click()`)
	p.hears("Deleted")
	p.none("heading", "Harvest supper")
}

// TestAnnouncementsConflict: nobody overwrites another unawares, and nobody's words are lost.
func TestAnnouncementsConflict(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.signedIn(person)
	n := board(t, h, "announcements.slides.read", "announcements.slides.manage")
	p := open(t, h.URL, phone)
	other := func(title string) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.slides[0]["title"], n.slides[0]["rev"] = title, n.slides[0]["rev"].(int)+1
	}
	p.press("button", "Edit Welcome")
	p.fill("Title", "Mine")
	other("Theirs")
	p.press("button", "Save")
	p.says("Somebody else has changed this notice meanwhile.")
	p.press("button", "Show theirs")
	p.wait(`document.querySelector("#announcements-title").value === "Theirs"`)
	p.fill("Title", "Mine")
	other("Theirs again")
	p.press("button", "Save")
	p.press("button", "Save mine instead")
	p.find("heading", "Mine")
	if title := n.titles()[0]; title != "Mine" {
		t.Errorf("saved: %s", title)
	}
}

// TestAnnouncementsDraft: what was begun survives a look elsewhere and a refusal.
func TestAnnouncementsDraft(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.signedIn(person)
	n := board(t, h, "announcements.slides.read", "announcements.slides.manage")
	p := open(t, h.URL+"/#/m/announcements/new", desktop)
	p.fill("Title", "Half")
	n.mu.Lock()
	n.refuse = 403
	n.mu.Unlock()
	p.press("button", "Save")
	p.says("You no longer have access (announcements.slides.manage).")
	p.press("link", "Stage")
	p.press("button", "Leave")
	p.headed("Stage")
	p.press("link", "Announcements")
	p.press("button", "Write a notice")
	p.wait(`document.querySelector("#announcements-title").value === "Half"`)
	p.press("button", "Cancel")
	p.press("button", "Write a notice")
	p.wait(`document.querySelector("#announcements-title").value === ""`)
}

// TestAnnouncementsForReaders: who may not write is offered nothing of it.
func TestAnnouncementsForReaders(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.signedIn(person)
	board(t, h, "announcements.slides.read")
	p := open(t, h.URL, phone)
	p.says("Coffee and tea are served in the foyer after the service.")
	if buttons := eval[int](p, `document.querySelectorAll(".module button").length`); buttons != 0 {
		t.Errorf("%d buttons", buttons)
	}
}
