package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBench: dev's own page shows what a module has registered, sends a request as the person who is signed
// in, runs a schedule, tells of an erasure, and shows what was asked.
func TestBench(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, "owner@example.org", "/", desktop)
	p.waitForHome()
	p.do(chromedp.Navigate(d.address + "/_dev/"))
	p.waitFor(`document.querySelector("select") !== null`)
	p.runScript(`const module = document.querySelector("select");
		module.value = "rota"; module.dispatchEvent(new Event("change", { bubbles: true }));`)
	p.waitForText("rota.manage")
	p.runScript(`const route = document.querySelectorAll("select")[1];
		route.value = [...route.options].find(({ text }) => text === "GET /mine").value;
		route.dispatchEvent(new Event("change", { bubbles: true }));`)
	p.click("button", "Send GET")
	p.waitFor(`document.querySelector("[aria-label='Try a route'] [role=status]").innerText.startsWith("200")`)
	const last = `document.querySelector("[aria-label='Last requests']").innerText`
	p.waitFor(last + `.includes("GET /api/v1/modules/rota/mine")`)
	p.click("button", "Run now: reminders")
	p.waitForText("reminders: Done.")
	p.waitFor(last + `.includes("RUN reminders")`)
	p.fill("Id of the person", "00000000-0000-4000-8000-000000000000")
	p.click("button", "Erase this person")
	p.waitFor(last + `.includes("ERASE 00000000")`)
	for _, size := range sizes {
		p.setView(size.view)
		p.assertFits()
		if size.rules != "" {
			p.assertRules("dev's page "+size.name, size.rules)
		}
		p.screenshot("bench-" + size.name)
	}
}
