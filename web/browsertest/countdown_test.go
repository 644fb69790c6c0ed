package browsertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// wrongClock makes the page's clock an hour slow.
const wrongClock = `(() => {
	const Right = Date;
	const now = () => Right.now() - 3600000;
	window.Date = class extends Right {
		constructor(...given) { super(...(given.length === 0 ? [now()] : given)); }
		static now() { return now(); }
	};
})();`

// faceOf selects the text of a countdown, which is in a shadow tree.
const faceOf = `[...document.querySelectorAll(".countdown")].at(-1)?.shadowRoot`

// TestCountdown is walk-through 9: a photograph and a countdown are created and shown now, and a wall whose
// clock is an hour wrong counts by the server's clock. A picture that is too large is refused with the limit.
// Without a network the wall shows no content of the module. Home shows the latest notice meanwhile.
func TestCountdown(t *testing.T) {
	d := startIn(t, install(t, "../../modules/announcements", "../../modules/countdown", "../../modules/home"))
	p := openPage(t, d.address, desktop)
	p.signInAs("owner@example.org", d.password)
	p.waitForText("Latest notice")
	p.waitFor(`document.querySelector("[data-module=home] .d-card a").innerText !== ""`)
	p.screenshot("home-daemon")
	p.do(chromedp.Navigate(d.address + "/#/m/announcements"))
	p.find("link", "Sunday service") // the sample
	p.click("button", "Write a notice")
	p.fill("Title", "Harvest supper")
	const input = `.announcements input[type="file"]`
	p.chooseFile(input, putFile(t, "film.mov", make([]byte, 9<<20)))
	p.waitForText("Too large: at most 8 MiB.")
	p.chooseFile(input, writePhotograph(t))
	p.waitForAnnouncement("The picture is ready.")
	p.click("button", "Save")
	p.find("link", "Harvest supper")

	screen := openWrongWall(t, d, p)
	p.click("button", "Show now: Harvest supper")
	screen.waitFor(`document.querySelector(".stage .slide img")?.getAttribute("width") === "1920"`)

	writeCountdown(p)
	t.Run("languages", func(t *testing.T) {
		leaveToProof(t, "it opens the same page in other languages")
		other := p.openTab("about:blank")
		for _, language := range []string{"de", "ar-XB"} {
			other.setLanguage(language)
			other.do(chromedp.Navigate(d.address + "/#/m/announcements/new/countdown.slide"))
			other.reload()
			other.waitFor(`document.querySelector(".preview .countdown")`)
			other.assertScreen("countdown-editor-"+language, true)
		}
	})
	p.click("button", "Show now: Before we begin")
	screen.waitFor(faceOf + `?.textContent.includes("We begin in")`)
	assertCountsRight(t, screen, p)
	screen.screenshot("countdown-wall")
	screen.setView(portrait)
	screen.screenshot("countdown-wall-portrait")

	d.stop(t)
	screen.reload()
	screen.waitForText("Waiting for the network")
	screen.assertNoText("We begin in")
	screen.waitFor(`!document.querySelector(".countdown, .slide")`)
}

// openWrongWall pairs a screen that shows the board and whose clock is wrong.
func openWrongWall(t *testing.T, d *devServer, p *tab) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	screen := &tab{t: t, ctx: ctx}
	screen.setView(landscape)
	screen.onNewDocument(hurried + wrongClock)
	screen.do(chromedp.Navigate(d.address + "/display/announcements"))
	p.fetchInPage("POST", "/api/v1/device-pairing/"+screen.pairingCode()+"/approve", `{"label":"Foyer"}`)
	screen.waitFor(`document.querySelector(".stage .slide")`)
	screen.waitForWorker()
	if wrong := eval[float64](screen, `Date.now()`) - float64(time.Now().UnixMilli()); wrong > -3.5e6 {
		t.Errorf("the clock of the wall is %v ms ahead, want an hour behind", wrong)
	}
	return screen
}

// writeCountdown creates a countdown that ends in two days, and checks its fields in every size.
func writeCountdown(p *tab) {
	p.t.Helper()
	p.chooseMenuItem("More", "New: Countdown")
	p.waitForHeading("New notice")
	p.fill("Title", "Before we begin")
	p.fill("What is counted down to", "We begin in")
	target := time.Now().Add(48*time.Hour + 30*time.Minute).Format("2006-01-02")
	p.runScript(fmt.Sprintf(`const field = document.querySelector(".announcements .d-fields input[type=date]");
		field.value = ""; field.dispatchEvent(new Event("input", { bubbles: true }));
		await new Promise((drawn) => setTimeout(drawn, 50));
		window.complained = document.querySelector(".announcements .d-fields").innerText;
		field.value = %q; field.dispatchEvent(new Event("input", { bubbles: true }));`, target))
	p.waitFor(`complained.includes("Choose a day.")`)
	p.waitFor(`!document.querySelector(".announcements .d-fields").innerText.includes("Choose a day.")`)
	p.waitFor(`document.querySelector(".preview .countdown")?.shadowRoot.textContent.includes("We begin in")`)
	p.assertScreen("countdown-editor", false)
	p.setView(desktop)
	p.runScript(`document.querySelector(".announcements form").requestSubmit()`) // a toast covers the button
	p.find("link", "Before we begin")
}

// assertCountsRight compares the countdown on the wall with the time left by this computer's clock, which is
// also the server's.
func assertCountsRight(t *testing.T, screen, p *tab) {
	t.Helper()
	p.fetchInPage("GET", "/api/v1/modules/announcements/slides", "")
	target := eval[string](p, `answer.slides.find(({ title }) => title === "Before we begin").payload.target`)
	ends, err := time.Parse(time.RFC3339, target)
	if err != nil {
		t.Fatal(err)
	}
	var said string
	screen.waitUntil("the countdown is right", func() bool {
		said = eval[string](screen, faceOf+`.querySelector(".days").textContent + " " + `+
			faceOf+`.querySelector(".time").textContent`)
		for _, off := range []time.Duration{0, time.Second, 2 * time.Second} {
			left := time.Until(ends).Truncate(time.Second) + off
			days := int(left / (24 * time.Hour))
			word := map[bool]string{true: "day", false: "days"}[days == 1]
			left -= time.Duration(days) * 24 * time.Hour
			want := fmt.Sprintf("%d %s %d:%02d:%02d", days, word, int(left.Hours()), int(left.Minutes())%60,
				int(left.Seconds())%60)
			if said == want {
				return true
			}
		}
		return false
	})
}
