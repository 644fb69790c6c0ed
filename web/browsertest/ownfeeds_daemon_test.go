package browsertest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestOwnFeeds: a person makes an address for the calendar of their phone. It is shown once, also as a code,
// shows the calendar to whoever has it, and is replaced and ended. Calendar and Rota lead there.
func TestOwnFeeds(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.addPerson(t, "ada@example.org", "Ada")
	p := d.openAs(t, "ada@example.org", "/#/account", desktop)
	p.find("heading", "Calendars on your phone")
	p.click("button", "Add")
	p.find("dialog", "New address for a calendar program")
	p.assertAccessible("the dialog of a new address")
	p.fill("Which program or device it is for", "Ada's phone")
	p.click("button", "Make address")
	p.find("dialog", "The address for Ada's phone")
	address := p.shownAddress()
	if code := p.qrText(); code != address {
		t.Errorf("the code says %q, want the address %q", code, address)
	}
	p.assertAccessible("the dialog with the address")
	p.screenshot("feed-address")
	p.setView(phone)
	p.assertFits()
	p.screenshot("feed-address-phone")
	p.setView(desktop)
	p.click("button", "Done")
	p.waitForText("Calendar, not fetched yet")
	assertCalendar(t, address, http.StatusOK)

	p.reload()
	p.waitForText("Calendar, last fetched")
	if eval[bool](p, `document.body.innerHTML.includes("/api/v1/feeds/")`) {
		t.Error("the address is shown again")
	}
	p.assertFits()
	p.screenshot("feeds")
	p.click("button", "More for Ada's phone")
	p.click("menuitem", "New address …")
	p.click("button", "New address")
	p.find("dialog", "The address for Ada's phone")
	renewed := p.shownAddress()
	p.click("button", "Done")
	assertCalendar(t, address, http.StatusNotFound)
	assertCalendar(t, renewed, http.StatusOK)
	p.click("button", "More for Ada's phone")
	p.click("menuitem", "End …")
	p.click("button", "End")
	p.waitForNone("button", "More for Ada's phone")
	assertCalendar(t, renewed, http.StatusNotFound)

	p.setView(phone)
	p.runScript(`location.hash = "#/m/calendar"`)
	p.chooseMenuItem("More", "On your phone")
	p.waitForHeading("Calendars on your phone")
	p.assertAccessible("the page of calendars on the phone")
	p.click("button", "Add")
	p.fill("Which program or device it is for", "This phone")
	p.click("button", "Make address")
	p.find("dialog", "The address for This phone")
	here := eval[string](p, `[...document.querySelectorAll("dialog a")].find(
		({ innerText }) => innerText === "Subscribe on this device").href`)
	if _, address, _ := strings.Cut(p.shownAddress(), ":"); here != "webcal:"+address {
		t.Errorf("this device subscribes to %s, want webcal:%s", here, address)
	}
	p.assertFits()
	p.screenshot("feed-calendars-phone")
	p.click("button", "Done")
	d.exec(t, `UPDATE module_rota.volunteers
		SET user_id = (SELECT id::text FROM core.person WHERE email = 'ada@example.org') WHERE label = 'Edith'`)
	p.runScript(`location.hash = "#/m/rota/mine"`)
	p.click("link", "On your phone")
	p.waitForHeading("Calendars on your phone")
	p.waitForText("This phone")
	p.screenshot("feeds-calendars")
}

func (p *tab) shownAddress() string {
	p.t.Helper()
	return eval[string](p, `document.querySelector("dialog code").innerText`)
}

// assertCalendar fetches an address as a calendar program does: without cookies.
func assertCalendar(t *testing.T, address string, status int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status ||
		strings.HasPrefix(string(body), "BEGIN:VCALENDAR") != (status == http.StatusOK) {
		t.Errorf("GET %s: status %d, want %d; body %.200s, error %v", address, response.StatusCode, status, body,
			err)
	}
}
