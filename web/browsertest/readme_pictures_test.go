package browsertest

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

const imagesOfReadme = "../../docs/images"

// readmePictures are the pictures of README.md, by file name.
var readmePictures = map[string]struct {
	house string
	path  string
	show  func(p *tab) // waits until the page looks as in the picture
}{
	"announcements.png": {allRun, "/#/m/announcements", func(p *tab) {
		p.find("button", "Write a notice")
		p.waitFor(`document.querySelector(".slide")?.innerText.includes("Welcome")`)
	}},
	"modules.png": {someAreBlocked, "/#/admin/modules",
		func(p *tab) { p.waitForVisibleText("Stops at the next restart") }},
	"switching-off.png": {allRun, "/#/admin/modules", func(p *tab) {
		p.click("switch", "Start after restart: Stage")
		p.waitForVisibleText("Nothing happens before the next restart.")
	}},
	"permissions.png": {allRun, permissionsPath,
		func(p *tab) { p.waitForVisibleText("Drive the screens during a service") }},
	"navigation.png": {allRun, navigationScreen,
		func(p *tab) { p.waitForRows("Sunday: stage rota, Foyer: announcements, : calendar checklists") }},
	"sign-in.png": {allRun, "/", func(p *tab) { p.waitForHeading("Sign in") }},
}

// The house of a picture: all modules run, or some are blocked and one stops at the next restart.
const allRun, someAreBlocked = "all modules run", "some are blocked"

// startPictured starts the house of the pictures, with people who hold permissions, and with screens.
func startPictured(t *testing.T) *devServer {
	t.Helper()
	d := startNamedHouse(t)
	d.addScreens(t, `('Choir', 'stage', interval '1 minute'), ('Nave', 'stage', interval '1 minute')`)
	d.member(t, "Coordinator", manageGrants)
	sound := d.idOf(t, d.member(t, "Sound 1", manageNotices))
	d.grant(t, sound, "stage.live.control", "'2030-12-31T17:00:00Z'")
	return d
}

// TestReadmePictures: every picture of README.md shows a page that this test opens. SCREENSHOTS=write writes
// the pictures; they are not compared, because their fonts depend on the machine.
func TestReadmePictures(t *testing.T) {
	leaveToProof(t, "it opens the pages of pictures; other tests open the same")
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, found := range regexp.MustCompile(`src="docs/images/([^"]+)"`).FindAllSubmatch(readme, -1) {
		shown = append(shown, string(found[1]))
	}
	var made []string
	for name := range readmePictures {
		made = append(made, name)
	}
	d := startPictured(t)
	t.Run(allRun, func(t *testing.T) { testPictures(t, d, allRun) })
	d.blockSome(t)
	d.call(t, "PUT", "/api/v1/module-lifecycle/stage/enabled", object{"enabled": false})
	t.Run(someAreBlocked, func(t *testing.T) { testPictures(t, d, someAreBlocked) })
	for name := range platformPictures {
		made = append(made, name)
	}
	slices.Sort(shown)
	slices.Sort(made)
	if !slices.Equal(shown, made) {
		t.Errorf("README.md shows %v, the pictures are %v", shown, made)
	}
}

// testPictures opens the pages of those pictures that are of this house.
func testPictures(t *testing.T, d *devServer, house string) {
	for name, picture := range readmePictures {
		if picture.house != house {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := d.front(t)
			if name != "sign-in.png" {
				h.session = d.signedInOwner(t)
			}
			p := h.open(picture.path, readmeView)
			p.waitFor(`document.documentElement.dataset.accent === "copper"`)
			picture.show(p)
			p.runScript(`await Promise.all(document.getAnimations().map(({ finished }) => finished))`)
			if os.Getenv("SCREENSHOTS") != "write" {
				return
			}
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
		})
	}
}
