package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// driver is a person who may drive, with a service.
type driver struct {
	*sdktest.Caller
	planner
	service string
}

// startDriver creates a service with a talk and a song of two sections, of which the second is longer than a
// screen.
func startDriver(t *testing.T) driver {
	t.Helper()
	p := startPlanner(t)
	service := p.service("Sunday", time.Now()).ID
	hymn := p.song("Hymn", "one\ntwo", "a\nb\nc\nd\ne\nf\ng\nh")
	p.item(service, `{"kind":"song","songId":"`+hymn.ID+`","seconds":240}`)
	p.item(service, `{"kind":"talk","title":"Sermon","seconds":1200}`)
	return driver{p.m.Person(controlLive), p, service}
}

func (d driver) press(opID string, rev int64, action string) *sdktest.Response {
	return d.Caller.Do("POST", "/live/"+d.service+"/go",
		fmt.Sprintf(`{"opId":%q,"rev":%d,"action":%s}`, opID, rev, action))
}

func (d driver) take() controlUpdate {
	d.t.Helper()
	var now control
	d.Caller.Do("GET", "/live", nil).JSON(&now)
	return d.done(d.Caller.Do("POST", "/live/"+d.service+"/take", fmt.Sprintf(`{"rev":%d}`, now.Live.Rev)))
}

// done decodes the response to a press, or fails the test if it was refused.
func (d driver) done(got *sdktest.Response) (update controlUpdate) {
	d.t.Helper()
	if got.Status != http.StatusOK {
		d.t.Fatalf("driving: %s, want 200", got)
	}
	got.JSON(&update)
	return update
}

// TestDriving: after each press the screen gets everything that it shows, and phones get which press it was.
func TestDriving(t *testing.T) {
	t.Parallel()
	d := startDriver(t)
	wall := d.m.Device(viewDisplay).Subscribe(screenChannel)
	phone := d.Caller.Subscribe(controlChannel)
	var shown screen
	if wall.JSON(&shown); shown.Now != nil || shown.Screen != showLogo {
		t.Errorf("before somebody drives, a screen shows %s, want the logo", wall.Body)
	}
	follow := func(want string) {
		t.Helper()
		text := wall.Update()
		if err := json.Unmarshal([]byte(text), &shown); err != nil || len(text) > 8<<10 {
			t.Fatalf("the update of screens %.200s: %v, %d bytes", text, err, len(text))
		}
		got := "nothing"
		if shown.Now != nil {
			got = shown.Now.Label + ": " + strings.Join(shown.Now.Lines, "/")
		}
		if shown.Next != nil {
			got += " -> " + shown.Next.Label + ": " + shown.Next.Line
		}
		if got != want {
			t.Errorf("screens show %s, want %s", got, want)
		}
	}
	now := d.take()
	follow("Hymn · Verse 1: one/two -> Hymn · Verse 2 1/2: a")
	if got := shown.Timer.EndsAt.Sub(now.Live.ItemSince); got != 4*time.Minute {
		t.Errorf("the timer ends %s after the item has begun, want 4 minutes", got)
	}
	phone.Update()
	for _, one := range []struct{ action, want string }{
		{`"next"`, "Hymn · Verse 2 1/2: a/b/c/d -> Hymn · Verse 2 2/2: e"},
		{`"next"`, "Hymn · Verse 2 2/2: e/f/g/h -> Sermon: Sermon"},
		{`"next"`, "Sermon: Sermon"},
		{`"next"`, "Sermon: Sermon"}, // it is the last step
		{`"previous"`, "Hymn · Verse 2 2/2: e/f/g/h -> Sermon: Sermon"},
		{`"section","section":0`, "Hymn · Verse 1: one/two -> Hymn · Verse 2 1/2: a"},
		{`"previous"`, "Hymn · Verse 1: one/two -> Hymn · Verse 2 1/2: a"},
		{`"screen","screen":"black"`, "Hymn · Verse 1: one/two -> Hymn · Verse 2 1/2: a"},
		{`"message","message":" Car ABC 123 "`, "Hymn · Verse 1: one/two -> Hymn · Verse 2 1/2: a"},
	} {
		op := uuid.NewString()
		answer := d.done(d.press(op, now.Live.Rev, one.action))
		follow(one.want)
		var told controlUpdate
		if err := json.Unmarshal([]byte(phone.Update()), &told); err != nil || told.Ack == nil ||
			*told.Ack != op || told.Live != withPointers(told.Live, answer.Live) || *told.Driver != d.Caller.ID {
			t.Errorf("after %s phones are told %+v, want the answer %+v", one.action, told, answer)
		}
		if answer.Live.Rev != now.Live.Rev+1 || shown.Rev != answer.Live.Rev {
			t.Errorf("after %s the rev is %d, and %d on screens; want %d", one.action, answer.Live.Rev, shown.Rev,
				now.Live.Rev+1)
		}
		now = answer
	}
	if shown.Screen != showBlack || shown.Message != "Car ABC 123" {
		t.Errorf("screens are %s with the message %q, want black and the message", shown.Screen, shown.Message)
	}
	// A reader that connects later gets the same.
	var late screen
	d.m.Device(viewDisplay).Subscribe(screenChannel).JSON(&late)
	if late.ServerTime = shown.ServerTime; fmt.Sprint(late.Now, late.Next, late.Timer, late.Screen, late.Message,
		late.Rev) != fmt.Sprint(shown.Now, shown.Next, shown.Timer, shown.Screen, shown.Message, shown.Rev) {
		t.Errorf("a later snapshot %+v, want %+v", late, shown)
	}
	d.done(d.press(uuid.NewString(), now.Live.Rev, `"end"`))
	follow("nothing")
	if shown.Screen != showLogo {
		t.Errorf("after the end screens show %s, want the logo", shown.Screen)
	}
}

// withPointers returns want with the pointers of got if they point to equal values.
func withPointers(got, want live) live {
	for _, pair := range [][2]**string{{&want.ServiceID, &got.ServiceID}, {&want.ItemID, &got.ItemID}} {
		if *pair[0] != nil && *pair[1] != nil && **pair[0] == **pair[1] {
			*pair[0] = *pair[1]
		}
	}
	return want
}

// together calls f concurrently and counts the responses by status and code.
func together(times int, f func(n int) *sdktest.Response) map[string]int {
	var mu sync.Mutex
	var all sync.WaitGroup
	answers := map[string]int{}
	for n := range times {
		all.Go(func() {
			got := f(n)
			kind := fmt.Sprint(got.Status)
			if got.Status != http.StatusOK {
				kind = got.String()
			}
			mu.Lock()
			defer mu.Unlock()
			answers[kind]++
		})
	}
	all.Wait()
	return answers
}

// TestPressesAtOnce: a press that is sent several times is executed once, and of many presses with the same
// rev one is executed.
func TestPressesAtOnce(t *testing.T) {
	t.Parallel()
	d := startDriver(t)
	const times = 50
	now := d.take()
	op := uuid.NewString()
	same := together(times, func(int) *sdktest.Response { return d.press(op, now.Live.Rev, `"next"`) })
	if same["200"] != times {
		t.Errorf("%d times the same press: %v, want 200 each time", times, same)
	}
	after := d.done(d.press(op, now.Live.Rev, `"next"`))
	if after.Live.Section != 1 || after.Live.Rev != now.Live.Rev+1 {
		t.Errorf("the same press has led to %+v, want one step from %+v", after.Live, now.Live)
	}
	different := together(times, func(int) *sdktest.Response {
		return d.press(uuid.NewString(), after.Live.Rev, `"next"`)
	})
	if different["200"] != 1 || different[`409 {"code":"CONFLICT"}`] != times-1 {
		t.Errorf("%d presses by the same rev: %v, want one 200 and else 409 CONFLICT", times, different)
	}
	if last := d.done(d.press(op, 0, `"next"`)); last.Live.Section != 2 || last.Live.Rev != after.Live.Rev+1 {
		t.Errorf("the presses have led to %+v, want one step from %+v", last.Live, after.Live)
	}
}

// TestPressesOfSeveralProcesses: several processes share the database, which alone decides, because each
// process has its own turn.
func TestPressesOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	first := &stage{}
	p := planner{t: t, m: sdktest.Start(t, first, sdktest.Options{})}
	p.Caller = p.m.Person(editPlan)
	service := p.service("Sunday", time.Now()).ID
	for n := range 20 {
		p.item(service, fmt.Sprintf(`{"kind":"talk","title":"%d"}`, n))
	}
	d := driver{p.m.Person(controlLive), p, service}
	now := d.take()
	const processes = 12
	all := func(sent func(n int) *press) (done int, refused map[string]int) {
		var mu sync.Mutex
		var group sync.WaitGroup
		refused = map[string]int{}
		for n := range processes {
			process := &stage{host: first.host, store: first.store, turn: sdk.NewTurn()}
			group.Go(func() {
				_, err := process.pressAs(t.Context(), d.Caller.ID, service, sent(n))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					done++
				} else {
					refused[err.Error()]++
				}
			})
		}
		group.Wait()
		return done, refused
	}
	same := uuid.NewString()
	done, refused := all(func(int) *press { return &press{OpID: same, Rev: now.Live.Rev, Action: "next"} })
	if after := d.take(); done != processes || after.Live.Rev != now.Live.Rev+1 {
		t.Errorf("%d processes do the same press: %d done, refused %v, rev from %d to %d; want one step",
			processes, done, refused, now.Live.Rev, after.Live.Rev)
	}
	now = d.take()
	done, refused = all(func(int) *press {
		return &press{OpID: uuid.NewString(), Rev: now.Live.Rev, Action: "next"}
	})
	if after := d.take(); done != 1 || refused["CONFLICT"] != processes-1 || after.Live.Rev != now.Live.Rev+1 {
		t.Errorf("%d processes do presses by one rev: %d done, refused %v, rev from %d to %d; want one step",
			processes, done, refused, now.Live.Rev, after.Live.Rev)
	}
}

// TestOneDrives: one person drives at a time, and anybody may take over. Of two who take over at once one
// gets a conflict.
func TestOneDrives(t *testing.T) {
	t.Parallel()
	d := startDriver(t)
	other := d
	other.Caller = d.m.Person(controlLive)
	now := d.take()
	const refused = `409 {"code":"NOT_THE_DRIVER"}`
	if got := other.press(uuid.NewString(), now.Live.Rev, `"next"`); got.String() != refused {
		t.Errorf("a press by somebody else: %s, want 409 NOT_THE_DRIVER", got)
	}
	if again := d.take(); again.Live.Rev != now.Live.Rev {
		t.Errorf("the driver takes control again: rev %d, want %d as before", again.Live.Rev, now.Live.Rev)
	}
	taken := other.take()
	if got := d.press(uuid.NewString(), taken.Live.Rev, `"next"`); got.String() != refused {
		t.Errorf("a press of the former driver: %s, want 409 NOT_THE_DRIVER", got)
	}
	callers := make([]*sdktest.Caller, 20)
	for n := range callers {
		callers[n] = d.m.Person(controlLive)
	}
	answers := together(len(callers), func(n int) *sdktest.Response {
		return callers[n].Do("POST", "/live/"+d.service+"/take", fmt.Sprintf(`{"rev":%d}`, taken.Live.Rev))
	})
	if answers["200"] != 1 || answers[`409 {"code":"CONFLICT"}`] != len(callers)-1 {
		t.Errorf("%d people take control at once: %v, want one 200 and else 409 CONFLICT", len(callers), answers)
	}
	if err := d.m.Erase(callers[0].ID); err != nil {
		t.Error(err)
	}
	var told struct{ You string }
	if other.Caller.Do("GET", "/live", nil).JSON(&told); told.You != other.Caller.ID {
		t.Errorf("GET /live tells that you are %q, want %q", told.You, other.Caller.ID)
	}
}

// TestPressesRefused: an invalid press is refused and changes nothing.
func TestPressesRefused(t *testing.T) {
	t.Parallel()
	d := startDriver(t)
	now := d.take()
	elsewhere := d.planner.service("Elsewhere", time.Now())
	strange := d.item(elsewhere.ID, `{"kind":"talk","title":"x"}`)
	op := uuid.NewString()
	for action, want := range map[string]string{
		`"jump"`:                    `400 {"code":"REQUEST_INVALID"}`,
		`"next","section":1`:        `400 {"code":"REQUEST_INVALID"}`,
		`"section"`:                 `400 {"code":"REQUEST_INVALID"}`,
		`"section","section":-1`:    `400 {"code":"REQUEST_INVALID"}`,
		`"screen","screen":"white"`: `400 {"code":"REQUEST_INVALID"}`,
		`"item","item":"no id"`:     `400 {"code":"REQUEST_INVALID"}`,
		`"message","message":"` + strings.Repeat("x", maxMessage+1) + `"`: `400 {"code":"REQUEST_INVALID"}`,
		`"item","item":"` + strange.ID + `"`:                              `404 {"code":"ITEM_NOT_FOUND"}`,
		`"item","item":"` + firstID + `"`:                                 `404 {"code":"ITEM_NOT_FOUND"}`,
	} {
		if got := d.press(op, now.Live.Rev, action); got.String() != want {
			t.Errorf("the press %.60s: %s, want %s", action, got, want)
		}
	}
	for path, want := range map[string]string{
		"/live/" + elsewhere.ID + "/go": `409 {"code":"NOT_THE_DRIVER"}`,
		"/live/no-id/go":                `404 {"code":"SERVICE_NOT_FOUND"}`,
	} {
		body := fmt.Sprintf(`{"opId":%q,"rev":%d,"action":"next"}`, op, now.Live.Rev)
		if got := d.Caller.Do("POST", path, body); got.String() != want {
			t.Errorf("POST %s: %s, want %s", path, got, want)
		}
		if got := d.m.Person().Do("POST", path, body); got.Status != http.StatusForbidden {
			t.Errorf("POST %s by somebody without the permission: %s, want 403", path, got)
		}
	}
	if got := d.press("no id", now.Live.Rev, `"next"`); got.Status != http.StatusBadRequest {
		t.Errorf("a press without an id: %s, want 400", got)
	}
	if got := d.m.Device(viewDisplay).Subscribe(controlChannel); got.Status != http.StatusForbidden {
		t.Errorf("a screen reads the channel of phones: %d, want 403", got.Status)
	}
	if after := d.take(); after.Live.Rev != now.Live.Rev {
		t.Errorf("refused presses have changed the rev from %d to %d", now.Live.Rev, after.Live.Rev)
	}
}

// TestThePlanChangesMeanwhile: a change of the plan is sent to screens and phones, and the current item is
// kept.
func TestThePlanChangesMeanwhile(t *testing.T) {
	t.Parallel()
	d := startDriver(t)
	now := d.take()
	wall := d.m.Device(viewDisplay).Subscribe(screenChannel)
	items := d.read(d.service).Items
	hymn := *items[0].SongID
	d.planner.Do("PUT", "/songs/"+hymn, `{"title":"New","sections":[{"label":"","text":"only"}],"rev":1}`)
	if got := wall.Update(); !strings.Contains(got, `"lines":["only"]`) {
		t.Errorf("after an edit of the song screens show %s, want its new words", got)
	}
	d.planner.Do("POST", "/services/"+d.service+"/items", `{"kind":"notice","title":"Last"}`)
	wall.Update()
	d.planner.Do("DELETE", "/items/"+items[0].ID, nil)
	if got := wall.Update(); !strings.Contains(got, `"lines":["Sermon"]`) {
		t.Errorf("after the item was deleted screens show %s, want the next one", got)
	}
	d.planner.service("Another", time.Now()) // is not sent to screens
	d.planner.Do("DELETE", "/services/"+d.service, nil)
	if got := wall.Update(); !strings.Contains(got, `"now":null`) || !strings.Contains(got, `"screen":"logo"`) {
		t.Errorf("after the service was deleted screens show %s, want the logo", got)
	}
	if got := d.Caller.Do("GET", "/live", nil); !strings.Contains(got.Body, `"driver":null`) {
		t.Errorf("after the service was deleted GET /live is %s, want no driver", got)
	}
	if got := d.press(uuid.NewString(), now.Live.Rev, `"next"`); got.Status != http.StatusConflict {
		t.Errorf("a press after the service was deleted: %s, want 409", got)
	}
}

// TestTheLongestPlan: the longest plan fits into one message for screens, and into one for phones.
func TestTheLongestPlan(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	wide := "\U0001F54A" // a character of four bytes, the most there are
	service := p.service(strings.Repeat(wide, maxTitle), time.Now()).ID
	word := strings.Repeat(wide, maxWords/maxSections)
	draft := songContent{Title: strings.Repeat(wide, maxTitle)}
	chords := strings.Repeat("[C#m7(b5)/G#]", 20)
	draft.Sections = []section{{"chords", strings.Repeat(chords+strings.Repeat(wide, wholeLine)+"\n", 6)}}
	for range maxSections / 2 {
		draft.Sections = append(draft.Sections, section{strings.Repeat(wide, maxLabel), word[:len(word)/2]})
	}
	var hymn song
	p.create("/songs", draft, &hymn)
	for range maxItems {
		p.item(service, `{"kind":"song","songId":"`+hymn.ID+`","seconds":60}`)
	}
	d := driver{p.m.Person(controlLive), p, service}
	d.take()
	wall := p.m.Device(viewDisplay).Subscribe(screenChannel)
	if len(wall.Body) > 8<<10 {
		t.Errorf("the longest words have %d bytes on screens, want at most 8 KiB", len(wall.Body))
	}
	if phone := d.Caller.Subscribe(controlChannel); phone.Status != http.StatusOK {
		t.Errorf("the longest plan: %s, want a snapshot", phone.String())
	}
}
