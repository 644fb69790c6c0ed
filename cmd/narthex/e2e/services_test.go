package e2e

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestManyServicesAtOneMoment: the rota has all services, also if more start at the same moment than one call
// of the module that plans them returns.
func TestManyServicesAtOneMoment(t *testing.T) {
	t.Parallel()
	i := install(t, "stage", "rota")
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	i.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('rota')
		ON CONFLICT DO NOTHING`)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org')`)
	i.start(t)
	const earlier, atOnce, later = 30, 140, 20
	i.db.Exec(t, `
		INSERT INTO module_stage.services (title, starts_at)
		SELECT 'Earlier', current_date + interval '1 day' + n * interval '1 minute'
		FROM generate_series(1, $1::int) AS n
		UNION ALL
		SELECT 'At once', current_date + interval '7 days' FROM generate_series(1, $2::int)
		UNION ALL
		SELECT 'Later', current_date + interval '8 days' + n * interval '1 minute'
		FROM generate_series(1, $3::int) AS n`,
		earlier, atOnce, later)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	var board struct {
		Weeks []struct {
			Services []struct{ ID, Title string }
		}
	}
	response := owner.do("GET", "/api/v1/modules/rota/board", nil)
	if err := json.Unmarshal([]byte(response.body), &board); err != nil || response.status != 200 {
		t.Fatalf("GET /board: status %d, body %.200s", response.status, response.body)
	}
	titles, ids := make(map[string]int), make(map[string]bool)
	for _, week := range board.Weeks {
		for _, service := range week.Services {
			titles[service.Title]++
			ids[service.ID] = true
		}
	}
	if titles["Earlier"] != earlier || titles["At once"] != atOnce || titles["Later"] != later ||
		len(ids) != earlier+atOnce+later {
		t.Errorf("the board has %v, want %d earlier ones, %d at once and %d later, each one once",
			titles, earlier, atOnce, later)
	}
}

var linkOfRota = regexp.MustCompile(`/link/rota#(\S+)`)

// TestMovedServiceByMail: a service is moved in Stage. Everybody who was asked, and who coordinates, gets one
// mail; the board marks what has changed, and whom no mail told; and by the link of the mail somebody without
// an account says yes to the new date.
func TestMovedServiceByMail(t *testing.T) {
	t.Parallel()
	i := install(t, "stage", "rota")
	i.useProxyAddresses()
	box := i.mailbox(t)
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	i.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('rota')
		ON CONFLICT DO NOTHING`)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org')`)
	i.start(t)
	owner := i.visitorFrom(t, 1).signInAs(t, ownerAddress)
	const stage, rota = "/api/v1/modules/stage", "/api/v1/modules/rota"
	start := time.Now().UTC().Truncate(time.Hour).AddDate(0, 0, 7)
	service := owner.create(t, 201, stage+"/services",
		object{"title": "Morning service", "startsAt": start.Format(stamp)})["id"].(string)
	i.db.Exec(t, `
		WITH role AS (INSERT INTO module_rota.roles (name, position) VALUES ('Welcome', 1) RETURNING id),
		     volunteers AS (
			INSERT INTO module_rota.volunteers (label, email, language, digest)
			VALUES ('Anna', 'anna@example.org', 'en', false), ('Ben', 'ben@example.org', 'de', false),
			       ('Ruth', '', '', false), ('Office', 'coordinator@example.org', 'en', true)
			RETURNING id, digest)
		INSERT INTO module_rota.assignments (service_ref, role_id, volunteer_id, status)
		SELECT $1, role.id, volunteers.id, 'yes' FROM role, volunteers WHERE NOT digest`, service)
	i.db.Exec(t, `UPDATE core.module_schedule SET due_at = now() WHERE module_id = 'rota' AND name = 'services'`)
	eventually(t, "the rota knows when the service is", func() bool {
		return len(i.column(t, `SELECT title FROM module_rota.known_services`)) == 1
	})

	later := start.AddDate(0, 0, 7)
	moved := object{"title": "Morning service", "startsAt": later.Format(stamp), "rev": 1}
	if got := owner.do("PUT", stage+"/services/"+service, moved); got.status != http.StatusOK {
		t.Fatalf("PUT the service: %d %s", got.status, got.body)
	}
	owner.do("GET", rota+"/board", nil) // whoever looks at the board sees it at once
	texts := make(map[string]string)
	for range 3 {
		one := box.next(t)
		texts[one.to] += one.text(t)
	}
	day := later.Format("Monday 2 January")
	for to, want := range map[string]string{
		"anna@example.org": "is on " + day, "ben@example.org": "ist jetzt am",
		"coordinator@example.org": "Asked again: 3. Not told by mail: Ruth",
	} {
		if !strings.Contains(texts[to], want) {
			t.Errorf("%s was told %q, want %q", to, texts[to], want)
		}
	}
	var board struct {
		News []struct {
			Kind      string
			People    int
			Unreached []string
		}
		Weeks []struct {
			Services []struct {
				Assignments []struct{ Status string }
			}
		}
	}
	read := func() {
		t.Helper()
		board.Weeks = nil
		if got := owner.do("GET", rota+"/board", nil); json.Unmarshal([]byte(got.body), &board) != nil {
			t.Fatalf("GET /board: %d %s", got.status, got.body)
		}
	}
	answers := func() (all []string) {
		t.Helper()
		read()
		for _, one := range board.Weeks[0].Services[0].Assignments {
			all = append(all, one.Status)
		}
		slices.Sort(all)
		return all
	}
	if got := strings.Join(answers(), " "); got != "open open open" || len(board.News) != 1 ||
		board.News[0].Kind != "moved" || board.News[0].People != 3 || len(board.News[0].Unreached) != 1 {
		t.Errorf("the board has the answers %s and the news %+v, want three open ones and the move", got,
			board.News)
	}

	link := linkOfRota.FindStringSubmatch(texts["anna@example.org"])
	if link == nil {
		t.Fatalf("the mail is %q, want a link to answer", texts["anna@example.org"])
	}
	guest := i.visitorFrom(t, 2)
	guest.cookie, _, _ = strings.Cut(guest.open("rota", link[1]).header.Get("Set-Cookie"), ";")
	const api = "/api/v1/module-links/rota/api/link"
	var page struct {
		Dates []struct {
			ID  string
			Was *time.Time
			Rev int
		}
	}
	if got := guest.do("GET", api, nil); json.Unmarshal([]byte(got.body), &page) != nil ||
		len(page.Dates) != 1 || page.Dates[0].Was == nil || !page.Dates[0].Was.Equal(start) {
		t.Fatalf("the page of the link has %d %s, want the moved date", got.status, got.body)
	}
	if got := guest.do("POST", api+"/"+page.Dates[0].ID+"/answer",
		object{"answer": "yes", "rev": page.Dates[0].Rev}); got.status != http.StatusOK {
		t.Errorf("the answer: %d %s", got.status, got.body)
	}
	if got := strings.Join(answers(), " "); got != "open open yes" {
		t.Errorf("after the answer the board has %s, want one yes", got)
	}
	if n := len(box.arrived); n != 0 {
		t.Errorf("%d further mails came, want one for each person", n)
	}
}
