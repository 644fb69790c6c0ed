package browsertest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestGalleryPictures compares every part of the gallery, and the dialogs and menus over it, with the
// pictures in testdata: on a wide light page and on a narrow dark one, as on a phone; and on a narrow light
// one the parts with words of the kit in German, which are longer.
func TestGalleryPictures(t *testing.T) {
	leaveToProof(t, "it compares pictures")
	t.Parallel()
	for _, look := range []struct {
		name, query string
		width       int64
	}{
		{"light", "", 700},
		{"phone-dark", "?theme=dark", 390},
		{"german", "?lang=de", 390},
	} {
		t.Run(look.name, func(t *testing.T) {
			t.Parallel()
			p := gallery(t, look.query, view{width: look.width, height: 800, reduced: true})
			p.unifyRendering()
			if os.Getenv("SCREENSHOTS") == "write" {
				if err := os.WriteFile(browserFile, []byte(p.version()+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if look.name == "german" {
				p.assertGermanLooks()
				return
			}
			parts := eval[[]string](p, `[...document.querySelectorAll("section")].map((s) => s.ariaLabel)`)
			for _, part := range parts {
				p.assertPartLooks(part, look.name)
			}
			p.click("button", "More for Welcome")
			p.find("menu", "More for Welcome")
			p.assertLooks("menu-open-"+look.name, "[role=menu]")
			p.key("\x1b")
			p.click("combobox", "Person")
			p.key("read")
			p.waitForAnnouncement("2 matches")
			p.assertLooks("combobox-open-"+look.name, "section:has([role=combobox])")
			p.key("\x1b")
			p.click("button", "Take it down")
			p.waitForAnnouncement("Choir practice taken down.")
			p.assertLooks("toast-shown-"+look.name, ".d-toast")
			p.click("button", "Rename")
			p.find("dialog", "Rename Back wall")
			p.assertLooks("dialog-"+look.name, "dialog[open]")
			p.key("\x1b")
			p.click("button", "Switch off")
			p.find("dialog", "Switch off Announcements?")
			p.assertLooks("confirm-"+look.name, "dialog[open]")
		})
	}
}

// assertPartLooks compares one part of the gallery with its picture.
func (p *tab) assertPartLooks(part, look string) {
	p.t.Helper()
	name := strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(part))
	p.assertLooks(name+"-"+look, fmt.Sprintf("section[aria-label=%q]", part))
}

// assertGermanLooks compares the parts that have words of the kit.
func (p *tab) assertGermanLooks() {
	p.t.Helper()
	for _, part := range []string{"Field", "Date and time", "Draft", "Other version", "Screen header and zone"} {
		p.assertPartLooks(part, "german")
	}
	p.click("button", "Umbenennen")
	p.find("dialog", "Rückwand umbenennen")
	p.assertLooks("dialog-german", "dialog[open]")
	p.key("\x1b")
	p.click("button", "Ausschalten")
	p.find("dialog", "Aushänge ausschalten?")
	p.assertLooks("confirm-german", "dialog[open]")
}
