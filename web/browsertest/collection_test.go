package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/narthex-platform/narthex/web"
	"github.com/narthex-platform/narthex/web/bundle"
)

// startLibrary starts a house with a module that is one collection of 120 books, with a field of every type.
func startLibrary(t *testing.T) *devServer {
	t.Helper()
	folder := install(t, "./testdata/library")
	module := filepath.Join(folder, "modules", "library")
	sdk, err := bundle.ReadSDK(web.SDK())
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := bundle.Module(module, sdk)
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		path := filepath.Join(module, script.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, script.Bytes, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return startIn(t, folder)
}

// setLibraryBook changes a column of a book as somebody else would.
func (d *devServer) setLibraryBook(t *testing.T, title, set string) {
	t.Helper()
	d.exec(t, `UPDATE module_library.books SET `+set+`, rev = rev + 1 WHERE title = '`+title+`'`)
}

// TestCollectionScreen walks through the kit's screen of a collection, whose server half is the SDK's.
func TestCollectionScreen(t *testing.T) {
	t.Parallel()
	d := startLibrary(t)
	p := d.openAs(t, "owner@example.org", "/#/m/library", desktop)
	p.keepAxe()
	t.Run("pages and search", func(t *testing.T) { p.t = t; searchBooks(p) })
	t.Run("form", func(t *testing.T) { p.t = t; writeBook(d, p) })
	t.Run("two people", func(t *testing.T) { p.t = t; changeBookTogether(d, p) })
	t.Run("order", func(t *testing.T) { p.t = t; orderBooks(d, p) })
	t.Run("undo", func(t *testing.T) { p.t = t; bringBookBack(d, p) })
	t.Run("tables", func(t *testing.T) { p.t = t; importBooks(d, p) })
	t.Run("reader", func(t *testing.T) { readBooks(t, d) })
	t.Run("screens", func(t *testing.T) { p.t = t; showBooks(d, p) })
}

const countBooks = `document.querySelectorAll(".d-collection .d-list > li").length`

// searchBooks: the list has pages, and the search finds what is beyond the first one.
func searchBooks(p *tab) {
	p.waitForHeading("Books")
	p.waitFor(countBooks + ` === 50`)
	p.assertNoText("Book 119")
	p.click("button", "Show more")
	p.waitFor(countBooks + ` === 100`)
	p.click("button", "Show more")
	p.waitFor(countBooks + ` === 120`)
	p.waitForNone("button", "Show more")
	p.enter("searchbox", "Search", "book 11")
	p.waitFor(countBooks + ` === 11`) // 11 and 110 to 119
	p.find("link", "Book 119")
	p.waitForNone("button", "Move Book 119") // the order of a selection is not the list's
	p.enter("searchbox", "Search", "psalter")
	p.waitForText("Nothing matches.")
	p.enter("searchbox", "Search", "")
	p.waitFor(countBooks + ` === 50`)
}

// writeBook adds a book. What is wrong is told at its field, by the form or by the server, and the focus goes
// there.
func writeBook(d *devServer, p *tab) {
	told := func(field, words string) {
		p.t.Helper()
		p.waitFor(fmt.Sprintf(`(({ innerText }) => innerText.startsWith(%q) && innerText.includes(%q))(
			document.activeElement.closest(".d-field"))`, field, words))
	}
	p.click("button", "New book")
	p.waitForHeading("New book")
	p.click("button", "Save")
	told("Title", "This cannot stay empty.")
	p.fill("Title", "Book 7")
	p.enter("spinbutton", "Pages optional", "9.5")
	p.click("button", "Save")
	told("Pages", "A whole number.")
	p.enter("spinbutton", "Pages optional", "9000") // the page does not know the server's limit
	p.click("button", "Save")
	told("Pages", "This cannot be saved like that.")
	p.enter("spinbutton", "Pages optional", "90")
	p.click("button", "Save")
	told("Title", "There is a book of that title.")
	p.fill("Title", "Psalter")
	p.fill("Blurb optional", "For every day.\nIn two columns.")
	p.fill("Subjects optional", "songs, prayers")
	p.chooseOption("Shelf", "In the office")
	p.click("checkbox", "Lent")
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	p.enter("searchbox", "Search", "psal")
	p.waitForText("Pages: 90 · In the office · Lent · songs, prayers")
	want := `Psalter|For every day.` + "\n" + `In two columns.|90||office|true|["songs", "prayers"]`
	got := d.query(p.t, `
		SELECT concat_ws('|', title, blurb, pages, coalesce(bought::text, ''), shelf, lent, tags)
		FROM module_library.books WHERE pages = 90`)
	if strings.ReplaceAll(got, "|t|", "|true|") != want {
		p.t.Errorf("stored: %q, want %q", got, want)
	}
}

// changeBookTogether: who saves what somebody else has changed meanwhile sees the other words first. Saving
// again replaces them; a book that is gone is added again. What is typed survives leaving the page.
func changeBookTogether(d *devServer, p *tab) {
	p.click("link", "Psalter")
	p.waitForHeading("Psalter")
	p.fill("Title", "Our psalter")
	p.runScript(`location.hash = "#/admin/activity"`)
	p.waitForHeading("Activity")
	d.setLibraryBook(p.t, "Psalter", `title = 'Their psalter', pages = 91`)
	p.runScript(`history.back()`)
	p.waitForText("Your draft is kept.")
	p.click("button", "Save")
	p.waitForText("Somebody else has changed it meanwhile.")
	p.waitFor(`(({ innerText: words }) => words.includes("Title\nTheir psalter") &&
		words.includes("Pages\n91") && !words.includes("Shelf"))(
		document.querySelector("[role=alert] .d-version"))`)
	p.assertAccessible("a book that two people have changed")
	p.screenshot("collection-conflict")
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	const stored = `SELECT title FROM module_library.books WHERE shelf = 'office'`
	if got := d.query(p.t, stored); got != "Our psalter" {
		p.t.Errorf("after saving again it is %q, want one's own words", got)
	}
	p.enter("searchbox", "Search", "psal")
	p.click("link", "Our psalter")
	p.fill("Title", "Psalms")
	d.exec(p.t, `DELETE FROM module_library.books WHERE title = 'Our psalter'`)
	p.click("button", "Save")
	p.waitForText("Somebody else has deleted it meanwhile. Saving adds it again.")
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	p.find("link", "Psalms")
	p.enter("searchbox", "Search", "")
	p.waitFor(countBooks + ` > 20`)
}

// firstBooks is the beginning of the list, as the page shows it.
const firstBooks = `[...document.querySelectorAll(".d-collection .d-list a.d-name")].slice(0, 3)
	.map(({ innerText }) => innerText).join()`

// orderBooks moves rows with the keyboard, in the menu and with the mouse, and another page follows.
func orderBooks(d *devServer, p *tab) {
	other := d.openAs(p.t, "owner@example.org", "/#/m/library", phone)
	other.waitFor(firstBooks + ` === "Book 1,Book 2,Book 3"`)
	p.runScript(`document.querySelector("[aria-label='Move Book 2']").focus()`)
	p.key(kb.ArrowUp, chromedp.ModifierAlt)
	p.waitForAnnouncement("Book 2 moved, position 1")
	p.waitFor(firstBooks + ` === "Book 2,Book 1,Book 3"`)
	p.waitFor(`document.activeElement.ariaLabel === "Move Book 2"`)
	other.waitFor(firstBooks + ` === "Book 2,Book 1,Book 3"`)
	// Lists are not answered: each move needs the rev of the one before.
	p.runScript(`window.honest = fetch; window.fetch = (address, init) =>
		String(address.url ?? address).includes("/books?") ? new Promise(() => {}) : honest(address, init)`)
	p.chooseMenuItem("More for Book 3", "Move up")
	p.waitFor(firstBooks + ` === "Book 2,Book 3,Book 1"`)
	p.waitForAnnouncement("Book 3 moved, position 2")
	row := func(title string) string {
		id := d.query(p.t, `SELECT id::text FROM module_library.books WHERE title = $1`, title)
		return "[data-row='" + id + "']"
	}
	p.drag(row("Book 1")+" .d-grip", row("Book 2"), -0.4)()
	p.waitForAnnouncement("Book 1 moved, position 1")
	other.waitFor(firstBooks + ` === "Book 1,Book 2,Book 3"`)
	p.runScript(`window.fetch = honest`)
	d.exec(p.t, `UPDATE module_library.books_rev SET rev = rev + 1`) // somebody else was faster
	p.chooseMenuItem("More for Book 3", "Move up")
	p.waitForAnnouncement("Somebody else has changed it meanwhile.")
	p.waitFor(firstBooks + ` === "Book 1,Book 2,Book 3"`)
}

// bringBookBack: a deleted book comes back where it was.
func bringBookBack(d *devServer, p *tab) {
	p.click("link", "Book 2")
	p.waitForHeading("Book 2")
	p.click("button", "Delete")
	p.waitForAnnouncement("Book 2 is deleted")
	p.waitFor(firstBooks + ` === "Book 1,Book 3,Book 4"`)
	p.click("button", "Undo")
	p.waitForAnnouncement("Book 2 is back")
	p.waitFor(firstBooks + ` === "Book 1,Book 2,Book 3"`)
}

// importBooks shows what a table would change before it is imported.
func importBooks(d *devServer, p *tab) {
	p.chooseMenuItem("More", "Import …")
	p.waitForText("with the columns title, blurb, pages, bought, shelf, lent, tags.")
	table := "title,pages,shelf\nBook 1,12,hall\nHymnal,30,office\nBroken,none,hall\n"
	p.chooseFile("input[type=file]", putFile(p.t, "books.csv", []byte(table)))
	p.waitForText("1 is new.")
	p.waitForText("1 is changed.")
	p.waitForText("Line 4: this cannot be imported: Pages")
	p.assertAccessible("a table of books")
	p.click("button", "Import")
	p.waitForAnnouncement("Imported")
	p.waitForHeading("Books")
	got := d.query(p.t, `SELECT string_agg(title || ' ' || pages, ', ' ORDER BY title) FROM module_library.books
		WHERE pages IN (12, 30)`)
	if got != "Book 1 12, Hymnal 30" {
		p.t.Errorf("imported: %q, want both books", got)
	}
}

// readBooks: who may not write reads the list and each book, and is offered nothing else.
func readBooks(t *testing.T, d *devServer) {
	p := d.openAs(t, d.member(t, "Ada"), "/#/m/library", phone)
	p.waitFor(countBooks + ` === 50`)
	p.waitForNone("button", "New book")
	p.waitForNone("button", "Move Book 2")
	p.click("link", "Book 1")
	p.waitForHeading("Book 1")
	p.waitForText("In the hall")
	p.waitForNone("button", "Save")
}

// showBooks checks list, form and import in every size, and in German.
func showBooks(d *devServer, p *tab) {
	id := d.query(p.t, `SELECT id::text FROM module_library.books WHERE title = 'Psalms'`)
	for _, language := range []string{"en", "de"} {
		p.setLanguage(language)
		for name, subpath := range map[string]string{"list": "", "new": "new", "row": id, "import": "import"} {
			p.do(chromedp.Navigate(d.address + "/#/m/library/" + subpath))
			p.reload()
			p.waitFor(`document.querySelector(".d-collection[lang^=` + language + `] :is(.d-list, form, .d-row)")`)
			p.assertScreen("collection-"+name+"-"+language, language == "de")
		}
	}
}
