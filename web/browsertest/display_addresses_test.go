package browsertest

import "testing"

// testAddresses: an address that was not typed exactly shows words, or the display that was meant.
func testAddresses(t *testing.T, w *displayFixture, f *faultProxy) {
	for path, words := range map[string]string{
		"/display/wal":  "Wal is switched off here.",
		"/display/Wall": "Wall is switched off here.",
		"/display/%E4":  "%E4 is switched off here.", // in Latin-1
		"/display/":     "There is no display at this address.",
		"/display//a/b": "There is no display at this address.",
	} {
		p := w.newTab(t)
		begin(p, f.origin+path)
		p.waitForText(words)
		p.waitForText("The addresses are in the Dashboard")
		p.saveBothOrientations("no-display")
	}
	for _, path := range []string{"/display/wall/", "/display/wall/index.html", "/display/wall/a/b"} {
		p := w.newTab(t)
		p.runScript(`setTimeout(() => location.assign("` + f.origin + path + `"))`)
		p.waitFor(`location.pathname === "/display/wall"`)
		p.pairingCode()
	}
}
