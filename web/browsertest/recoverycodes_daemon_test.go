package browsertest

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// setClipboard lets the page read and write the clipboard, or keeps it from both.
func (p *tab) setClipboard(setting browser.PermissionSetting) {
	p.t.Helper()
	own, err := chromedp.Call(p.ctx, target.GetTargetInfo, target.GetTargetInfoParams{})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		if _, err := chromedp.Call(p.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: setting,
			BrowserContextID: own.TargetInfo.BrowserContextID,
		}); err != nil {
			p.t.Fatal(err)
		}
	}
	if _, err := chromedp.Call(p.ctx, emulation.SetFocusEmulationEnabled,
		emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		p.t.Fatal(err)
	}
}

// TestRecoveryCodesArePrintedAndCopied: paper has the house, whose codes they are and each code, once, and
// nothing of the page behind. The clipboard gets one code a line. A browser that refuses the clipboard is not
// said to have copied.
func TestRecoveryCodesArePrintedAndCopied(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.setHouse(t, "Holy Trinity", "blue", "en")
	d.setZone(t, "Europe/Berlin")
	d.addPerson(t, "ada@example.org", "Ada")
	p := d.openAs(t, "ada@example.org", "/#/account", desktop)
	p.addAuthenticator()
	p.click("button", "Add a passkey")
	p.fill("Name", "Ada's phone")
	p.runScript(`document.querySelector("dialog[open] button.d-primary").click()`)
	p.waitForText("Your recovery codes")
	codes := strings.Fields(eval[string](p, `[...document.querySelectorAll(".host-codes li")]
		.map(({ innerText }) => innerText.trim()).join(" ")`))

	p.runScript(`window.print = () => { window.printed = true }`)
	p.click("button", "Print")
	p.waitFor("window.printed")
	sheets := p.printed("paper-codes")
	p.wantSheets("codes", sheets, 1)
	p.wantOnPaper("codes", sheets[0], "Holy Trinity", p.printedToday(), "Your recovery codes",
		"For ada@example.org, "+strings.TrimPrefix(d.address, "http://"))
	for _, code := range codes {
		if n := strings.Count(sheets[0], code); n != 1 {
			t.Errorf("the sheet has the code %s %d times, want once:\n%s", code, n, sheets[0])
		}
	}
	for _, words := range []string{"Where you are signed in", "Copy", "I have kept them", "nobody can show"} {
		if strings.Contains(sheets[0], words) {
			t.Errorf("the sheet has %q, which is only for a screen:\n%s", words, sheets[0])
		}
	}

	p.setClipboard(browser.PermissionSettingGranted)
	p.click("button", "Copy the codes")
	p.waitForAnnouncement("Copied")
	p.runScript(`window.copied = await navigator.clipboard.readText()`)
	copied := strings.Split(eval[string](p, "window.copied"), "\n")
	if !slices.Equal(copied, codes) {
		t.Errorf("copied are %q, want %q", copied, codes)
	}
	p.setClipboard(browser.PermissionSettingDenied)
	p.click("button", "Copy the codes")
	p.waitForAnnouncement("Not copied. Select it and copy it yourself.")
	p.assertAccessible("codes that were not copied")
	p.screenshot("passkey-codes-not-copied")
	p.setView(narrow)
	p.assertFits()
}
