package browsertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const imagesOfReadme = "../../docs/images"

// readmePictures are the pictures of README.md, by file name.
var readmePictures = map[string]struct {
	path string
	open func(t *testing.T, h *fixture)
	show func(p *tab) // waits until the page looks as in the picture
}{
	"announcements.png": {"/#/m/announcements", func(t *testing.T, h *fixture) {
		setModulesFixture(t, h)
		newNoticesFixture(t, h, "announcements.slides.read", "announcements.slides.manage")
		h.setNavigation(everyPermission, nil, group("sunday", "Sunday",
			module("announcements", "Announcements", object{"icon": "megaphone",
				"permissions": []string{"announcements.slides.read", "announcements.slides.manage"}})))
		h.handle("GET /api/v1/module-realtime/announcements/notices", showWelcome)
	}, func(p *tab) {
		p.find("button", "Write a notice")
		p.waitFor(`document.querySelector(".slide")?.innerText.includes("Coffee and tea")`)
	}},
	"modules.png": {"/#/admin/modules", func(t *testing.T, h *fixture) {
		setModulesFixture(t, h).setModule("songs", decidedToStop)
	}, func(p *tab) { p.waitForVisibleText("Stops at the next restart") }},
	"switching-off.png": {"/#/admin/modules", func(t *testing.T, h *fixture) {
		setModulesFixture(t, h).respondPreview("stage", offPreview)
	}, func(p *tab) {
		p.click("switch", "Start after restart: Stage")
		p.waitForVisibleText("Nothing happens before the next restart.")
	}},
	"permissions.png": {"/#/admin/permissions", peopleOfHouse,
		func(p *tab) { p.waitForVisibleText("Drive the stage") }},
	"navigation.png": {"/#/admin/navigation", func(t *testing.T, h *fixture) { setNavigationFixture(t, h) },
		func(p *tab) { p.waitForRows("Sunday: stage songs, : announcements countdown") }},
	"sign-in.png": {"/", func(*testing.T, *fixture) {}, func(p *tab) { p.waitForHeading("Sign in") }},
}

// showWelcome serves the announcements' channel: the board shows one notice.
func showWelcome(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "event: snapshot\ndata: %s\n\n", jsonText(object{
		"serverTime": timestamp(time.Now()), "rev": 1, "show": nil,
		"settings": object{"slideSeconds": 120, "showClock": true, "transition": "cut", "idleMessage": ""},
		"slides":   []object{slide(1, "Welcome", "Coffee and tea are served in the foyer after the service.", nil)},
	}))
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func jsonText(value object) string {
	text, _ := json.Marshal(value) // cannot fail for texts and numbers
	return string(text)
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
	for name, picture := range readmePictures {
		made = append(made, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			picture.open(t, h)
			h.respond("GET /api/v1/house", 200,
				`{"name":"Hill Street Church","accent":"copper","language":"en","timeZone":null,"rev":1}`)
			h.respond("GET /api/v1/account", 200,
				`{"userId":"`+person+`","email":"coordinator@example.org","name":"Coordinator"}`)
			p := openPage(t, "about:blank", readmeView)
			p.do(chromedp.Navigate(h.URL + picture.path))
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
	for name := range platformPictures {
		made = append(made, name)
	}
	slices.Sort(shown)
	slices.Sort(made)
	if !slices.Equal(shown, made) {
		t.Errorf("README.md shows %v, the pictures are %v", shown, made)
	}
}
