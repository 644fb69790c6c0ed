package browsertest

import "testing"

// testAddresses: an address that was not typed exactly shows words, or the display that was meant.
func testAddresses(t *testing.T, w *displayFixture, f *faultProxy) {
	for path, words := range map[string]string{
		"/display/wal":  "Wal is switched off here.",
		"/display/Wall": "Wall is switched off here.",
		"/display/%E4":  "%E4 is switched off here.", // in Latin-1
		"/display/":     "There is no display at this address.",
	} {
		p := w.newTab(t)
		begin(p, f.origin+path)
		p.waitForText(words)
		p.waitForText("The addresses are in the Dashboard")
		p.saveBothOrientations("no-display")
	}
	p := w.newTab(t)
	begin(p, f.origin+"/display/wall/")
	p.pairingCode()
	p.waitFor(`location.pathname === "/display/wall"`)
}
