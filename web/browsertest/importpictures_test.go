package browsertest

import "testing"

// importPreviews are pages with an import, each with a file that has good rows and bad ones.
var importPreviews = []struct{ name, path, input, file, content string }{
	{"rota", "/#/m/rota/transfer", `input[accept*="csv"]`, "helpers.csv",
		"Vorname;Nachname;E-Mail;Rollen\r\nEsther;Klein;esther@example.org;Tee\r\nJ\xfcrgen;;;\r\n;;;Technik\r\n" +
			"Ruth;Roth;ruth at home;Technik\r\n"},
	{"rota-archive", "/#/m/rota/transfer", `input[accept*="application/json"]`, "rota.json", damagedRota},
	{"calendar", "/#/m/calendar/transfer", `input[accept*="ics"]`, "dates.csv",
		"title,start,end\nFete,2099-06-06T10:00,2099-06-06T11:00\nDoors,2099-06-06T10:00,never\n" +
			",2099-06-07T10:00,\n"},
	{"ics", "/#/m/calendar/transfer", `input[accept*="ics"]`, "dates.ics",
		"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20990606T100000\nRRULE:FREQ=SECONDLY;INTERVAL=20\n" +
			"SUMMARY:Fr\xfchgebet mit einem langen Namen\nEND:VEVENT\nBEGIN:VEVENT\nUID:2\n" +
			"DTSTART:20990607T100000\nRRULE:FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30;BYHOUR=1,2,3,4,5,6\n" +
			"SUMMARY:Never\nEND:VEVENT\nEND:VCALENDAR\n"},
	{"songs", "/#/m/stage/exchange", `input[multiple]`, "songs.txt",
		"Amazing\n\nwords\n---\nOnly a title\n---\nAnother\n\nwords\n"},
	{"stage", "/#/m/stage/exchange", `input[accept*="application/json"]`, "stage.json", damagedStage},
	{"notices", "/#/m/announcements", `input[accept*="application/json"]`, "notices.json", damagedNotices},
	{"people", "/#/admin/people", `dialog input[type="file"]`, "people.csv",
		"Vorname;Nachname;E-Mail\r\nAda;\xd6z;ada.oez@example.org\r\nBen;Two;ben at home\r\nCleo;Park;\r\n"},
}

const damagedRota = `{"rota":1,
	"roles":[{"id":"00000000-0000-4000-8000-000000000001","name":"Tea"},{"name":"No id"}],
	"volunteers":[{"id":"00000000-0000-4000-8000-000000000011","label":"Ada Öz","email":"","language":"",
			"digest":false,"roleIds":["00000000-0000-4000-8000-000000000009"]},
		{"id":"00000000-0000-4000-8000-000000000012","label":"Ben","email":"ben at home"}],
	"assignments":[{"serviceId":"1","roleId":"00000000-0000-4000-8000-000000000001",
		"volunteerId":"00000000-0000-4000-8000-000000000012","status":"yes"}]}`

// TestImportPreviews: the preview of an import fits on a desktop and on the narrowest phone, light and dark,
// in both languages, and has no fault of accessibility.
func TestImportPreviews(t *testing.T) {
	leaveToProof(t, "it opens each import in two languages and three looks; TestImportOfFiles imports")
	t.Parallel()
	d := startHouse(t)
	narrowDark := narrow
	narrowDark.dark = true
	for _, one := range []struct {
		language, size string
		view           view
	}{
		{"en", "desktop", desktop},
		{"de", "desktop", desktop},
		{"en", "narrow", narrow},
		{"de", "narrow", narrow},
		{"en", "narrow-dark", narrowDark},
		{"de", "narrow-dark", narrowDark},
	} {
		for _, page := range importPreviews {
			p := d.openAs(t, "owner@example.org", "/", one.view)
			p.setLanguage(one.language)
			p.reload()
			p.runScript(`location.hash = "` + page.path[1:] + `"`)
			switch page.name {
			case "people":
				p.click("button", map[string]string{"en": "Invite people", "de": "Personen einladen"}[one.language])
			case "notices": // the list is there, which has the field
				p.find("button", map[string]string{"en": "Write a notice", "de": "Meldung schreiben"}[one.language])
			}
			p.chooseFile(page.input, putFile(t, page.file, []byte(page.content)))
			p.waitFor(`document.querySelector(".d-problems li")`)
			where := "import-" + page.name + "-" + one.language + "-" + one.size
			p.assertFits()
			p.assertAccessible(where)
			if page.name == "people" { // its dialog scrolls
				p.runScript(`document.querySelector(".d-problems").scrollIntoView({ block: "center" })`)
			}
			p.screenshot(where)
		}
	}
}
