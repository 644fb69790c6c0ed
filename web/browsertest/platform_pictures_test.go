package browsertest

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// platformPictures are the pictures of README.md that show the sample modules as "make dev" runs them.
var platformPictures = map[string]struct {
	view view
	path string
	show func(p *tab) // waits until the page looks as in the picture
}{
	"home.png": {readmeView, "/#/", func(p *tab) {
		p.waitForVisibleText("Next service")
		p.waitForVisibleText("Coming up")
		p.waitForVisibleText("Latest notice")
	}},
	"calendar.png": {readmeView, "/#/m/calendar", func(p *tab) { p.waitForVisibleText("Choir practice") }},
	"rota.png": {readmeView, "/#/m/rota/board/" + time.Now().AddDate(0, 0, 14).Format("2006-01"),
		func(p *tab) { p.waitForVisibleText("Martha") }},
	"stage.png": {view{width: 390, height: 844, reduced: true}, "/#/m/stage", func(p *tab) {
		press := func(words string) {
			p.t.Helper()
			p.waitForVisibleText(words)
			p.runScript(`[...document.querySelectorAll("main a, main button")]
				.find((control) => control.innerText.trim().startsWith("` + words + `")).click();`)
		}
		press("Drive")
		press("Take control")
		const words = `document.querySelector("main").innerText`
		for range 2 { // to the second words of the first song
			before := eval[string](p, words)
			press("Next")
			p.waitFor(fmt.Sprintf(`%s !== %q`, words, before))
		}
	}},
}

var readmeView = view{width: 1280, height: 657, reduced: true}

// TestPlatformPictures writes the pictures if SCREENSHOTS=write. Otherwise it is skipped, because other tests
// open these pages.
func TestPlatformPictures(t *testing.T) {
	if os.Getenv("SCREENSHOTS") != "write" {
		t.Skip("the pictures are asked for by SCREENSHOTS=write")
	}
	modules := "../../modules/"
	d := startIn(t, install(t, modules+"announcements", modules+"countdown", modules+"home", modules+"stage",
		modules+"rota", modules+"calendar"))
	p := openPage(t, d.address, desktop)
	p.waitForHeading("Sign in")
	p.fill("E-mail", "owner@example.org")
	p.fill("Password", d.password)
	p.click("button", "Sign in")
	p.waitForHome()
	p.runScript(`await fetch("/api/v1/house", { method: "PUT", headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ name: "Hill Street Church", accent: "copper", language: "en",
			timeZone: "UTC" }) });`)
	for name, picture := range platformPictures {
		p.setView(picture.view)
		p.do(chromedp.Navigate("about:blank"))
		p.do(chromedp.Navigate(d.address + picture.path))
		p.waitFor(`document.documentElement.dataset.accent === "copper"`)
		picture.show(p)
		p.runScript(`await Promise.all(document.getAnimations().map(({ finished }) => finished))`)
		shot, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := png.Decode(bytes.NewReader(shot))
		if err == nil {
			err = writePicture(filepath.Join(imagesOfReadme, name), decoded)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
