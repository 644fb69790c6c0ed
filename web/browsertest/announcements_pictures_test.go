package browsertest

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/chromedp"
)

// chooseFile sets the file of the input that a selector finds, as the system's file dialog would.
func (p *tab) chooseFile(selector, path string) {
	p.t.Helper()
	p.waitFor(`document.querySelector(` + jsonOf(p.t, selector) + `)`)
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		document, err := cdp.Call(ctx, t, dom.GetDocument, dom.GetDocumentParams{})
		if err != nil {
			return err
		}
		found, err := cdp.Call(ctx, t, dom.QuerySelector,
			dom.QuerySelectorParams{NodeID: document.Root.NodeID, Selector: selector})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, t, dom.SetFileInputFiles,
			dom.SetFileInputFilesParams{NodeID: found.NodeID, Files: []string{path}})
		return err
	}))
}

// writePhotograph writes a JPEG of about six MiB that is larger than a screen; noise cannot be compressed.
func writePhotograph(t *testing.T) (path string) {
	t.Helper()
	const width, height = 3200, 2000
	random := rand.New(rand.NewPCG(1, 2))
	canvas := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			noise := uint8(random.IntN(90))
			canvas.SetRGBA(x, y, color.RGBA{120 + noise, uint8(100*y/height) + noise, 60 + noise/2, 255})
		}
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, canvas, &jpeg.Options{Quality: 97}); err != nil {
		t.Fatal(err)
	}
	if file.Len() < 5<<20 || file.Len() > 8<<20 {
		t.Fatalf("the photograph has %d bytes, want about six MiB", file.Len())
	}
	return putFile(t, "photograph.jpg", file.Bytes())
}

// putFile writes a file into a new temporary folder.
func putFile(t *testing.T, name string, content []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAnnouncementsPictures: on the real platform a photograph becomes a notice, the Dashboard shows the same
// as the board, and Show now takes effect at once.
func TestAnnouncementsPictures(t *testing.T) {
	d := start(t)
	p := openPage(t, d.address+"/#/m/announcements", desktop)
	p.submit("owner@example.org", d.password)
	p.find("link", "Welcome")
	p.waitFor(`document.querySelector(".now .slide")`)
	p.waitFor(`document.querySelector(".thumbnail img")?.naturalWidth > 0`) // of the sample notice
	p.assertAccessible("announcements with the board")
	p.screenshot("announcements-board")

	p.click("button", "Write a notice")
	p.fill("Title", "Harvest supper")
	const input = `.announcements input[type="file"]`
	p.chooseFile(input, putFile(t, "page.html", []byte("<script>alert(1)</script>")))
	p.waitForText("This is not a picture that can be shown. Choose a JPEG, PNG or WebP.")
	p.chooseFile(input, putFile(t, "film.mov", make([]byte, 9<<20)))
	p.waitForText("Too large: at most 8 MiB.")
	p.chooseFile(input, writePhotograph(t))
	p.waitForAnnouncement("The picture is ready.")
	p.waitFor(`document.querySelector(".preview img")?.getAttribute("width") === "1920"`)
	p.assertNoText("Too large")
	p.assertAccessible("the editor with a picture")
	p.screenshot("announcements-editor")
	p.setView(narrow)
	p.assertFits()
	p.screenshot("announcements-editor-narrow")
	p.setView(desktop)
	p.click("button", "Save")
	p.find("link", "Harvest supper")
	p.waitFor(`document.querySelectorAll(".thumbnail img").length === 2`)

	p.click("button", "Show now: Harvest supper")
	p.waitForAnnouncement("Harvest supper is on every screen")
	p.waitFor(`[...document.querySelectorAll(".now .slide-title")].at(-1).textContent === "Harvest supper"`)
	p.waitFor(`document.querySelector(".now .slide img").getAttribute("width") === "1920"`)
	p.waitFor(`document.querySelector(".now figcaption").textContent.startsWith("On the board until")`)
	p.screenshot("announcements-shown")
	p.click("button", "Stop showing: Harvest supper")
	p.waitForAnnouncement("The board goes on")
	p.find("button", "Show now: Harvest supper")
	p.setView(narrow)
	p.assertFits()
	p.screenshot("announcements-board-narrow")
	p.setView(desktop)

	// Another tab writes: the list in the first tab is updated without a reload.
	second := p.openTab(d.address + "/#/m/announcements")
	second.click("button", "Take down Harvest supper")
	p.find("button", "Publish Harvest supper")
	p.click("link", "Harvest supper")
	p.waitFor(`document.querySelector(".preview img")?.getAttribute("width") === "1920"`)
	p.click("button", "Remove the picture")
	p.waitFor(`document.querySelector(".preview .slide[data-layout=text]")`)
	p.click("button", "Save")
	p.waitFor(`document.querySelectorAll(".thumbnail img").length === 1`)
	testExchange(t, p)
}

// TestSmallPictures: a list shows the smallest size of a picture, a few kilobytes that the browser keeps for
// the next visit, and nothing moves when it comes.
func TestSmallPictures(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	p := d.openIn(t, chromium, d.signedInOwner(t), nothing, phone)
	p.onNewDocument(countsShifts)
	p.delayed()
	p.do(chromedp.Navigate(d.address + "/#/m/announcements"))
	const thumbnail = `document.querySelector(".thumbnail img")`
	p.waitFor(thumbnail + `?.naturalWidth > 0`) // of the sample notice
	response, err := http.Get(eval[string](p, thumbnail+`.currentSrc`))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("reading the thumbnail: %d, %v", response.StatusCode, err)
	}
	if len(content) > 10<<10 {
		t.Errorf("a thumbnail has %d bytes, want at most 10 KiB", len(content))
	}
	if kept := response.Header.Get("Cache-Control"); kept != "private, max-age=21600, immutable" {
		t.Errorf("a thumbnail has Cache-Control %q", kept)
	}
	if shape := eval[string](p, thumbnail+`.getAttribute("width") + " × " + `+thumbnail+
		`.getAttribute("height")`); shape != "1600 × 900" {
		t.Errorf("a thumbnail says that it is %s, want 1600 × 900", shape)
	}
	if moved := eval[float64](p, "shifted"); moved > 0.02 {
		t.Errorf("layout shift %.3f, want at most 0.02:\n%s", moved, eval[string](p, `movements.join("\n")`))
	}
}

// testExchange exports all notices to a file, and imports one: an error in it is reported with its place, and
// the changes must be confirmed first.
func testExchange(t *testing.T, p *tab) {
	t.Helper()
	p.runScript(`URL.createObjectURL = (blob) => {
		blob.text().then((text) => window.saved = text);
		return "#";
	}`)
	p.chooseMenuItem("More", "Export all notices")
	p.waitFor(`window.saved?.includes('"title":"Harvest supper"') && JSON.parse(saved).pictures.length === 1`)
	saved := eval[string](p, `saved`)
	const input = `input[accept*="json"]`
	p.chooseFile(input, putFile(t, "broken.json", []byte(strings.Replace(saved, "Harvest supper", "", 1))))
	p.waitFor(`/Notice \d cannot be shown/.test(document.querySelector("dialog").innerText)`)
	p.assertAccessible("an import without one of its notices")
	p.screenshot("announcements-import-damaged")
	p.setView(narrow)
	p.assertFits()
	p.setView(desktop)
	p.click("button", "Cancel")
	p.waitFor(`document.querySelector("dialog") === null`)
	changed := strings.Replace(saved, "Harvest supper", "Harvest lunch", 1)
	p.chooseFile(input, putFile(t, "good.json", []byte(changed)))
	p.waitFor(`/Notices: 0 new, 1 changed, \d+ as they are here\./.test(document.body.innerText)`)
	p.screenshot("announcements-import")
	p.click("button", "Import")
	p.waitForAnnouncement("Imported")
	p.find("link", "Harvest lunch")
}
