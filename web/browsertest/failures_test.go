package browsertest

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// waitForVisibleText waits for a text that is visible: on the screen and not covered. Text that is only for
// screen readers does not count.
func (p *tab) waitForVisibleText(words string) {
	p.t.Helper()
	p.waitFor(visibleText(words))
}

func visibleText(words string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("body *")].some((element) => {
		if (!element.innerText?.includes(%[1]q)) return false;
		if ([...element.children].some((child) => child.innerText?.includes(%[1]q))) return false;
		const { x, y, width, height } = element.getBoundingClientRect();
		if (width < 20 || height < 10) return false;
		const hit = document.elementFromPoint(x + width / 2, y + height / 2);
		return hit !== null && (element.contains(hit) || hit.contains(element));
	})`, words)
}

// offline disconnects the page from the network, or reconnects it.
func (p *tab) offline(offline bool) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		conditions := network.Conditions{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1}
		state := network.OverrideNetworkStateParams{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1}
		if _, err := cdp.Call(ctx, t, network.OverrideNetworkState, state); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, t, network.EmulateNetworkConditionsByRule,
			network.EmulateNetworkConditionsByRuleParams{
				MatchedNetworkConditions: []*network.Conditions{&conditions},
			})
		return err
	}))
}

// testMountErrorReachesTheConsole: an error that a module's mount throws is in the browser's console, where
// its author looks.
func testMountErrorReachesTheConsole(t *testing.T, d *devServer) {
	h := d.notes(t, `throw new Error("no such shelf");`)
	h.production = true
	p := openPage(t, "about:blank", desktop)
	p.onNewDocument(
		`window.logged = []; console.error = (...words) => logged.push(words.map(String).join(" "));`,
	)
	h.load(p, "/#/m/notes")
	p.waitForText("Notes could not be shown.")
	p.waitFor(`logged.some((line) => line.includes("notes") && line.includes("no such shelf"))`)
	p.assertNoText("no such shelf") // people see only the code; the page of "narthex dev" shows more
}

// testMountErrorIsOnThePageInDev: under "narthex dev" the page shows the error in the place of the module.
func testMountErrorIsOnThePageInDev(t *testing.T, d *devServer) {
	h := d.notes(t, `throw new Error("no such shelf");`)
	p := h.open("/#/m/notes", desktop)
	p.waitForText("Notes could not be shown.")
	p.waitForVisibleText("no such shelf")
}

// testNewVersion: a tab that was open during an upgrade says so, but only when the person returns to it.
func testNewVersion(t *testing.T, d *devServer) {
	h := d.notes(t, kept)
	p := h.openWithClock("/#/m/notes")
	p.waitForText("Here are the notes.")
	p.runScript(`later(3600000); see(false); see(true)`)
	p.runScript(`await new Promise((resolve) => setTimeout(resolve, 300))`)
	p.assertNoText("A new version is here.")
	h.setBuild("fedcba9876543210")
	p.runScript(`later(3600000); see(false); see(true)`)
	p.waitForVisibleText("A new version is here.")
	p.runScript(`window.first = true`)
	p.click("button", "Reload")
	p.waitFor(`window.first === undefined`)
	p.waitForText("Here are the notes.")
	p.assertNoText("A new version is here.")
}
