package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
)

// addPasskey adds a passkey on the opened screen Account and returns the recovery codes.
func (p *tab) addPasskey(name string) (codes []string) {
	p.t.Helper()
	p.click("button", "Add a passkey")
	p.fill("Name", name)
	p.runScript(`document.querySelector("dialog[open] button.d-primary").click()`)
	p.waitForText(name)
	p.waitFor(`[...document.querySelectorAll("li bdi")].some(({ innerText }) => innerText === "` + name + `")`)
	if eval[bool](p, `document.querySelector("dialog[open] .host-codes") !== null`) {
		codes = strings.Fields(eval[string](p, `[...document.querySelectorAll(".host-codes li")]
			.map(({ innerText }) => innerText.trim()).join(" ")`))
		p.click("button", "I have kept them")
	}
	return codes
}

// signInWith sends the recovery code.
func (p *tab) signInWith(code string) {
	p.t.Helper()
	p.fill("Recovery code", code)
	p.click("button", "Sign in")
	p.waitForHome()
}

// trouble is a person with a passkey in a device, who has just signed out.
type trouble struct {
	house           *devServer
	device          webauthn.AuthenticatorID
	codes           []string
	email, password string
}

// shows is an expression that is true on a page with these words.
func shows(words string) string { return fmt.Sprintf("document.body?.innerText.includes(%q)", words) }

// signInUntil sends the password, again while the platform asks for a pause, until an expression is true.
func (p *tab) signInUntil(of trouble, expression string) {
	p.t.Helper()
	p.fillSignIn(of.email, of.password)
	p.submitUntil(expression)
}

// TestSecondStepInTrouble: what keeps somebody from using their passkey has its own words, and a way out.
func TestSecondStepInTrouble(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	for name, test := range map[string]func(*tab, trouble){
		"WrongDevice": testWrongDevice,
		"Cancelled":   testCancelledPrompt,
		"NoSupport":   testNoSupport,
		"LostPhone":   testLostPhone,
		"TooLate":     testTooLate,
		"Replayed":    testReplayed,
		"Copied":      testCopiedPasskey,
	} {
		t.Run(name, func(t *testing.T) {
			email := strings.ToLower(name) + "@example.org"
			d.addPerson(t, email, name)
			p := d.openAs(t, email, "/#/account", phone)
			device := p.addAuthenticator()
			codes := p.addPasskey("My phone")
			p.click("button", "Sign out")
			p.waitForHeading("Sign in")
			test(p, trouble{d, device, codes, email, d.password})
		})
	}
}

// testWrongDevice: the passkey is built into another device, which this browser knows.
func testWrongDevice(p *tab, of trouble) {
	p.removeDevice(of.device)
	p.signInUntil(of, shows("One more step"))
	p.waitForText("Your passkey is on another device. Sign in there, or use a recovery code here.")
	p.assertAccessible("the second step on the wrong device")
	p.assertFits()
	p.screenshot("second-step-wrong-device")
	p.click("button", "Use a recovery code")
	p.signInWith(of.codes[0])
}

// testCancelledPrompt: the browser does not say whether its question was closed, or has no passkey to offer.
func testCancelledPrompt(p *tab, of trouble) {
	p.runScript(`window.get = navigator.credentials.get.bind(navigator.credentials);
		navigator.credentials.get = () => Promise.reject(new DOMException("", "NotAllowedError"))`)
	p.signInUntil(of, shows("One more step"))
	p.waitForText("Nothing was confirmed. Try again. Is the passkey on another device? " +
		"Choose that in the browser.")
	p.runScript(`navigator.credentials.get = window.get`)
	p.click("button", "Use the passkey")
	p.waitForHome()
}

// testNoSupport: a browser without passkeys asks for a recovery code at once, in German here.
func testNoSupport(p *tab, of trouble) {
	p.onNewDocument(`delete window.PublicKeyCredential`)
	p.setLanguage("de")
	p.reload()
	p.waitForText("Passwort")
	p.typeInto("[type=email]", of.email)
	p.typeInto("[autocomplete=current-password]", of.password)
	p.submitUntil(shows("Dieser Browser kann keine Passkeys. Verwenden Sie einen Ihrer zehn Notfallcodes."))
	p.assertAccessible("the second step without passkeys")
	p.assertFits()
	p.screenshot("second-step-no-support-german")
	p.fill("Notfallcode", of.codes[0])
	p.click("button", "Anmelden")
	p.waitFor(`document.querySelector(".host-account") !== null`)
}

// testLostPhone: a recovery code lets them in, and the lost passkey is removed under Account.
func testLostPhone(p *tab, of trouble) {
	p.removeDevice(of.device)
	p.addDevice("usb") // somebody else's security key
	p.signInUntil(of, shows("One more step"))
	p.waitForText("Device lost? Use a recovery code, then remove its passkey under Account.")
	p.click("button", "Use a recovery code")
	p.waitForText("No codes either? Whoever runs the server can help.")
	p.signInWith(of.codes[0])
	p.openAccount()
	p.waitForText("9 recovery codes left")
	p.click("button", "Sign out")
	p.signInUntil(of, shows("One more step"))
	p.click("button", "Use a recovery code")
	p.fill("Recovery code", of.codes[0])
	p.click("button", "Sign in")
	p.waitForText("This code does not work. Each code works once.")
	p.signInWith(of.codes[1])
	p.openAccount()
	p.click("button", "Remove the passkey: My phone")
	p.runScript(removeInDialog)
	p.waitForNone("button", "Remove the passkey: My phone")
}

// testTooLate: whoever looks for their codes longer than a sign-in waits is not told that the code is wrong,
// and it is not used up.
func testTooLate(p *tab, of trouble) {
	p.removeDevice(of.device)
	p.signInUntil(of, shows("One more step"))
	of.house.exec(p.t, `UPDATE core.pending_sign_in SET expires_at = now()`)
	p.click("button", "Use a recovery code")
	p.fill("Recovery code", of.codes[0])
	p.click("button", "Sign in")
	const ended = "This sign-in has ended; it waits only five minutes. Begin again with your password."
	p.waitForText(ended)
	p.assertAccessible("the second step when it is too late")
	p.assertFits()
	p.screenshot("second-step-too-late")
	p.click("button", "Begin again")
	p.signInUntil(of, shows("One more step"))
	p.click("button", "Use a recovery code")
	p.signInWith(of.codes[0])
}

// testReplayed: what a browser has sent for one sign-in completes no other.
func testReplayed(p *tab, of trouble) {
	p.runScript(`const send = window.fetch; window.fetch = (address, init) => {
		if (String(address).endsWith("/second-factor")) window.sent = init.body;
		return send(address, init);
	}`)
	p.signInUntil(of, signedIn)
	p.openAccount()
	p.click("button", "Sign out")
	p.runScript(`navigator.credentials.get = () => Promise.reject(new DOMException("", "NotAllowedError"))`)
	p.signInUntil(of, shows("One more step"))
	p.waitForText("Nothing was confirmed.")
	p.runScript(`void fetch("/api/v1/second-factor", {
		method: "POST", headers: { "Content-Type": "application/json" }, body: window.sent,
	}).then(async (response) => (window.answered = response.status + " " + (await response.text())))`)
	p.waitFor(`window.answered === '403 {"code":"SECOND_FACTOR_INVALID"}'`)
}

// testCopiedPasskey: a passkey whose counter is behind that of a copy is refused.
func testCopiedPasskey(p *tab, of trouble) {
	of.house.exec(p.t, `UPDATE core.passkey SET sign_count = 1000
		WHERE person_id = (SELECT id FROM core.person WHERE email = '`+of.email+`')`)
	p.signInUntil(of, shows("The passkey was not accepted. Try again."))
}

// TestTwoDevicesAndAWrongClock: a person has a passkey in two devices, each of which signs in, and a browser
// whose clock is an hour wrong adds and uses passkeys like any other.
func TestTwoDevicesAndAWrongClock(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	for name, hours := range map[string]int{"Early": -1, "Late": 1} {
		email := strings.ToLower(name) + "@example.org"
		d.addPerson(t, email, name)
		p := d.openAs(t, email, "/", desktop)
		p.onNewDocument(fmt.Sprintf(`const now = Date.now; Date.now = () => now() + %d * 3_600_000;
			Date = class extends Date { constructor(...given) { super(...(given.length ? given : [Date.now()])) } }`,
			hours))
		first := p.addAuthenticator()
		p.reload()
		p.openAccount()
		p.addPasskey("Phone")
		p.removeDevice(first)
		p.addDevice("usb")
		p.addPasskey("Security key")
		p.click("button", "Sign out")
		p.signInAs(email, d.password)
		p.openAccount()
		p.waitForText("last used")
		used := eval[string](p, `[...document.querySelectorAll(".host-own li")]
			.filter(({ innerText }) => innerText.includes("last used")).map((li) =>
			li.querySelector("bdi").innerText).join()`)
		if used != "Security key" {
			t.Errorf("%s: used are %q, want the security key alone", name, used)
		}
	}
}

// TestPasskeysInTheSplitTopology: passkeys belong to the Dashboard's host, and the API at another one accepts
// them from its pages.
func TestPasskeysInTheSplitTopology(t *testing.T) {
	t.Parallel()
	s := startSplit(t)
	s.run()
	p := openPage(t, s.dashboard, desktop)
	p.addAuthenticator()
	p.signInAs("owner@example.org", s.password)
	p.openAccount()
	if codes := p.addPasskey("Phone"); len(codes) != 10 {
		t.Errorf("%d recovery codes, want ten", len(codes))
	}
	p.click("button", "Sign out")
	p.signInAs("owner@example.org", s.password)
	p.openAccount()
	p.waitForText("last used")
	p.click("button", "Remove the passkey: Phone")
	p.runScript(removeInDialog)
	p.waitForNone("button", "Remove the passkey: Phone")
}
