package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/cmd/narthex/dev/sample"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// TestSunday is a service: for ten seconds 20 phones load Home and their dates, 12 screens show the stage,
// and one person taps once a second. It prints how long a tap takes to reach the last screen. No request may
// fail.
func TestSunday(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it is a load of ten seconds")
	}
	const phones, lasts = 20, 10 * time.Second
	i, _ := startSunday(t)
	owner := i.visitorFrom(t, 1).signInAs(t, ownerAddress)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var load sync.WaitGroup
	const screens = 12
	heard := make(chan heardAt, screens*1000)
	for n := range screens {
		screen := i.visitorFrom(t, 10+n)
		screen.cookie, _ = i.pairScreenWith(t, owner, 10+n, "stage")
		load.Go(func() { listen(ctx, screen, heard) })
	}
	var requests, failures atomic.Int64
	for n := range phones {
		member := i.visitorFrom(t, 100+n)
		email := fmt.Sprintf("member%d@example.org", n)
		i.db.Exec(t, `INSERT INTO core.person (email, name, email_verified, password_hash)
			SELECT $1, 'Member', true, password_hash FROM core.person WHERE email = $2`, email, ownerAddress)
		member.signInAs(t, email)
		load.Go(func() {
			phone(ctx, member, time.Duration(n)*10*time.Second/time.Duration(phones), &requests, &failures)
		})
	}
	taps := drive(t, owner, screens, lasts, heard)
	end()
	load.Wait()
	if failures.Load() > 0 || len(taps) == 0 {
		t.Fatalf("%d of %d requests of the phones failed; %d taps", failures.Load(), requests.Load(), len(taps))
	}
	slices.Sort(taps)
	t.Logf("%d phones, %d requests, %d screens, %d taps until the last screen knows: p50 %v, p95 %v, longest %v",
		phones, requests.Load(), screens, len(taps), taps[len(taps)/2], taps[len(taps)*95/100], taps[len(taps)-1])
}

// startSunday starts all reference modules with their sample data.
func startSunday(t *testing.T) (*installation, *invocation) {
	t.Helper()
	i := installSunday(t)
	return i, i.fill(t)
}

// installSunday installs all reference modules.
func installSunday(t *testing.T) *installation {
	t.Helper()
	i := install(t, "announcements", "countdown", "home", "stage", "rota", "calendar")
	i.useObjectStorage("http://" + storagetest.New(t).Address)
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	i.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('rota')
		ON CONFLICT DO NOTHING`)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org')`)
	return i
}

// fill starts the platform with the sample data.
func (i *installation) fill(t *testing.T) *invocation {
	t.Helper()
	daemon := i.start(t)
	owner := sample.Owner{Email: ownerAddress, Password: ownerPassword}
	if err := sample.Fill(t.Context(), i.address, owner); err != nil {
		t.Fatalf("the sample data: %v", err)
	}
	i.useProxyAddresses()
	return i.restart(t, daemon)
}

// phonePaths are what Home and My dates load.
func phonePaths() []string {
	day := func(days int) string { return time.Now().AddDate(0, 0, days).Format(time.DateOnly) }
	return []string{
		"/api/v1/principal", "/api/v1/dashboard/navigation", "/api/v1/modules/announcements/latest",
		"/api/v1/modules/stage/services?limit=1", "/api/v1/modules/rota/mine",
		"/api/v1/modules/calendar/occurrences?from=" + day(-1) + "&to=" + day(8),
	}
}

// phone is one member, who alternately opens Home and their dates.
func phone(ctx context.Context, p *person, begins time.Duration, requests, failures *atomic.Int64) {
	next := time.NewTimer(begins)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		for _, path := range phonePaths() {
			got, err := p.doContext(ctx, "GET", path, nil)
			if ctx.Err() != nil {
				return
			}
			requests.Add(1)
			if err != nil || got.status != http.StatusOK {
				failures.Add(1)
				p.t.Logf("GET %s: %d %.200s %v", path, got.status, got.body, err)
			}
		}
		next.Reset(10 * time.Second)
	}
}

// heardAt is when a screen received a state of the stage.
type heardAt struct {
	rev int64
	at  time.Time
}

// listen reads the stage's channel as a screen does, until ctx ends. A stream ends after some minutes, and
// the next one begins with a new snapshot.
func listen(ctx context.Context, screen *person, heard chan<- heardAt) {
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet,
			screen.address+"/api/v1/module-realtime/stage/screen", nil)
		if err != nil {
			screen.t.Error(err)
			return
		}
		request.Header.Set("Cookie", screen.cookie)
		response, err := (&http.Client{Transport: screen.client.Transport}).Do(request)
		if ctx.Err() != nil {
			return
		}
		if err != nil || response.StatusCode != http.StatusOK {
			screen.t.Errorf("a screen's stream: %v, %v; want 200", response, err)
			return
		}
		s := &stream{t: screen.t, body: bufio.NewReader(response.Body)}
		for event := s.read(); event != ""; event = s.read() {
			_, data, _ := strings.Cut(event, " ")
			var told struct{ Rev int64 }
			if json.Unmarshal([]byte(data), &told) == nil {
				heard <- heardAt{told.Rev, time.Now()}
			}
		}
		_ = response.Body.Close()
	}
}

// drive taps once a second, and returns how long each tap took to reach the last screen.
func drive(
	t *testing.T, owner *person, screens int, lasts time.Duration, heard <-chan heardAt,
) (taps []time.Duration) {
	t.Helper()
	var services struct{ Services []struct{ ID string } }
	var live struct{ Live struct{ Rev int64 } }
	read := func(method, path string, value, into any) int {
		t.Helper()
		got := owner.do(method, "/api/v1/modules/stage"+path, value)
		if got.status == http.StatusOK && json.Unmarshal([]byte(got.body), into) != nil {
			t.Fatalf("%s %s: no JSON: %.300s", method, path, got.body)
		}
		return got.status
	}
	if read("GET", "/services?limit=1", nil, &services) != 200 || len(services.Services) != 1 {
		t.Fatal("there is no service to drive")
	}
	root := "/live/" + services.Services[0].ID
	if status := read("GET", "/live", nil, &live); status != 200 {
		t.Fatalf("GET /live: %d", status)
	}
	if status := read("POST", root+"/take", object{"rev": live.Live.Rev}, &live); status != 200 {
		t.Fatalf("take control: status %d, want 200", status)
	}
	end := time.After(lasts)
	second := time.NewTicker(time.Second)
	defer second.Stop()
	actions := []string{"next", "next", "next", "previous", "previous"}
	for n := 0; ; n++ {
		select {
		case <-end:
			return taps
		case <-second.C:
		}
		began, before := time.Now(), live.Live.Rev
		press := object{"opId": uuid.NewString(), "rev": before, "action": actions[n%len(actions)]}
		if status := read("POST", root+"/go", press, &live); status != 200 {
			t.Errorf("tap %d: status %d, want 200", n, status)
			return taps
		}
		if live.Live.Rev == before {
			continue // at the end of the service a tap changes nothing
		}
		deadline := time.After(patience)
		for know := 0; know < screens; {
			select {
			case h := <-heard:
				if h.rev >= live.Live.Rev {
					know++
					if know == screens {
						taps = append(taps, h.at.Sub(began))
					}
				}
			case <-deadline:
				t.Fatalf("tap %d: %d of %d screens know of it", n, know, screens)
			}
		}
	}
}
