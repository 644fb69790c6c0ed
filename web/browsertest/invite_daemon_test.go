package browsertest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// testInviteDialogStaysInPlace: the buttons do not move when the permissions arrive, so nobody presses beside
// them.
func testInviteDialogStaysInPlace(t *testing.T, d *peopleHouse) {
	leaveToProof(t, "it measures where buttons are; the case Invite invites")
	for name, size := range map[string]view{"desktop": desktop, "narrow": narrow} {
		p := d.openAs(t, "owner@example.org", "/#/admin/people", size)
		p.find("button", "Invite people")
		p.runScript(`const plain = window.fetch;
			window.fetch = async (...asked) => {
				if (String(asked[0].url ?? asked[0]).includes("/api/v1/permissions"))
					await new Promise((resolve) => (window.release = resolve));
				return plain(...asked);
			}`)
		p.click("button", "Invite people")
		p.waitFor(`window.release !== undefined`)
		const top = `[...document.querySelectorAll("dialog button")].at(-1).getBoundingClientRect().top`
		before := eval[float64](p, top)
		p.runScript(`window.release()`)
		p.waitFor(`document.querySelector(".host-picker li")`)
		if after := eval[float64](p, top); after != before {
			t.Errorf("%s: the button is %v px below the top, and %v px when the permissions are there", name, before,
				after)
		}
	}
}

// testInviteMany: rows that were copied from a spreadsheet are invited with their names, what
// cannot be read stays, and Escape loses nothing.
func testInviteMany(t *testing.T, d *peopleHouse) {
	leaveToProof(t, "it pastes many rows; the case Invite invites several people, too")
	p := d.openAs(t, "owner@example.org", "/#/admin/people", desktop)
	p.click("button", "Invite people")
	d.exec(t, `TRUNCATE core.invitation`)
	rows := []string{"Surname\tFirst name\tE-mail", "Nobody\tWithout\t"}
	for i := range 120 {
		rows = append(rows, fmt.Sprintf("Family%d\tReader\tsinger%d@example.org", i, i))
	}
	p.runScript(fmt.Sprintf(`const list = document.querySelector("dialog textarea"); list.value = %q;
		list.dispatchEvent(new Event("input", { bubbles: true }))`, strings.Join(rows, "\n")))
	p.waitForText("1 entry cannot be read. The other people (120) are ready to be invited.")
	p.waitForText("Line 2: Nobody")
	p.click("button", "Invite 120 people")
	p.runScript(`document.querySelector("dialog").dispatchEvent(new Event("cancel", { cancelable: true }))`)
	p.waitUntil("everybody is invited", func() bool {
		return d.query(t, `SELECT count(*)::text FROM core.invitation`) == "120"
	})
	p.waitFor(`document.querySelector("dialog textarea").value.startsWith("Nobody")`)
	if got := d.query(t, `SELECT name FROM core.invitation WHERE email = 'singer7@example.org'`); got !=
		"Reader Family7" {
		t.Errorf("the name of a row is read as %q, want Reader Family7", got)
	}
	p.runScript(`document.querySelector("dialog").dispatchEvent(new Event("cancel", { cancelable: true }))`)
	p.waitForText("Discard the list?")
}

// testInviteFromFiles: a table of another program comes into the list after a preview that names its bad
// rows, a workbook too, and unknown headings are chosen.
func testInviteFromFiles(t *testing.T, d *peopleHouse) {
	p := d.openAs(t, "owner@example.org", "/#/admin/people", desktop)
	p.click("button", "Invite people")
	const field = `dialog input[type="file"]`
	p.chooseFile(field, putFile(t, "helpers.csv", []byte("Vorname;Nachname;E-Mail\r\n"+
		"Ada;Byron;ada.byron@example.org\r\nBen;\xd6z;ben.oez@example.org\r\nCleo;Park;cleo at home\r\n")))
	p.waitForText("2 people would come into the list. Nobody is invited yet.")
	p.waitForText("Line 4: this is not an e-mail address: cleo at home")
	p.waitForText("The file does not say how its letters are written.")
	p.assertFits()
	p.assertAccessible("the preview of a table of people")
	p.click("button", "Import")
	p.waitFor(`document.querySelector("dialog textarea").value ===
		"Ada Byron <ada.byron@example.org>\nBen Öz <ben.oez@example.org>"`)
	p.find("button", "Invite 2 people")
	p.chooseFile(field, putFile(t, "helpers.xlsx", workbookOf(t, `<row r="1"><c t="s"><v>0</v></c>
		<c t="s"><v>1</v></c></row><row r="3"><c r="B3" t="inlineStr"><is><t>dora@example.org</t></is></c></row>`)))
	p.waitForText("Which column is which?")
	p.click("button", "Cancel")
	p.waitForNone("button", "Show what would come in")
	p.chooseFile(field, putFile(t, "mails.xlsx", workbookOf(t, `<row r="1"><c t="s"><v>2</v></c></row>
		<row r="2"><c r="A2" t="inlineStr"><is><t>dora@example.org</t></is></c></row><row r="3"><c r="A3"><v>7</v>
		</c></row>`)))
	p.waitForText("1 person would come into the list.")
	p.waitForText("Line 3: this is not an e-mail address: 7")
	p.click("button", "Import")
	p.find("button", "Invite 3 people")
	p.chooseFile(field, putFile(t, "broken.xlsx", []byte("PK\x03\x04 and nothing else")))
	p.waitForText("This file cannot be read. Save it as .xlsx or .csv, without a password.")
}

// workbookOf packs the rows of a sheet as a workbook.
func workbookOf(t *testing.T, rows string) []byte {
	t.Helper()
	var file bytes.Buffer
	packed := zip.NewWriter(&file)
	for name, content := range map[string]string{
		"xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="x" r:id="rId7"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId7" Target="worksheets/first.xml"/>` +
			`</Relationships>`,
		"xl/sharedStrings.xml": `<sst><si><t>Wer</t></si><si><r><t>Wo</t></r><r><t>hin</t></r></si>` +
			`<si><t>Mail</t></si></sst>`,
		"xl/worksheets/first.xml": `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`,
	} {
		part, err := packed.Create(name)
		if err == nil {
			_, err = part.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
