package browsertest

import (
	"fmt"
	"testing"
)

var coordinator = []string{"rota.own.read", "rota.own.respond", "rota.manage", "rota.mail.send"}

// TestManyVolunteers: of hundreds of volunteers the list draws one hundred, and further ones when they are
// asked for. It comes back as long as it was, and has whoever was added, wherever the alphabet puts them.
// What concerns everybody counts those who are not drawn, too.
func TestManyVolunteers(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.exec(t, `
		DELETE FROM module_rota.assignments;
		DELETE FROM module_rota.volunteers;
		INSERT INTO module_rota.volunteers (label, email, language, digest)
		SELECT 'Person ' || to_char(n, 'FM000'), 'person' || n || '@example.org', '', false
		FROM generate_series(1, 300) AS n;
		INSERT INTO module_rota.volunteer_roles (volunteer_id, role_id)
		SELECT v.id, r.id FROM module_rota.volunteers AS v, module_rota.roles AS r WHERE r.position < 3`)
	p := d.front(t).openAs(d.member(t, "Ada", coordinator...), "/#/m/rota", desktop)
	p.find("link", "Volunteers")
	p.runScript(`
		new MutationObserver(() => window.drawnAt = performance.now())
			.observe(document.querySelector(".rota"), { childList: true, subtree: true });
		window.pressedAt = performance.now();
		location.hash = "#/m/rota/volunteers"`)
	drawn := func(count int, last string) {
		t.Helper()
		p.waitFor(fmt.Sprintf(`document.querySelectorAll("tbody tr").length === %d`, count))
		p.waitFor(fmt.Sprintf(`[...document.querySelectorAll("tbody tr")].pop().innerText.includes(%q)`, last))
	}
	drawn(100, "Person 100")
	t.Logf("the last row is drawn %.0f ms after the press", eval[float64](p, "drawnAt - pressedAt"))
	p.waitForText("Volunteers: 300")
	p.find("button", "Invite all (300)")
	p.screenshot("rota-many-volunteers")
	p.click("button", "Show more")
	drawn(200, "Person 200")
	p.click("link", "Person 150")
	p.waitForHeading("Edit volunteer")
	p.click("button", "Cancel")
	drawn(200, "Person 200")
	p.click("button", "Add a volunteer")
	p.fill("Name", "Zoe")
	p.click("button", "Save")
	drawn(301, "Zoe")
	p.waitForNone("button", "Show more")
}

// TestRotaScreens checks every screen of the rota of a house in every size, in German, and right to left. The
// samples have assignments of every status; the test adds every outcome of a mail.
func TestRotaScreens(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.exec(t, `
		SET search_path TO module_rota;
		WITH outcomes (n, outcome) AS (
			VALUES (0, 'sent'), (1, 'tryAgain'), (2, NULL), (3, 'refused'), (4, 'notSetUp')),
		numbered AS (
			SELECT id, row_number() OVER (ORDER BY service_ref, id) AS number
			FROM assignments
			WHERE status <> 'planned'),
		letters AS (
			INSERT INTO mail_log (kind, once, claimed_at, outcome, at)
			SELECT 'request', id::text, now(), outcome, CASE WHEN outcome IS NOT NULL THEN now() END
			FROM numbered JOIN outcomes ON n = number % 5
			RETURNING id, once)
		UPDATE assignments SET mail_id = letters.id FROM letters WHERE assignments.id::text = once;
		UPDATE assignments SET status = 'planned', mail_id = NULL
		WHERE id = (SELECT id FROM assignments WHERE status = 'yes' ORDER BY id LIMIT 1);
		INSERT INTO away SELECT id, current_date, current_date + 30 FROM volunteers WHERE label = 'Reader 2';
		UPDATE roles SET needed = 2 WHERE name IN ('Reader', 'Words');
		INSERT INTO pairs SELECT a.id, b.id, false FROM volunteers AS a, volunteers AS b
		WHERE a.id <> b.id AND a.label IN ('Hannah', 'Peter') AND b.label IN ('Hannah', 'Peter');
		UPDATE volunteers SET per_month = 2 WHERE label = 'Hannah';
		INSERT INTO wishes SELECT id, current_date, current_date + 9 FROM volunteers WHERE label = 'Miriam'`)

	coordinator := d.member(t, "Ada", coordinator...)
	reader := d.query(t, `
		UPDATE module_rota.volunteers SET user_id = (SELECT id::text FROM core.person WHERE email = $1)
		WHERE label = 'Hannah' RETURNING id::text`, coordinator)
	d.exec(t, `INSERT INTO module_rota.away VALUES ('`+reader+`', '2099-07-01', '2099-07-14')`)
	house := func(t *testing.T, h *fixture) { h.session = d.signIn(t, coordinator) }
	seen := func(selector string) func(*tab) {
		return func(p *tab) { p.waitFor(fmt.Sprintf("document.querySelector(%q)", ".rota "+selector)) }
	}
	assertHouseScreens(t, d, []screenCase{
		{"rota-month", "/#/m/rota", house, seen(".grid [data-row]")},
		{"rota-pick", "/#/m/rota", house, func(p *tab) {
			p.waitFor(`document.querySelector(".rota .cell button.d-icon")`)
			p.runScript(`document.querySelector(".rota .cell button.d-icon").click()`)
			p.waitFor(`document.querySelector("dialog input")`)
			p.runScript(`document.querySelector("dialog input").click()`)
			p.waitFor(`document.querySelector("dialog [role=option]")`)
		}},
		{"rota-needs", "/#/m/rota", house, func(p *tab) {
			p.waitFor(`document.querySelector(".rota .grid td.d-title button")`)
			p.runScript(`document.querySelector(".rota .grid td.d-title button").click()`)
			p.waitFor(`document.querySelector("dialog select")`)
		}},
		{"rota-fill", "/#/m/rota/fill/", house, seen(".part")},
		{"rota-volunteers", "/#/m/rota/volunteers", house, seen(".d-table [data-row]")},
		{"rota-volunteer", "/#/m/rota/volunteers/" + reader, house, seen("form [type=email]")},
		{"rota-away", "/#/m/rota/volunteers/" + reader + "/away", house, seen("form [type=date]")},
		{"rota-roles", "/#/m/rota/roles", house, seen(".roles li")},
		{"rota-transfer", "/#/m/rota/transfer", house, seen(".transfer section")},
		{"rota-mine", "/#/m/rota/mine", house, seen(".dates li")},
	})
}
