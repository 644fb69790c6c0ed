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
