package browsertest

import "testing"

// TestImportOfFiles: in each module with a page for files, a file with a mistake is refused with its line,
// and another one is imported after a preview.
func TestImportOfFiles(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, "owner@example.org", "/#/m/rota/transfer", desktop)
	const list = `input[accept*="csv"]`
	p.waitForText("Choose a file")
	p.chooseFile(list, putFile(t, "wrong.csv", []byte("Name,E-mail\n,a@example.org\n")))
	p.waitForText("1 row is left out:")
	p.waitForText("Line 2: The name is missing or cannot be used.")
	p.waitForNone("button", "Import")
	p.chooseFile(list, putFile(t, "list.csv", []byte("Name\nEsther\n")))
	p.waitForText("New: 1. Changed: 0. As before: 0.")
	p.waitFor(`!document.body.innerText.includes("wrong.csv")`)
	p.click("button", "Cancel")
	p.waitFor(`!document.body.innerText.includes("New: 1.")`)
	p.chooseFile(list, putFile(t, "list.csv", []byte("Name\nEsther\n")))
	p.waitForText("New: 1. Changed: 0. As before: 0.")
	release := d.lock(t, "module_rota.volunteers") // as if the file were large
	p.click("button", "Import")
	p.waitForAnnouncement("The file is being imported. A large one takes some seconds.")
	p.find("progressbar", "Import")
	p.assertAccessible("an import that is under way")
	p.screenshot("import-under-way")
	release()
	p.waitForAnnouncement("Imported")
	p.waitForNone("progressbar", "Import")
	p.waitFor(`!document.body.innerText.includes("New: 1.")`)
	const imported = `SELECT count(*)::text FROM module_rota.volunteers WHERE label = 'Esther'`
	if got := d.query(t, imported); got != "1" {
		t.Errorf("volunteers with the imported name: %s, want 1", got)
	}

	d.query(t, `UPDATE module_rota.volunteers SET label = 'Esther, who sings', rev = rev + 1
		WHERE label = 'Esther' RETURNING label`)
	p.runScript(`document.querySelector(".d-past-imports button").click()`)
	p.waitForText("Undone. Removed: 0. As before the import: 0.")
	p.waitForText("1 stays, because somebody has changed or used it since: Esther, who sings")

	p.runScript(`location.hash = "#/m/calendar/transfer"`)
	const dates = `input[accept*="ics"]`
	p.chooseFile(dates, putFile(t, "wrong.csv", []byte("x\n")))
	p.waitForText("Which column is which? These are the first rows of the file.")
	const fete = "title,start,end\nFete,2099-06-06T10:00,2099-06-06T11:00\nDoors,2099-06-06T10:00,never\n"
	p.chooseFile(dates, putFile(t, "fete.csv", []byte(fete)))
	p.waitForText("New: 1 event and 0 rooms.")
	p.waitForText("1 row is left out:")
	p.waitForText("Line 3: this is no date that the calendar can keep: never")
	p.click("button", "Import")
	p.waitForAnnouncement("1 event is imported")
	p.runScript(`location.hash = "#/m/calendar/transfer"`)
	p.waitForText("Imports of the last day")
	p.runScript(`document.querySelector(".d-past-imports button").click()`)
	p.waitForText("Undone. Removed: 1. As before the import: 0.")
	const fetes = `SELECT count(*)::text FROM module_calendar.events WHERE title = 'Fete'`
	if got := d.query(t, fetes); got != "0" {
		t.Errorf("events after the undo of their import: %s, want 0", got)
	}

	p.runScript(`location.hash = "#/m/stage/exchange"`)
	p.waitForText("Songs as text")
	p.fill("Songs as text", "Only a title")
	p.click("button", "Check the text")
	p.waitForText("1 row is left out:")
	p.waitForText("Line 1: Only a title: this song lacks a title or words, is too long or is there twice.")
	p.chooseFile(`input[multiple]`, putFile(t, "page.html", []byte("<p>x</p>")))
	p.waitForText("Line 1: page.html: this is not a file of songs that can be read here.")
	p.chooseFile(`input[multiple]`, putFile(t, "Größe.cho", []byte("{title: Chorded}\n[G]words\n")))
	p.waitForText("Größe.cho")
	p.waitForText("Songs: 1 new, 0 changed, 0 as they are.")
	p.click("button", "Import")
	p.waitForAnnouncement("1 song imported")
	p.fill("Songs as text", "A song of imports\n\nwords to sing")
	p.click("button", "Check the text")
	p.waitForText("Songs: 1 new, 0 changed, 0 as they are.")
	p.click("button", "Import")
	p.waitForAnnouncement("1 song imported")
	p.waitFor(`!document.body.innerText.includes("1 new")`)

	const archive = `input[accept*="application/json"]`
	p.chooseFile(archive, putFile(t, "stage.json", []byte(damagedStage)))
	p.waitForText("Services: 1 new, 0 changed, 0 as they are.")
	p.waitForText("1 row is left out:")
	p.waitForText("Line 2: Psalm: this song lacks a title or words, is too long or is there twice.")
	p.waitForText("Line 3: Advent: one of its songs is neither here nor in the file, and its item is left out.")
	p.click("button", "Import")
	p.waitForAnnouncement("Imported")

	p.runScript(`location.hash = "#/m/announcements"`)
	p.find("button", "Write a notice")
	p.chooseFile(archive, putFile(t, "notices.json", []byte(damagedNotices)))
	p.waitForText("Notices: 1 new, 0 changed, 0 as they are here.")
	p.waitForText("Notice 2 cannot be shown, or is there twice.")
	p.waitForText("The picture of notice 1 (Bazaar) is missing. The notice comes without it.")
	p.click("button", "Import")
	p.waitForAnnouncement("Imported")
	p.waitForText("Bazaar")
	p.chooseFile(archive, putFile(t, "other.json", []byte(damagedStage)))
	p.waitForText("It is not an export of notices.")
}

// damagedStage is an archive with a song without words, which an item of its service names.
const damagedStage = `{"songs":[
	{"id":"00000000-0000-4000-8000-000000000001","title":"Psalm","credit":"","sections":[]}],"services":[
	{"id":"00000000-0000-4000-8000-000000000002","title":"Advent","startsAt":"2099-11-29T10:00:00.000Z","items":[
		{"id":"00000000-0000-4000-8000-000000000003","kind":"song",
			"songId":"00000000-0000-4000-8000-000000000001"}]}]}`

// damagedNotices is an archive with a notice without its picture, and one without a title.
const damagedNotices = `{"announcements":1,"notices":[
	{"id":"00000000-0000-4000-8000-000000000001","kind":"notice","title":"Bazaar","body":"","payload":null,
		"imageId":"00000000-0000-4000-8000-000000000002","startsAt":null,"endsAt":null,"enabled":true},
	{"id":"00000000-0000-4000-8000-000000000003","kind":"notice","title":"","body":"","payload":null,
		"imageId":null,"startsAt":null,"endsAt":null,"enabled":true}],"pictures":[]}`
