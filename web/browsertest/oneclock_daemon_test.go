package browsertest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

// TestOneClock: a service, an event, a duty, a notice and a countdown at ten o'clock in the house are at ten
// o'clock on every page, on both sides of both changes of the house's clock, in a browser of another zone,
// which the pages say. The modules run in their sandbox, with the zones that they have there, and the house
// gets each zone while they run.
func TestOneClock(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	for _, c := range []struct{ house, city, browser string }{
		{"Europe/Berlin", "Berlin", "America/Los_Angeles"},
		{"Pacific/Apia", "Apia", "Europe/Berlin"},
		{"America/Los_Angeles", "Los Angeles", "Pacific/Apia"},
	} {
		t.Run(c.city, func(t *testing.T) { testOneClock(t, d, c.house, c.city, c.browser) })
	}
}

func testOneClock(t *testing.T, d *devServer, house, city, browser string) {
	zone, err := time.LoadLocation(house)
	if err != nil {
		t.Fatal(err)
	}
	d.setZone(t, house)
	email := d.member(t, "Keeper of "+city, "rota.manage", "stage.plan.edit", "calendar.events.manage",
		"announcements.slides.manage", "core.activity.read", manageGrants, "core.modules.lifecycle.manage",
		managePeople)
	volunteer := d.call(t, "POST", "/api/v1/modules/rota/volunteers", object{"label": "Keeper of " + city,
		"email": email, "language": "", "digest": false, "roleIds": []string{}})["id"].(string)
	d.exec(t, `UPDATE module_rota.volunteers SET user_id = (SELECT id::text FROM core.person WHERE email = '`+
		email+`') WHERE id = '`+volunteer+`'`)
	role := d.query(t, `SELECT id::text FROM module_rota.roles ORDER BY position LIMIT 1`)

	days := daysAroundChanges(zone)
	var duties []object
	for n, day := range days {
		ten := time.Date(day.Year(), day.Month(), day.Day(), 10, 0, 0, 0, zone)
		at := ten.UTC().Format("2006-01-02T15:04:05.000Z")
		service := d.call(t, "POST", "/api/v1/modules/stage/services",
			object{"title": fmt.Sprintf("%s service %d", city, n), "startsAt": at})["id"]
		duties = append(duties, object{"serviceId": service, "roleId": role, "volunteerId": volunteer})
		on := day.Format(time.DateOnly)
		d.call(t, "POST", "/api/v1/modules/calendar/events", object{"title": fmt.Sprintf("%s event %d", city, n),
			"text": "", "start": on + "T10:00", "end": on + "T11:00", "rule": "", "rooms": []int{}})
		d.call(t, "POST", "/api/v1/modules/announcements/slides", object{"kind": "countdown.slide",
			"title": fmt.Sprintf("%s notice %d", city, n), "startsAt": at, "enabled": true,
			"payload": object{"label": "Ten", "target": at, "after": "zero"}})
	}
	d.call(t, "PUT", "/api/v1/modules/rota/assignments", object{"add": duties})
	d.exec(t, `UPDATE module_rota.assignments SET status = 'yes' WHERE volunteer_id = '`+volunteer+`'`)
	d.assertSkipped(t, zone, days)

	p := d.openAs(t, email, "/#/account", desktop)
	p.waitForHeading("Account")
	p.setTimeZone(browser)
	p.reload()
	// words waits for an element that has all of the words.
	words := func(selector string, words ...string) {
		t.Helper()
		p.waitFor(fmt.Sprintf(`[...document.querySelectorAll(%q)].some((element) =>
			%s.every((word) => element.innerText.replace(/\s/g, " ").includes(word)))`, selector, jsonOf(t, words)))
	}
	show := func(fragment string) { p.runScript(`location.hash = ` + jsonOf(t, fragment)) }
	named := "time zone " + city
	show("#/m/stage")
	for n, day := range days {
		words("tr, li", fmt.Sprintf("%s service %d", city, n), day.Format("Jan 2"), "10:00 AM")
	}
	words("body", named)
	p.screenshot("one-clock-stage-" + city)
	for n, day := range days {
		show("#/m/calendar/list/" + day.Format(time.DateOnly))
		words("li", fmt.Sprintf("%s event %d", city, n), "10:00")
		words("li", fmt.Sprintf("%s service %d", city, n), "10:00")
	}
	words("body", named)
	show("#/m/rota/mine")
	for _, day := range days {
		words("body", day.Format("Jan 2")+", 10:00 AM")
	}
	words("body", named)
	show("#/m/announcements")
	for n, day := range days {
		words("tr", fmt.Sprintf("%s notice %d", city, n), day.Format("Jan 2"), "10:00 AM")
	}
	words("body", named)
	p.screenshot("one-clock-announcements-" + city)
	for n, day := range days {
		id := d.query(t, `SELECT id::text FROM module_announcements.slides WHERE title = $1`,
			fmt.Sprintf("%s notice %d", city, n))
		show("#/m/announcements/edit/" + id)
		for kind, value := range map[string]string{"date": day.Format(time.DateOnly), "time": "10:00"} {
			p.waitFor(fmt.Sprintf(`[...document.querySelectorAll("input[type=%s]")]
				.filter(({ value }) => value === %q).length === 2`, kind, value)) // of the notice and its countdown
		}
	}
	for path, heading := range map[string]string{
		"activity": "Activity", "permissions": "Permissions", "modules/rota": "Rota"} {
		show("#/admin/" + path)
		words(".d-page-header", heading, named)
	}
	show("#/admin/people")
	p.click("button", "Invite people")
	p.enter("searchbox", "Find a permission", "drive")
	p.click("checkbox", "Drive the screens during a service")
	words("dialog .d-help", named)
	p.screenshot("one-clock-invite-" + city)
	p.click("button", "Cancel")
	p.waitForNone("dialog", "Invite people")
	show("#/")
	words("[data-module=home]", days[0].Format("Jan 2")+", 10:00 AM")
	today := time.Now().In(zone).Format("Monday, January 2")
	words(".host-greeting", today)

	response, file := d.send(t, d.signedInOwner(t), "GET", "/api/v1/modules/calendar/calendar.ics", http.NoBody)
	for _, day := range days {
		want := "DTSTART;TZID=" + house + ":" + day.Format("20060102") + "T100000"
		if response.StatusCode != 200 || !strings.Contains(string(file), want) {
			t.Errorf("calendar.ics: status %d, want %s in it", response.StatusCode, want)
		}
	}
}

// daysAroundChanges returns the days before and after the next two changes of a zone's clock. A zone without
// changes has those of Berlin.
func daysAroundChanges(zone *time.Location) (days []time.Time) {
	before := time.Now().AddDate(0, 0, 3)
	for at := before; len(days) < 4 && at.Before(before.AddDate(0, 11, 0)); at = at.AddDate(0, 0, 1) {
		_, one := at.In(zone).Zone()
		next := at.AddDate(0, 0, 1)
		if _, other := next.In(zone).Zone(); one != other {
			days = append(days, at.In(zone), next.In(zone).AddDate(0, 0, 1))
		}
	}
	if days == nil {
		berlin, _ := time.LoadLocation("Europe/Berlin")
		return daysAroundChanges(berlin)
	}
	return days
}

// setZone sets the time zone of the house, as an administrator does.
func (d *devServer) setZone(t *testing.T, zone string) {
	t.Helper()
	house := d.call(t, "GET", "/api/v1/house", nil)
	house["timeZone"] = zone
	d.call(t, "PUT", "/api/v1/house", house)
}

// assertSkipped: an event at a time that the clock skips is refused with the two that exist.
func (d *devServer) assertSkipped(t *testing.T, zone *time.Location, days []time.Time) {
	t.Helper()
	for day := days[0]; day.Before(days[len(days)-1]); day = day.AddDate(0, 0, 1) {
		half := time.Date(day.Year(), day.Month(), day.Day(), 2, 30, 0, 0, zone)
		if half.Hour() == 2 {
			continue
		}
		on := day.Format(time.DateOnly)
		body := jsonOf(t, object{"title": "Vigil", "text": "", "start": on + "T02:30", "end": on + "T05:00",
			"rule": "", "rooms": []int{}})
		r, err := http.NewRequestWithContext(t.Context(), "POST", d.address+"/api/v1/modules/calendar/events",
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", d.address)
		r.AddCookie(d.signedInOwner(t))
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		received, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		want := fmt.Sprintf(`{"code":"TIME_SKIPPED","exist":["%[1]sT01:30","%[1]sT03:30"]}`, on)
		if response.StatusCode != 400 || string(received) != want {
			t.Errorf("an event at %s 02:30: status %d %s, want 400 %s", on, response.StatusCode, received, want)
		}
		return
	}
}
