package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// heldWrites keeps all writes of the page in it until the test calls release. They are in sent.
const heldWrites = `
	const send = window.fetch;
	let opened;
	window.hold = () => {
		window.sent = [];
		window.answered = 0;
		opened = new Promise((go) => (window.release = go));
	};
	hold();
	release();
	window.fetch = async (address, options = {}) => {
		if ((options.method ?? "GET") === "GET") return send(address, options);
		sent.push(options.method + " " + new URL(address, location.href).pathname);
		await opened;
		try {
			return await send(address, options);
		} finally {
			answered++;
		}
	};`

// pressAll submits the form of a field by Enter and by its button, and each of them twice.
const pressAll = `
	const form = document.querySelector(%q).closest("form");
	const button = form.querySelector("button[type=submit]") ??
		form.closest("dialog").querySelector(".d-dialog-footer > :is(.d-primary, .d-danger)");
	for (let i = 0; i < 2; i++) {
		form.requestSubmit();
		button.click();
	}`

// completed fills in what some forms need beside their first field.
var completed = map[string]string{
	"checklist": `const steps = document.querySelector("main textarea");
		steps.value = "A step";
		steps.dispatchEvent(new Event("input", { bubbles: true }))`,
	"item": `const kind = document.querySelector("dialog select");
		kind.value = "reading";
		kind.dispatchEvent(new Event("change", { bubbles: true }))`,
	"song": `const words = document.querySelector("main textarea");
		words.value = "A line";
		words.dispatchEvent(new Event("input", { bubbles: true }))`,
}

// sendsOnce presses all that submits a form, at once and after the page was painted again, while the first
// write is under way.
func (p *tab) sendsOnce(name, field string) {
	p.t.Helper()
	presses := fmt.Sprintf(pressAll, field)
	p.runScript(`hold();` + presses)
	p.waitFor(`sent.length > 0`)
	p.runScript(`await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
		if (document.querySelector(` + fmt.Sprintf("%q", field) + `)?.closest("form")) {` + presses + `}
		release();`)
	p.waitFor(`answered === sent.length`)
	if sent := eval[[]string](p, `sent`); len(sent) != 1 {
		p.t.Errorf("%s: sent %d times: %s", name, len(sent), strings.Join(sent, ", "))
	}
}

// TestFormIsSentOnce: who presses Enter and the button, or one of them twice, before the answer is there, has
// sent the form once.
func TestFormIsSentOnce(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	addresses := d.houseAddresses(t)
	d.addPerson(t, "anna@example.org", "Anna")

	p := openPage(t, "about:blank", desktop)
	p.onNewDocument(heldWrites)
	p.do(chromedp.Navigate(d.address))
	p.fill("E-mail", "owner@example.org")
	p.fill("Password", d.password)
	p.sendsOnce("sign-in", "input[type=email]")
	p.waitForHome()

	p.runScript(`location.hash = "#/` + addresses.Replace("m/stage/live/{service}") + `"`)
	p.click("button", "Take control")
	p.find("button", "Message")
	for _, form := range forms {
		if form.name == "songs" || form.name == "grant" { // buttons without a form; a longer way
			continue
		}
		t.Run(form.name, func(t *testing.T) {
			usually(t, form.name, "room", "group", "message", "service", "account")
			p.t = t
			p.openForm(addresses.Replace(form.path), form.opener, form.field)
			p.runScript(fmt.Sprintf(`const field = document.querySelector(%q); field.value = %q;
				field.dispatchEvent(new Event("input", { bubbles: true }))`, form.field, form.text))
			p.runScript(completed[form.name])
			p.sendsOnce(form.name, form.field)
		})
	}
	p.t = t
	p.runScript(`location.hash = "#/admin/permissions"`)
	p.chooseGrant("Anna", "stage.plan.edit")
	p.sendsOnce("grant", "dialog input[type=date]")
}
