package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/waittest"
)

const guestRoot = "/api/v1/module-links/calendar/api"

// openLink opens an address of the calendar for guests as a browser does, and returns who has its cookie.
func (i *installation) openLink(t *testing.T, address string) *person {
	t.Helper()
	page, secret, _ := strings.Cut(address, "#")
	module, found := strings.CutPrefix(page, i.address+"/link/")
	if !found {
		t.Fatalf("the address is %q, want a page for links", address)
	}
	guest := i.visitorFrom(t, 1)
	opened := guest.open(module, secret)
	if opened.status != 200 {
		t.Fatalf("opening the link: %d %s", opened.status, opened.body)
	}
	guest.cookie, _, _ = strings.Cut(opened.header.Get("Set-Cookie"), ";")
	return guest
}

// TestSignUpByLink: a guest signs up by the address that the organiser hands out, gets a mail, and withdraws
// by its link. Of fifty who then want the last two places at once, over two processes, two get them: the
// sheet is locked until six have come to it, so that none of those has seen what another one does.
func TestSignUpByLink(t *testing.T) {
	t.Parallel()
	one, two := installTwo(t, "calendar")
	one.useProxyAddresses()
	two.useProxyAddresses()
	box := one.mailbox(t)
	for _, name := range []string{"SERVICE_SMTP_HOST", "SERVICE_SMTP_PORT", "SERVICE_SMTP_SECURITY",
		"SERVICE_SMTP_FROM"} {
		two.environment[name] = one.environment[name]
	}
	for _, r := range []*invocation{one.start(t), two.start(t)} {
		r.awaitOutput(t, &r.stderr, "realtime backplane connected")
	}
	owner := one.visitorFrom(t, 2).signInAs(t, ownerAddress)
	at := time.Now().AddDate(0, 0, 3).Format(time.DateOnly)
	const root = "/api/v1/modules/calendar/events"
	camp := owner.create(t, 201, root, map[string]any{"title": "Camp", "start": at + "T10:00",
		"end": at + "T18:00"})
	list := root + "/" + camp["id"].(string) + "/signups"
	if got := owner.do("PUT", list, map[string]any{"places": 2, "closes": "", "queue": true,
		"questions": []any{}}); got.status != 200 {
		t.Fatalf("PUT the sheet: %d %s", got.status, got.body)
	}
	address := owner.create(t, 201, list+"/link", map[string]any{})["address"].(string)
	guest := one.openLink(t, address)
	signUp := func(by *person, name string) httpResponse {
		return by.do("POST", guestRoot+"/link/signup", map[string]any{"name": name,
			"email": strings.ToLower(name) + "@example.org", "language": "en", "answers": map[string]string{}})
	}
	if got := signUp(guest, "Anna"); got.status != 201 {
		t.Fatalf("Anna signs up: %d %s", got.status, got.body)
	}
	text := box.next(t).text(t)
	own := regexp.MustCompile(`http\S+/link/calendar#\S+`).FindString(text)
	anna := one.openLink(t, own)
	if got := anna.do("GET", guestRoot+"/link", nil); !strings.Contains(got.body, `"name":"Anna"`) {
		t.Fatalf("Anna sees %d %s", got.status, got.body)
	}
	if got := anna.do("POST", guestRoot+"/link/withdraw", map[string]any{}); got.status != 204 {
		t.Fatalf("Anna withdraws: %d %s", got.status, got.body)
	}
	if got := anna.do("GET", guestRoot+"/link", nil); got.status != 404 ||
		got.body != `{"code":"LINK_NOT_FOUND"}` {
		t.Errorf("the link of Anna, who has withdrawn: %d %s, want the one 404", got.status, got.body)
	}

	here, elsewhere := one.visitor(t), two.visitor(t)
	here.cookie, elsewhere.cookie = guest.cookie, guest.cookie
	sheet, err := one.db.Pool(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sheet.Rollback(t.Context()) }() // if the test fails before it does
	if _, err := sheet.Exec(t.Context(), `SELECT FROM module_calendar.sheets FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	comes := func(n int) {
		all.Go(func() {
			by := []*person{here, elsewhere}[n%2].fromAddress(n)
			if got := signUp(by, fmt.Sprint("Guest", n)); got.status != 201 {
				t.Errorf("guest %d: %d %s, want 201", n, got.status, got.body)
			}
		})
	}
	for n := range 6 { // fewer than the connections that both processes have for the module
		comes(n)
	}
	waittest.Until(t, "six wait for the sheet", func() bool {
		var waiting int
		err := one.db.Pool(t).QueryRow(t.Context(), `
			SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		return err == nil && waiting >= 6
	})
	if err := sheet.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range 44 {
		comes(n + 6)
	}
	all.Wait()
	var shown struct{ People []struct{ Waits bool } }
	if err := json.Unmarshal([]byte(owner.do("GET", list, nil).body), &shown); err != nil {
		t.Fatal(err)
	}
	placed := 0
	for _, p := range shown.People {
		if !p.Waits {
			placed++
		}
	}
	if len(shown.People) != 50 || placed != 2 {
		t.Errorf("of 50 at once %d are on the list and %d have a place, want 50 and 2", len(shown.People), placed)
	}
}
