package browsertest

import (
	"fmt"
	"testing"
)

// TestColumnsAreChosen: a table whose headings nobody knows is shown with the question which column is which.
// Its good rows come in, the others are named, with a file of them; and all of it can be undone.
func TestColumnsAreChosen(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	list := putFile(t, "Gemeindeliste.csv", []byte("Wer;Wohin;Womit\n"+
		"Ada Lovelace;ada@example.org;Technik\nBen;two words;\nCleo;;Chor, Technik\n;nobody@example.org;\n"))
	for _, row := range []struct {
		language                       string
		view                           view
		which, missing, name, email    string
		look, counts, left, line, file string
	}{
		{
			"en", desktop,
			"Which column is which?", "Choose the column: Whole name or First name or Family name.",
			"Whole name", "E-mail",
			"Show what would come in", "New: 2. Changed: 0. As before: 0.", "2 rows are left out:", "Line 3: ",
			"Save these rows as a file",
		},
		{
			"de", phone,
			"Welche Spalte ist welche?", "Wählen Sie die Spalte: Ganzer Name oder Vorname oder Nachname.",
			"Ganzer Name", "E-Mail",
			"Zeigen, was hereinkäme", "Neu: 2. Geändert: 0. Wie bisher: 0.", "2 Zeilen werden ausgelassen:",
			"Zeile 3: ", "Diese Zeilen als Datei speichern",
		},
	} {
		p := d.openAs(t, "owner@example.org", "/#/account", row.view)
		p.setLanguage(row.language)
		p.runScript(`location.hash = "#/m/rota/transfer"`)
		p.reload()
		const input = `input[accept*="csv"]`
		p.waitFor("document.querySelector('" + input + "') !== null")
		p.chooseFile(input, list)
		p.waitForText(row.which)
		p.screenshot("import-columns-" + row.language)
		p.assertAccessible("the choice of columns in " + row.language)
		p.assertFits()
		p.click("button", row.look)
		p.waitForText(row.missing)
		p.chooseOption(row.name, "A: Wer")
		p.chooseOption(row.email, "B: Wohin")
		p.click("button", row.look)
		for _, text := range []string{row.counts, row.left, row.line} {
			p.waitForText(text)
		}
		p.find("button", row.file)
		p.waitFor(`!document.getAnimations().some((one) => one instanceof CSSTransition)`)
		p.screenshot("import-preview-" + row.language)
		p.assertAccessible("the preview in " + row.language)
		p.assertFits()
		if row.language == "de" {
			p.click("button", "Importieren")
			p.waitFor(`document.querySelectorAll(".d-past-imports > li").length === 1`)
			p.screenshot("import-past-" + row.language)
			p.assertFits()
		}
	}
	const imported = `SELECT COALESCE(string_agg(label || ' ' || email, ', ' ORDER BY label), '')
		FROM module_rota.volunteers WHERE label IN ('Ada Lovelace', 'Ben', 'Cleo')`
	if got := d.query(t, imported); got != "Ada Lovelace ada@example.org, Cleo " {
		t.Errorf("volunteers after the import: %s, want those of the two good rows", got)
	}
}

// chooseOption chooses an option of a list by the texts of both.
func (p *tab) chooseOption(label, option string) {
	p.t.Helper()
	p.find("combobox", label)
	p.runScript(fmt.Sprintf(`
		const select = [...document.querySelectorAll("select")].find(({ labels }) =>
			[...labels].some(({ textContent }) => textContent.trim() === %q));
		select.value = [...select.options].find(({ text }) => text === %q).value;
		select.dispatchEvent(new Event("change", { bubbles: true }))`, label, option))
}
