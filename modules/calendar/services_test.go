package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

const (
	morning = "0b6fd4a6-3b9c-4a3c-9d2e-6a6f5f1c2d01"
	evening = "0b6fd4a6-3b9c-4a3c-9d2e-6a6f5f1c2d02"
)

// planning stands in for the module that plans services.
type planning struct {
	mu       sync.Mutex
	services map[string]*plannedService
	last     int64
	down     bool   // it does not answer
	hangs    bool   // it takes longer than anybody waits
	hung     int    // how often somebody waited in vain
	lost     bool   // it does what it is asked, and its answer is lost
	asked    string // the last change that was asked for
}

func (p *planning) set(id, title string, start time.Time, minutes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(id, title, start, minutes, false)
}

func (p *planning) put(id, title string, start time.Time, minutes int64, cancelled bool) *plannedService {
	rev := int64(1)
	if before := p.services[id]; before != nil {
		rev = before.Rev + 1
	}
	p.last++
	p.services[id] = &plannedService{id, title, start, rev, cancelled, minutes, p.last}
	return p.services[id]
}

type planned struct {
	ID    string     `json:"id"`
	Title string     `json:"title"`
	Start time.Time  `json:"start"`
	Was   *titleTime `json:"was"`
}

func (p *planning) change(method string) sdk.MethodHandler {
	return sdk.Func(func(_ context.Context, in planned) (map[string]any, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.down {
			return nil, sdk.ErrCapabilityFailed
		}
		p.asked = method
		now := p.services[in.ID]
		switch {
		case method == "create":
			now = p.put(in.ID, in.Title, in.Start, 0, false)
		case now == nil:
			return map[string]any{"outcome": "missing"}, nil
		case method == "edit" && (now.Title != in.Was.Title || !now.Start.Equal(in.Was.Start)):
			return map[string]any{"outcome": "conflict"}, nil
		case method == "edit":
			now = p.put(in.ID, in.Title, in.Start, now.Minutes, false)
		default:
			now = p.put(in.ID, now.Title, now.Start, now.Minutes, method == "cancel")
		}
		if p.lost {
			return nil, sdk.ErrCapabilityFailed
		}
		return map[string]any{"outcome": "done", "service": now}, nil
	})
}

func (p *planning) changed(ctx context.Context, in map[string]int64) (map[string]any, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hangs {
		p.hung++
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if p.down {
		return nil, sdk.ErrCapabilityFailed
	}
	all := []*plannedService{}
	for number := in["since"] + 1; number <= p.last; number++ {
		for _, one := range p.services {
			if one.Changed == number && len(all) < followPage {
				all = append(all, one)
			}
		}
	}
	return map[string]any{"services": all}, nil
}

// startWithServices starts a calendar beside a module that plans services.
func startWithServices(t *testing.T) (*started, *planning, *sdktest.Caller) {
	t.Helper()
	p := &planning{services: make(map[string]*plannedService)}
	s := &started{module: &calendar{}}
	s.Module = sdktest.Start(t, s.module, sdktest.Options{
		TimeZone: "Europe/Berlin",
		Capabilities: map[string]sdk.Methods{planner: {"changed": sdk.Func(p.changed),
			"create": p.change("create"), "edit": p.change("edit"), "cancel": p.change("cancel"),
			"restore": p.change("restore")}},
	})
	s.office = s.Person(manageEvents, planServices)
	for _, name := range []string{"Church", "Hall"} {
		if got := s.office.Do("POST", "/rooms", map[string]string{"name": name}); got.Status != 201 {
			t.Fatalf("POST /rooms %s: %s, want 201", name, got)
		}
	}
	return s, p, s.office
}

// comingSunday is a day in the near future at ten in Berlin.
func comingSunday() time.Time {
	berlin, _ := time.LoadLocation("Europe/Berlin")
	now := time.Now().In(berlin).AddDate(0, 0, 10)
	return time.Date(now.Year(), now.Month(), now.Day(), 10, 0, 0, 0, berlin)
}

func clock(at time.Time) string { return at.Format(clockForm) }

// lines returns what the calendar shows in two months: "10:00-11:15 Morning [1] waits [2]".
func (s *started) lines(t *testing.T) string {
	t.Helper()
	var lines []string
	w := s.seen(t, soon(0), soon(60))
	for _, o := range w.Occurrences {
		line := fmt.Sprintf("%s-%s %s %v", o.Start[5:], o.End[11:], o.Title, o.Rooms)
		if len(o.Waiting) > 0 {
			line += fmt.Sprint(" waits ", o.Waiting)
		}
		lines = append(lines, line)
	}
	if w.Services != servicesHere {
		lines = append(lines, w.Services)
	}
	return strings.Join(lines, "; ")
}

func (s *started) expect(t *testing.T, when, want string) {
	t.Helper()
	if got := s.lines(t); got != want {
		t.Errorf("%s: %s, want %s", when, got, want)
	}
}

// TestServicesStandInTheCalendar: a service of the other module is in the calendar with its planned length,
// and follows it when it is moved, cancelled and brought back. Its room goes along.
func TestServicesStandInTheCalendar(t *testing.T) {
	t.Parallel()
	s, p, office := startWithServices(t)
	at := comingSunday()
	day, later := clock(at)[5:], clock(at.AddDate(0, 0, 7))[5:]
	p.set(morning, "Morning", at, 72)
	s.expect(t, "a service with a plan", day+"-11:15 Morning []")
	rev := s.seen(t, soon(0), soon(60)).Occurrences[0].Rev
	body := event1("Morning", clock(at), clock(at.Add(90*time.Minute)), "", 1)
	s.write(t, "PUT", "/services/"+morning, with(body, rev), http.StatusOK)
	if p.asked != "" {
		t.Errorf("a room was booked: the other module was asked to %s, want nothing", p.asked)
	}
	s.expect(t, "with a room", day+"-11:30 Morning [1]")
	s.write(t, "POST", "/events", event1("Wedding", clock(at), clock(at.Add(time.Hour)), "", 1),
		http.StatusConflict)
	p.set(morning, "Morning", at.AddDate(0, 0, 7), 72)
	s.expect(t, "moved there", later+"-11:30 Morning [1]")
	s.write(t, "POST", "/events", event1("Wedding", clock(at), clock(at.Add(time.Hour)), "", 1),
		http.StatusCreated)
	p.set(morning, "Morning", at, 72)
	s.expect(t, "moved back to a room that is taken",
		day+"-11:30 Morning [] waits [1]; "+day+"-11:00 Wedding [1]")
	for _, gone := range []bool{true, false} {
		p.mu.Lock()
		p.put(morning, "Morning", at.AddDate(0, 0, 7), 72, gone)
		p.mu.Unlock()
		want := day + "-11:00 Wedding [1]"
		if !gone {
			want += "; " + later + "-11:30 Morning [1]"
		}
		s.expect(t, fmt.Sprint("cancelled: ", gone), want)
	}
	if got := office.Do("DELETE", "/events/"+morning, nil); got.Status != http.StatusNotFound {
		t.Errorf("DELETE /events/ a service: %s, want 404", got)
	}
}

// TestServicesAreChangedHere: a service that is made, moved, cancelled and brought back in the calendar is
// changed in the module that plans it, first there.
func TestServicesAreChangedHere(t *testing.T) {
	t.Parallel()
	s, p, office := startWithServices(t)
	at := comingSunday()
	body := func(start time.Time) string {
		return event1("Evening", clock(start), clock(start.Add(time.Hour)), "", 2)
	}
	made := s.write(t, "POST", "/services", body(at), http.StatusCreated)
	if now := p.services[made.ID]; now == nil || now.Title != "Evening" || !now.Start.Equal(at) {
		t.Fatalf("made: the other module has %v, want Evening at %s", now, at)
	}
	s.expect(t, "made", clock(at)[5:]+"-11:00 Evening [2]")
	s.write(t, "POST", "/services", body(at), http.StatusConflict)
	if len(p.services) != 1 {
		t.Errorf("a room was taken: the other module has %d services, want 1", len(p.services))
	}
	moved := s.write(t, "PUT", "/services/"+made.ID, with(body(at.AddDate(0, 0, 7)), made.Rev), http.StatusOK)
	if now := p.services[made.ID]; !now.Start.Equal(at.AddDate(0, 0, 7)) {
		t.Errorf("moved: the other module has %s, want a week later", now.Start)
	}
	s.expect(t, "moved", clock(at.AddDate(0, 0, 7))[5:]+"-11:00 Evening [2]")
	s.write(t, "PUT", "/services/"+made.ID, with(body(at), made.Rev), http.StatusConflict)
	s.write(t, "PUT", "/services/"+made.ID, body(at), http.StatusBadRequest)
	s.write(t, "PUT", "/services/"+made.ID, with(event1("Evening", at.Format(dayForm), at.Format(dayForm), ""),
		moved.Rev), http.StatusBadRequest)
	s.write(t, "DELETE", "/services/"+made.ID, "", http.StatusNoContent)
	s.expect(t, "cancelled", "")
	s.write(t, "POST", "/services/"+made.ID+"/restore", "{}", http.StatusNoContent)
	s.expect(t, "brought back", clock(at.AddDate(0, 0, 7))[5:]+"-11:00 Evening [2]")
	s.write(t, "DELETE", "/services/"+evening, "", http.StatusNotFound)
	if got := s.Person(manageEvents).Do("POST", "/services", body(at)); got.Status != http.StatusForbidden {
		t.Errorf("POST /services by somebody who may only write events: %s, want 403", got)
	}
	if got := office.Do("GET", "/export.csv", nil); strings.Contains(got.Body, "Evening") {
		t.Errorf("GET /export.csv: %s, want no service", got.Body)
	}
}

// TestServicesOfASilentModule: while the other module does not answer, services stand as they were and the
// answer says that it is unsure. Nothing is changed, and what it did without an answer is found out.
func TestServicesOfASilentModule(t *testing.T) {
	t.Parallel()
	s, p, _ := startWithServices(t)
	at := comingSunday()
	say := func(down, lost bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.down, p.lost = down, lost
		if err := s.module.services.turn.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.module.services.again = time.Time{} // as if some seconds had passed
		s.module.services.turn.Leave()
	}
	p.set(morning, "Morning", at, 60)
	line := clock(at)[5:] + "-11:00 Morning []"
	s.expect(t, "it answers", line)
	rev := s.seen(t, soon(0), soon(60)).Occurrences[0].Rev
	say(true, false)
	s.expect(t, "it does not", line+"; unsure")
	evening := event1("Evening", clock(at), clock(at.Add(time.Hour)), "", 1)
	s.write(t, "POST", "/services", evening, http.StatusServiceUnavailable)
	moved := event1("Morning", clock(at.AddDate(0, 0, 7)), clock(at.AddDate(0, 0, 7).Add(time.Hour)), "", 1)
	s.write(t, "PUT", "/services/"+morning, with(moved, rev), http.StatusServiceUnavailable)
	say(false, true)
	s.expect(t, "it answers again", line)
	s.write(t, "POST", "/services", evening, http.StatusServiceUnavailable)
	say(false, false)
	s.expect(t, "one was made, but its answer was lost",
		clock(at)[5:]+"-11:00 Evening [1]; "+line)
}

// TestServicesOfASlowModule: of many readers one waits for a module that takes too long, and all of them see
// the services as they were.
func TestServicesOfASlowModule(t *testing.T) {
	t.Parallel()
	s, p, _ := startWithServices(t)
	at := comingSunday()
	p.set(morning, "Morning", at, 60)
	line := clock(at)[5:] + "-11:00 Morning []"
	s.expect(t, "it answers", line)
	p.mu.Lock()
	p.hangs = true
	p.mu.Unlock()
	for range 3 {
		s.expect(t, "it takes too long", line+"; unsure")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hung != 1 {
		t.Errorf("%d of three readers waited for it, want 1", p.hung)
	}
}

// TestCalendarWithoutServices: in a house without the other module the calendar is as ever.
func TestCalendarWithoutServices(t *testing.T) {
	t.Parallel()
	s := start(t, "Europe/Berlin")
	if w := s.seen(t, soon(0), soon(60)); w.Services != servicesAbsent {
		t.Errorf("services: %q, want %q", w.Services, servicesAbsent)
	}
	at := comingSunday()
	got := s.Person(planServices).Do("POST", "/services",
		event1("Evening", clock(at), clock(at.Add(time.Hour)), ""))
	if got.Status != http.StatusServiceUnavailable {
		t.Errorf("POST /services: %s, want 503", got)
	}
}

// TestServicesInFiles: the archive has what the calendar adds to services. A service that comes after the
// import has its room and its length.
func TestServicesInFiles(t *testing.T) {
	t.Parallel()
	s, p, office := startWithServices(t)
	at := comingSunday()
	p.set(morning, "Morning", at, 60)
	rev := s.seen(t, soon(0), soon(60)).Occurrences[0].Rev
	s.write(t, "PUT", "/services/"+morning,
		with(event1("Morning", clock(at), clock(at.Add(2*time.Hour)), "", 2), rev), http.StatusOK)
	file := office.Do("GET", "/export", nil).Body
	want := `"services":[{"id":"` + morning + `","minutes":120,"rooms":["Hall"]}]`
	if !strings.Contains(file, want) || strings.Contains(file, "Morning") {
		t.Fatalf("GET /export: %s, want %s", file, want)
	}
	there, q, office := startWithServices(t)
	if got := office.Do("POST", "/import?format=json", file); got.Status != http.StatusOK {
		t.Fatalf("POST /import: %s, want 200", got)
	}
	there.expect(t, "before the service", "")
	q.set(morning, "Morning", at, 60)
	there.expect(t, "the service", clock(at)[5:]+"-12:00 Morning [2]")
	ics := there.Person().Do("GET", "/calendar.ics", nil).Body
	if !strings.Contains(ics, "SUMMARY:Morning") {
		t.Errorf("GET /calendar.ics: %s, want the service", ics)
	}
	room := there.Person().Do("GET", "/calendar.ics?room=2", nil).Body
	if !strings.Contains(room, "SUMMARY:Morning") || !strings.Contains(room, "LOCATION:Hall") {
		t.Errorf("GET the feed of the room: %s, want the service in the hall", room)
	}
	if got := office.Do("POST", "/import?format=ics", ics); got.Status != http.StatusOK {
		t.Errorf("POST /import the same: %s, want 200", got)
	}
	there.expect(t, "after an import of the .ics file", clock(at)[5:]+"-12:00 Morning [2]")
}
