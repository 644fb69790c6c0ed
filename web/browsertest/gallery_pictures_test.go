package browsertest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestGalleryPictures compares every part of the gallery, and the dialogs and menus over it, with the
// pictures in testdata: on a wide light page and on a narrow dark one, as on a phone.
func TestGalleryPictures(t *testing.T) {
	leaveToProof(t, "it compares pictures")
	t.Parallel()
	for _, look := range []struct {
		name, query string
		width       int64
	}{
		{"light", "", 700},
		{"phone-dark", "?theme=dark", 390},
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
			parts := eval[[]string](p, `[...document.querySelectorAll("section")].map((s) => s.ariaLabel)`)
			for _, part := range parts {
				name := strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(part))
				p.assertLooks(name+"-"+look.name, fmt.Sprintf("section[aria-label=%q]", part))
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
