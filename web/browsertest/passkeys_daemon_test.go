package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// addAuthenticator gives the page's browser a device that makes and uses passkeys without a person.
func (p *tab) addAuthenticator() webauthn.AuthenticatorID {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
		p.t.Fatal(err)
	}
	return p.addDevice("internal")
}

// addDevice is addAuthenticator for a further device: "internal" is built in, "usb" is a security key.
func (p *tab) addDevice(transport webauthn.AuthenticatorTransport) webauthn.AuthenticatorID {
	p.t.Helper()
	device := webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: "ctap2", Transport: transport, HasResidentKey: true, HasUserVerification: true,
		AutomaticPresenceSimulation: true, IsUserVerified: true,
	}}
	added, err := chromedp.Call(p.ctx, webauthn.AddVirtualAuthenticator, device)
	if err != nil {
		p.t.Fatal(err)
	}
	return added.AuthenticatorID
}

// removeDevice takes a device from the page's browser.
func (p *tab) removeDevice(id webauthn.AuthenticatorID) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, webauthn.RemoveVirtualAuthenticator,
		webauthn.RemoveVirtualAuthenticatorParams{AuthenticatorID: id})
	if err != nil {
		p.t.Fatal(err)
	}
}

// removeInDialog presses the button that has the same name as others behind the dialog.
const removeInDialog = `[...document.querySelectorAll("dialog[open] button")]
	.find(({ innerText }) => innerText === "Remove").click()`

func (p *tab) openAccount() {
	p.t.Helper()
	p.waitForHome()
	p.runScript(`location.hash = "#/account"`)
	p.waitForHeading("Account")
}

// TestPasskeys: a person adds a passkey and gets recovery codes. From then on the password alone does not
// sign in: the passkey does, or a code, once. Without the last passkey the password is enough again.
func TestPasskeys(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	d.addPerson(t, "ada@example.org", "Ada")
	p := d.openAs(t, "ada@example.org", "/#/account", desktop)
	p.addAuthenticator()
	p.click("button", "Add a passkey")
	p.assertAccessible("the dialog for a passkey")
	p.fill("Name", "Ada's phone")
	p.runScript(`document.querySelector("dialog[open] button.d-primary").click()`)
	p.waitForText("Your recovery codes")
	p.screenshot("passkey-codes")
	p.assertAccessible("the recovery codes")
	codes := strings.Fields(eval[string](p, `[...document.querySelectorAll(".host-codes li")]
		.map(({ innerText }) => innerText.trim()).join(" ")`))
	if len(codes) != 10 {
		t.Fatalf("%d recovery codes, want ten", len(codes))
	}
	p.click("button", "I have kept them")
	p.waitForText("Ada's phone")
	p.waitForText("10 recovery codes left")
	p.assertFits()
	p.screenshot("passkeys")
	p.click("button", "Add a passkey")
	p.runScript(`document.querySelector("dialog[open] button.d-primary").click()`)
	p.waitForText("This device has a passkey for your account already.")
	p.click("button", "Cancel")

	p.click("button", "Sign out")
	p.signInAs("ada@example.org", d.password)
	p.openAccount()
	p.waitForText("last used")

	p.click("button", "Sign out")
	p.runScript(`navigator.credentials.get = () => Promise.reject(new DOMException("", "NotAllowedError"))`)
	p.signInAs("ada@example.org", d.password)
	p.waitForHeading("One more step")
	p.waitForText("Nothing was confirmed.")
	p.assertAccessible("the second step")
	p.screenshot("second-step")
	p.click("button", "Use a recovery code")
	p.fill("Recovery code", "0000-0000-0000-0000")
	p.click("button", "Sign in")
	p.waitForText("This code does not work.")
	p.fill("Recovery code", codes[0])
	p.click("button", "Sign in")
	p.openAccount()
	p.waitForText("9 recovery codes left")

	d.exec(t, `UPDATE core.session SET created_at = created_at - interval '11 minutes'`)
	p.click("button", "Remove the passkey: Ada's phone")
	p.runScript(removeInDialog)
	p.waitForText("Sign in again first")
	p.click("button", "Not now")
	d.exec(t, `UPDATE core.session SET created_at = now()`)
	p.click("button", "Remove the passkey: Ada's phone")
	p.waitForText("your password alone is enough")
	p.runScript(removeInDialog)
	p.waitForNone("button", "Remove the passkey: Ada's phone")
	p.click("button", "Sign out")
	p.signInAs("ada@example.org", d.password)
	p.waitForHome()
}
