package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

func TestMain(m *testing.M) { sdktest.Main(m) }

// planner is a person who writes services, in a module that runs in a test.
type planner struct {
	*sdktest.Caller
	t *testing.T
	m *sdktest.Module
}

func startPlanner(t *testing.T) planner {
	t.Helper()
	m := sdktest.Start(t, &stage{}, sdktest.Options{})
	return planner{m.Person(editPlan), t, m}
}

// create sends a request that must create something, and decodes the response.
func (p planner) create(path string, body, into any) {
	p.t.Helper()
	got := p.Do("POST", path, body)
	if got.Status != http.StatusCreated {
		p.t.Fatalf("POST %s %v: %s, want 201", path, body, got)
	}
	got.JSON(into)
}

func (p planner) service(title string, start time.Time) (made service) {
	p.t.Helper()
	p.create("/services", map[string]any{"title": title, "startsAt": stamp(start)}, &made)
	return made
}

func (p planner) item(service, body string) (made item) {
	p.t.Helper()
	p.create("/services/"+service+"/items", body, &made)
	return made
}

func (p planner) song(title string, sections ...string) (made song) {
	p.t.Helper()
	draft := songContent{Title: title, Sections: []section{}}
	for n, text := range sections {
		draft.Sections = append(draft.Sections, section{Label: fmt.Sprint("Verse ", n+1), Text: text})
	}
	p.create("/songs", draft, &made)
	return made
}

func (p planner) read(service string) (read fullService) {
	p.t.Helper()
	p.Do("GET", "/services/"+service, nil).JSON(&read)
	return read
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// TestServicesAreListedByStart: services are listed by their start, upcoming and past ones separately, page
// by page.
func TestServicesAreListedByStart(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	now := time.Now()
	for _, days := range []int{14, -7, 7, 21, -14} {
		p.service(fmt.Sprint("day ", days), now.AddDate(0, 0, days))
	}
	for query, want := range map[string]string{
		"":           "day 7, day 14, day 21",
		"?when=past": "day -7, day -14",
	} {
		var titles []string
		sign := "?"
		if query != "" {
			sign = "&"
		}
		for path := "/services" + query + sign + "limit=2"; path != ""; {
			var page struct {
				Services   []service
				NextCursor *string
			}
			p.m.Person().Do("GET", path, nil).JSON(&page)
			path = ""
			if page.NextCursor != nil {
				path = "/services" + query + sign + "limit=2&cursor=" + *page.NextCursor
			}
			for _, one := range page.Services {
				titles = append(titles, one.Title)
			}
		}
		if got := strings.Join(titles, ", "); got != want {
			t.Errorf("GET /services%s: %s, want %s", query, got, want)
		}
	}
}

// TestItemsKeepTheirOrder: items have the positions 1, 2, 3 ... after every move and deletion. A move with an
// old rev is refused.
func TestItemsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	made := p.service("Sunday", time.Now())
	ids := map[string]string{}
	for _, title := range []string{"a", "b", "c", "d"} {
		ids[title] = p.item(made.ID, `{"kind":"talk","title":"`+title+`","seconds":60}`).ID
	}
	order := func() (titles string) {
		for n, one := range p.read(made.ID).Items {
			titles += one.Title
			if one.Position != int64(n)+1 {
				t.Errorf("item %s has the position %d, want %d", one.Title, one.Position, n+1)
			}
		}
		return titles
	}
	move := func(id, after, want string) {
		t.Helper()
		wanted := map[string]any{"after": nil, "rev": p.read(made.ID).Rev}
		if after != "" {
			wanted["after"] = ids[after]
		}
		if got := p.Do("PUT", "/items/"+ids[id]+"/place", wanted); got.Status != http.StatusOK {
			t.Fatalf("moving %s behind %q: %s, want 200", id, after, got)
		}
		if got := order(); got != want {
			t.Errorf("after moving %s behind %q: %s, want %s", id, after, got, want)
		}
	}
	move("d", "", "dabc")
	move("d", "b", "abdc")
	move("a", "c", "bdca")
	move("b", "d", "dbca")
	seen := p.read(made.ID).Rev
	if got := p.Do("DELETE", "/items/"+ids["b"], nil); got.Status != http.StatusNoContent || order() != "dca" {
		t.Errorf("DELETE of b: %s, then %s; want 204 and dca", got, order())
	}
	for what, wanted := range map[string]struct {
		after  any
		rev    int64
		status int
	}{
		"by an old order":          {nil, seen, http.StatusConflict},
		"behind an item that went": {ids["b"], seen + 1, http.StatusConflict},
		"behind itself":            {ids["a"], seen + 1, http.StatusBadRequest},
	} {
		body := map[string]any{"after": wanted.after, "rev": wanted.rev}
		if got := p.Do("PUT", "/items/"+ids["a"]+"/place", body); got.Status != wanted.status {
			t.Errorf("moving %s: %s, want %d", what, got, wanted.status)
		}
	}
	if got := order(); got != "dca" {
		t.Errorf("refused moves have changed the order to %s, want dca", got)
	}
}

// TestOrderIsCopied: the items of one service are appended to another one, all or none. The first service
// does not change.
func TestOrderIsCopied(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	last, next := p.service("Last Sunday", time.Now()), p.service("Next Sunday", time.Now())
	hymn := p.song("Amazing Grace", "Amazing grace!")
	p.item(last.ID, `{"kind":"song","songId":"`+hymn.ID+`","seconds":240}`)
	p.item(last.ID, `{"kind":"reading","title":"Psalm 23","text":"The Lord is my shepherd","seconds":90}`)
	p.item(next.ID, `{"kind":"notice","title":"Welcome"}`)
	var copied struct{ Items []string }
	p.create("/services/"+next.ID+"/copy", map[string]string{"from": last.ID}, &copied)
	order := func(id string) (all string) {
		for _, one := range p.read(id).Items {
			all += fmt.Sprintf("%d %s %s%s %d; ", one.Position, one.Kind, one.Title, one.Text, one.Seconds)
		}
		return all
	}
	const below = "song  240; 3 reading Psalm 23The Lord is my shepherd 90; "
	if got, want := order(next.ID), "1 notice Welcome 0; 2 "+below; got != want || len(copied.Items) != 2 {
		t.Errorf("the copy has %s and %d new ids, want %s and 2", got, len(copied.Items), want)
	}
	if got := p.read(last.ID); len(got.Items) != 2 || got.Rev != 3 {
		t.Errorf("the service that was copied: %+v, want its two items and rev 3", got)
	}
	for n := 4; n <= maxItems-1; n++ {
		p.item(next.ID, `{"kind":"notice","title":"x"}`)
	}
	for from, want := range map[string]string{
		last.ID: "409 SERVICE_FULL", next.ID: "400 REQUEST_INVALID", "x": "400 REQUEST_INVALID",
		firstID: "404 SERVICE_NOT_FOUND",
	} {
		got := p.Do("POST", "/services/"+next.ID+"/copy", map[string]string{"from": from})
		if status, code, _ := strings.Cut(want, " "); fmt.Sprint(got.Status) != status ||
			got.Body != fmt.Sprintf(`{"code":%q}`, code) {
			t.Errorf("copying %q: %s, want %s", from, got, want)
		}
	}
	if got := len(p.read(next.ID).Items); got != maxItems-1 {
		t.Errorf("after the refusals: %d items, want %d", got, maxItems-1)
	}
}

// TestRefusals: what cannot be shown is refused, and so is an edit of something that somebody else has
// changed meanwhile.
func TestRefusals(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	made := p.service("Sunday", time.Now())
	hymn := p.song("Amazing Grace", "Amazing grace!")
	sung := p.item(made.ID, `{"kind":"song","songId":"`+hymn.ID+`"}`)
	long := strings.Repeat("x", maxText+1)
	items := "/services/" + made.ID + "/items"
	for _, one := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"POST", "/services", `{"title":"","startsAt":"2030-01-06T10:00:00.000Z"}`, 400, "REQUEST_INVALID"},
		{"POST", "/services", `{"title":"x","startsAt":"Sunday"}`, 400, "REQUEST_INVALID"},
		{"PUT", "/services/" + made.ID, `{"title":"x","startsAt":"2030-01-06T10:00:00.000Z","rev":1}`, 409,
			"CONFLICT"},
		{"GET", "/services/" + firstID, "", 404, "SERVICE_NOT_FOUND"},
		{"GET", "/services?when=never", "", 400, "REQUEST_INVALID"},
		{"POST", items, `{"kind":"dance","title":"x"}`, 400, "REQUEST_INVALID"},
		{"POST", items, `{"kind":"talk","title":""}`, 400, "REQUEST_INVALID"},
		{"POST", items, `{"kind":"talk","title":"two\nlines"}`, 400, "REQUEST_INVALID"},
		{"POST", items, `{"kind":"talk","title":"x","seconds":-1}`, 400, "REQUEST_INVALID"},
		{"POST", items, `{"kind":"reading","title":"x","text":"` + long + `"}`, 400, "REQUEST_INVALID"},
		{"POST", items, `{"kind":"reading","title":"x","text":"a\u0007b"}`, 400, "REQUEST_INVALID"},
		{"POST", items, `{"kind":"song","title":"x"}`, 400, "REQUEST_INVALID"},
		{"POST", items, `{"kind":"song","songId":"` + firstID + `"}`, 400, "SONG_UNKNOWN"},
		{"POST", "/services/" + firstID + "/items", `{"kind":"talk","title":"x"}`, 404, "SERVICE_NOT_FOUND"},
		{"POST", "/services/" + firstID + "/copy", `{"from":"` + made.ID + `"}`, 404, "SERVICE_NOT_FOUND"},
		{"PUT", "/items/" + sung.ID, `{"kind":"talk","title":"x","rev":7}`, 409, "CONFLICT"},
		{"PUT", "/items/" + firstID, `{"kind":"talk","title":"x","rev":1}`, 404, "ITEM_NOT_FOUND"},
		{"POST", "/songs", `{"title":"x","sections":[]}`, 400, "REQUEST_INVALID"},
		{"POST", "/songs", `{"title":"x","sections":[{"label":"","text":" "}]}`, 400, "REQUEST_INVALID"},
		{"PUT", "/songs/" + hymn.ID, `{"title":"x","sections":[{"label":"","text":"x"}],"rev":2}`, 409, "CONFLICT"},
		{"DELETE", "/songs/" + hymn.ID, "", 409, "SONG_IN_USE"},
		{"DELETE", "/songs/no-id", "", 404, "SONG_NOT_FOUND"},
	} {
		var body any
		if one.body != "" {
			body = one.body
		}
		got := p.Do(one.method, one.path, body)
		if want := fmt.Sprintf(`{"code":%q}`, one.code); got.Status != one.status || got.Body != want {
			t.Errorf("%s %s %.80s: %s, want %d %s", one.method, one.path, one.body, got, one.status, want)
		}
		if one.method == "GET" {
			continue
		}
		if got := p.m.Person().Do(one.method, one.path, body); got.Status != http.StatusForbidden {
			t.Errorf("%s %s as a reader: %s, want 403", one.method, one.path, got)
		}
	}
	read := p.read(made.ID)
	if len(read.Items) != 1 || read.Rev != 2 || *read.Items[0].SongTitle != "Amazing Grace" {
		t.Errorf("after the refusals: %+v, want the one song", read)
	}
	for n := 1; n < maxItems; n++ {
		p.item(made.ID, `{"kind":"notice","title":"x"}`)
	}
	if got := p.Do("POST", items, `{"kind":"notice","title":"x"}`); got.Body != `{"code":"SERVICE_FULL"}` {
		t.Errorf("item %d: %s, want SERVICE_FULL", maxItems+1, got)
	}
}

// TestSongsAreFound: songs are found by a part of their title, which is not a pattern.
func TestSongsAreFound(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	for _, title := range []string{"Holy, Holy, Holy", "Amazing Grace", "100% grace"} {
		p.song(title, "x")
	}
	if got := p.Do("GET", "/songs?limit=1", nil).Body; !strings.Contains(got, `"sections":1,"rev":1}]`) {
		t.Errorf("GET /songs?limit=1: %s, want the number of sections", got)
	}
	for query, want := range map[string]string{
		"":         "100% grace|Amazing Grace|Holy, Holy, Holy",
		"?q=GRACE": "100% grace|Amazing Grace",
		"?q=0%25":  "100% grace",
		"?q=_":     "",
	} {
		var page struct{ Songs []struct{ Title string } }
		p.Do("GET", "/songs"+query, nil).JSON(&page)
		var titles []string
		for _, one := range page.Songs {
			titles = append(titles, one.Title)
		}
		if got := strings.Join(titles, "|"); got != want {
			t.Errorf("GET /songs%s: %s, want %s", query, got, want)
		}
	}
}

// TestReadersAreTold: all readers of plans are notified of each change, so that they fetch them again.
func TestReadersAreTold(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	reader := p.m.Person().Subscribe(plansChannel)
	p.service("Sunday", time.Now())
	if got := reader.Body + reader.Update(); got != `{"rev":1}{"rev":2}` {
		t.Errorf("the channel %s: %s, want the next rev", plansChannel, got)
	}
}

// TestCapability: other modules can list upcoming services and read one.
func TestCapability(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	now := time.Now()
	last := p.service("last week", now.AddDate(0, 0, -7))
	next := p.service("next week", now.AddDate(0, 0, 7))
	p.service("in two weeks", now.AddDate(0, 0, 14))
	ask := func(method, in string, want ...string) {
		t.Helper()
		var out struct {
			Services []providedService
			Service  *providedService
		}
		if err := p.m.Ask("rota", "stage.services", method, json.RawMessage(in), &out); err != nil {
			t.Fatalf("%s %s: %v", method, in, err)
		}
		if out.Service != nil {
			out.Services = append(out.Services, *out.Service)
		}
		var got []string
		for _, one := range out.Services {
			got = append(got, one.Title)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s %s: %q, want %q", method, in, got, want)
		}
	}
	ask("upcoming", `{}`, "next week", "in two weeks")
	ask("upcoming", `{"limit":1}`, "next week")
	ask("upcoming", `{"from":"`+stamp(now.AddDate(0, 0, -8))+`"}`, "last week", "next week", "in two weeks")
	lastStart, err := json.Marshal(last.StartsAt)
	if err != nil {
		t.Fatal(err)
	}
	ask("upcoming", `{"from":`+string(lastStart)+`,"after":"`+last.ID+`"}`, "next week", "in two weeks")
	ask("upcoming", `{"ids":["`+next.ID+`","`+last.ID+`","no id"]}`, "next week")
	ask("upcoming", `{"ids":["no id"]}`)
	ask("service", `{"id":"`+next.ID+`"}`, "next week")
	ask("service", `{"id":"`+last.ID+`"}`, "last week")
	ask("service", `{"id":"`+firstID+`"}`)
	ask("service", `{"id":"no id"}`)
}

// TestACancelledServiceIsBroughtBack: a cancelled service is in no list but that of the cancelled ones,
// nothing can be done with it but to bring it back, and after a day it is deleted. Other modules learn of
// each state.
func TestACancelledServiceIsBroughtBack(t *testing.T) {
	t.Parallel()
	s := &stage{}
	m := sdktest.Start(t, s, sdktest.Options{})
	p := planner{m.Person(editPlan), t, m}
	made := p.service("Sunday", time.Now().AddDate(0, 0, 3))
	p.item(made.ID, `{"kind":"talk","title":"Sermon","seconds":60}`)
	path := "/services/" + made.ID
	state := func() string {
		out, err := s.states(t.Context(), statesRequest{IDs: []string{made.ID, "no id"}})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, one := range out.Services {
			fmt.Fprintf(&text, "%s %t", one.Title, one.Cancelled)
		}
		return text.String()
	}
	lists := func() (titles string) {
		for _, when := range []string{"upcoming", "past", "cancelled"} {
			var page struct{ Services []service }
			p.Do("GET", "/services?when="+when, nil).JSON(&page)
			titles += fmt.Sprint(" ", when, " ", len(page.Services))
		}
		return titles
	}
	want := func(after, wantLists, wantState string) {
		t.Helper()
		if got, known := lists(), state(); got != wantLists || known != wantState {
			t.Errorf("%s: lists%s, others see %q; want%s and %q", after, got, known, wantLists, wantState)
		}
	}
	want("at first", " upcoming 1 past 0 cancelled 0", "Sunday false")
	if got := p.Do("DELETE", path, nil); got.Status != http.StatusNoContent {
		t.Fatalf("DELETE: %s, want 204", got)
	}
	want("cancelled", " upcoming 0 past 0 cancelled 1", "Sunday true")
	for _, refused := range [][3]string{
		{"GET", path, ""}, {"DELETE", path, ""},
		{"POST", path + "/items", `{"kind":"talk","title":"x","seconds":1}`},
		{"PUT", path, fmt.Sprintf(`{"title":"x","startsAt":%q,"rev":%d}`, stamp(time.Now()), made.Rev)},
	} {
		var body any
		if refused[2] != "" {
			body = refused[2]
		}
		if got := p.Do(refused[0], refused[1], body); got.Status < 400 {
			t.Errorf("%s %s of a cancelled service: %s, want a refusal", refused[0], refused[1], got)
		}
	}
	if got := p.Do("POST", path+"/restore", `{}`); got.Status != http.StatusNoContent {
		t.Fatalf("restore: %s, want 204", got)
	}
	want("brought back", " upcoming 1 past 0 cancelled 0", "Sunday false")
	if items := p.read(made.ID).Items; len(items) != 1 {
		t.Errorf("it has the items %+v, want the sermon", items)
	}
	if got := p.Do("POST", path+"/restore", `{}`); got.Status != http.StatusNotFound {
		t.Errorf("restoring it twice: %s, want 404", got)
	}
	p.Do("DELETE", path, nil)
	if _, err := s.store.db.Exec(t.Context(), `
		UPDATE services SET cancelled_at = now() - interval '25 hours'`); err != nil {
		t.Fatal(err)
	}
	if err := s.forgetCancelled(t.Context()); err != nil {
		t.Fatal(err)
	}
	want("after a day", " upcoming 0 past 0 cancelled 0", "")
}
