package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestDisplayLanguage checks every state of a screen in the language of its house, which differs from the
// browser's.
func TestDisplayLanguage(t *testing.T) {
	leaveToProof(t, "it goes through every state of a screen")
	t.Parallel()
	w := startWalls(t, 4)
	w.publishText("Willkommen")
	w.setLanguage("de")

	silent := w.newTab(t)
	silent.onNewDocument(`window.fetch = () => new Promise(() => undefined)`)
	silent.do(chromedp.Navigate(w.fronts[0].origin + "/display/wall"))
	silent.waitFor(`document.querySelector("h1:not(.d-unseen)")`)
	silent.saveBothOrientations("booting")

	p := w.openScreen(t, w.fronts[0], "wall")
	p.waitForText("dann diesen Code eingeben")
	p.waitFor(`document.documentElement.lang === "de" && document.documentElement.dir === "ltr"`)
	p.assertAccessible("pairing in German")
	p.saveBothOrientations("de-pairing")
	p.forceColors()
	p.screenshot("display-de-pairing-forced")
	p.setView(tv)
	deviceID := w.approveCode(p.pairingCode())
	p.waitForText("Gekoppelt als „Back wall“")
	p.holdAt("Gekoppelt als")
	p.saveBothOrientations("de-paired")
	p.holdAt("Lassen Sie")
	p.waitForText("Lassen Sie diesen Bildschirm noch eine Minute an.")
	p.saveBothOrientations("de-leave-on")
	p.holdAt("")
	p.waitForText("Willkommen (1.0.0)")
	p.waitFor(`context.locale === "de" && context.dir === "ltr" &&
		document.querySelector(".host-layer").lang === "de"`)

	w.testTroubleInGerman(p)
	w.send("POST", "/api/v1/devices/"+deviceID+"/revoke", `{}`)
	p.runScript(`dispatchEvent(new Event("online"))`)
	p.waitForText("Dieser Bildschirm wurde entfernt.")
	p.saveBothOrientations("de-removed")

	refused, _ := w.openPairedScreen(t, w.fronts[1], "older")
	refused.waitForText("older kann auf diesem Bildschirm nicht starten.")
	refused.saveBothOrientations("de-refused")
	refused.forceColors()
	refused.screenshot("display-de-refused-forced")
	absent := w.openScreen(t, w.fronts[2], "ghost")
	absent.waitForText("Ghost ist hier ausgeschaltet.")
	absent.saveBothOrientations("de-switched-off")
	misplaced := w.newTab(t)
	misplaced.do(chromedp.Navigate(w.fronts[3].untrusted() + "/display/wall"))
	misplaced.waitForText("Unter dieser Adresse werden keine Bildschirme gekoppelt.")
	misplaced.saveBothOrientations("de-misplaced")
}

// testTroubleInGerman checks a mounted screen without a network, back online, reloaded without a network, and
// with a module that throws.
func (w *displayFixture) testTroubleInGerman(p *tab) {
	p.t.Helper()
	p.waitForWorker()
	f := w.fronts[0]
	p.runScript(`new MutationObserver(() => {
		const at = performance.now();
		// it lasts for three seconds
		if (document.querySelector(".host-indicator.host-back")) performance.now = () => at;
	}).observe(document.body, { subtree: true, childList: true, attributes: true })`)
	f.setFault(portal)
	p.waitFor(`later(5000) && document.body.innerText.includes("Verbindet neu, letzter Stand") &&
		document.querySelector(".host-stage[data-stale]")`)
	p.saveBothOrientations("de-reconnecting")
	f.setFault(passes)
	p.waitForText("Wieder verbunden")
	p.saveBothOrientations("de-back")
	f.setFault(portal)
	p.reload()
	p.waitForText("Wartet auf das Netzwerk")
	p.waitFor(`document.documentElement.lang === "de"`)
	p.saveBothOrientations("de-offline")
	f.setFault(passes)
	p.waitForText("Willkommen (1.0.0)")
	w.publishText("throw in update")
	p.waitFor(`later(11000) && document.body.innerText.includes("Startet neu, letzter Stand")`)
	p.saveBothOrientations("de-starting-again")
	w.publishText("Willkommen")
	p.waitFor(`document.querySelectorAll(".host-layer").length === 1 &&
		!document.body.innerText.includes("Startet neu")`)
}

// TestDisplayLanguageChanges: a mounted display changes to a new language of the house without a blank frame,
// and receives the direction of a right-to-left language.
func TestDisplayLanguageChanges(t *testing.T) {
	leaveToProof(t, "it changes the language of a screen, which seldom happens")
	t.Parallel()
	w := startWalls(t, 2)
	w.setLanguage("de")
	p, _ := w.openPairedScreen(t, w.fronts[0], "wall")
	p.waitFor(`context.locale === "de" && mounts === 1`)
	shown := p.record(20)
	w.setLanguage("en")
	p.runScript(`dispatchEvent(new Event("online"))`) // makes it resolve again at once
	p.waitFor(`context.locale.startsWith("en") && mounts === 2`)
	p.waitFor(`document.querySelectorAll(".host-layer").length === 1 &&
		document.documentElement.lang.startsWith("en")`)
	shown.finish()
	shown.assertNoBlank(t, "the change of language")

	arabic := w.newTab(t)
	arabic.onNewDocument(`(() => {
		const real = fetch;
		window.fetch = (address, ...more) => String(address) === "/api/v1/house"
			? Promise.resolve(new Response('{"name":null,"accent":"blue","language":"ar","timeZone":null}'))
			: real(address, ...more);
	})()`)
	arabic.do(chromedp.Navigate(w.fronts[1].origin + "/display/wall"))
	code := arabic.pairingCode()
	arabic.waitFor(`document.documentElement.dir === "rtl" && document.documentElement.lang === "en"`)
	arabic.saveBothOrientations("rtl-pairing")
	w.approveCode(code)
	arabic.waitFor(`context.locale === "ar" && context.dir === "rtl" &&
		getComputedStyle(document.querySelector(".wall")).direction === "rtl"`)
}

// setLanguage sets the language of the house.
func (w *displayFixture) setLanguage(language string) {
	w.t.Helper()
	w.send("PUT", "/api/v1/house", `{"name":null,"accent":"blue","language":"`+language+`","timeZone":null`+
		`,"secondFactor":"optional"}`)
}
