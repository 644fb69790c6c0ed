package browsertest

import (
	"fmt"
	"testing"
	"time"
)

// doors is what the doors of Home say: the names of the modules, each with its second line, and a star if it
// is lit.
const doors = `[...document.querySelectorAll("a.host-doorway")].map((door) =>
	[...door.querySelectorAll("bdi")].map((line) => line.innerText).join(": ") +
	(door.matches(".host-lit") ? "*" : "")).join("; ")`

// testOwnDay: a door says what a person finds behind it, and is lit while something waits there for them. The
// card of what waits is first, and can be answered there. What came since the last visit is marked as new,
// also at the door. Those who write notices see how many are live.
func testOwnDay(t *testing.T, d *devServer) {
	email := d.member(t, "Reader 2")
	reader := d.query(t, `
		WITH latest AS (
			SELECT volunteer_id FROM module_rota.assignments GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1)
		UPDATE module_rota.volunteers SET user_id = (SELECT id::text FROM core.person WHERE email = $1)
		FROM latest WHERE id = volunteer_id RETURNING id::text`, email)
	d.exec(t, `
		WITH first AS (
			SELECT a.id
			FROM module_rota.assignments a JOIN module_rota.known_services s USING (service_ref)
			WHERE volunteer_id = '`+reader+`' AND s.starts_at > now() ORDER BY s.starts_at LIMIT 1)
		UPDATE module_rota.assignments
		SET status = CASE WHEN id IN (SELECT id FROM first) THEN 'open' ELSE 'yes' END
		WHERE volunteer_id = '`+reader+`'`)
	h := d.front(t)
	p := h.openAs(email, "/", phone)
	p.waitForHome()
	p.waitFor(`/Rota: 1 request\*/.test(` + doors + `)`)
	p.waitFor(`/Stage: \w+, \w+ \d+;/.test(` + doors + `)`)
	p.waitFor(`/Announcements(;|$)/.test(` + doors + `)`) // on the first visit nothing is new
	p.waitFor(`document.querySelector("[data-module=home] .d-card h3").innerText === "My dates"`)
	p.assertFits()
	p.assertAccessible("Home with a lit door")
	p.screenshot("home-own-day")
	p.runScript(`document.querySelector("[data-module=home] .dates .d-row button").click()`)
	p.waitFor(`/Rota: \w+, \w+ \d+, \d+:\d+ [AP]M;/.test(` + doors + `)`)
	p.waitForText("You accepted")

	d.call(t, "POST", "/api/v1/modules/announcements/slides",
		object{"title": "The heating works again", "enabled": true})
	const visited = `localStorage.getItem("narthex.home")`
	p.runScript(fmt.Sprintf(`localStorage.setItem("narthex.home", JSON.stringify(
		{ ...JSON.parse(%s), seen: %d }))`, visited, time.Now().Add(-time.Hour).UnixMilli()))
	p.reload()
	p.waitForHome()
	p.waitForText("The heating works again")
	p.waitFor(`/Announcements: New: \d+/.test(` + doors + `)`)
	p.waitFor(`[...document.querySelectorAll("[data-module=home] .d-card")]
		.some((card) => card.innerText.includes("The heating") &&
			card.querySelector(".d-chip")?.innerText === "New")`)
	p.reload() // in the same visit it is still new
	p.waitFor(`/Announcements: New: \d+/.test(` + doors + `)`)

	writer := h.openAs(d.member(t, "Writer", "announcements.slides.manage"), "/", desktop)
	writer.waitForHome()
	writer.waitFor(`/Announcements: \d+ live/.test(` + doors + `)`)
	writer.screenshot("home-writer")
}
