package browsertest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// restart stops narthex dev and starts it with the same data.
func (d *devServer) restart(t *testing.T) {
	t.Helper()
	d.stop(t)
	next := launchDev(t, prepared.folder, "--data-dir", filepath.Join(d.folder, ".dev"))
	d.daemon, d.address = next.daemon, next.address
}

// dialogText is the text of the open dialog.
const dialogText = `document.querySelector("dialog[open]")?.innerText ?? ""`

// TestObstacles: of a blocked module the screen shows what is done, what is still missing and who can do it,
// from the next start's point of view. Another module's switch is not blamed for what waits anyway.
func TestObstacles(t *testing.T) {
	leaveToProof(t, "it starts a house again and again; TestModules has the reasons of blocked modules")
	t.Parallel()
	d := startHouse(t)
	d.exec(t, `DELETE FROM core.module_configuration
		WHERE module_id = 'rota' AND key IN ('teamName', 'dashboardLink')`)
	d.restart(t)
	p := d.openAs(t, "owner@example.org", "/#/admin/modules", desktop)
	p.waitForText("Name of the team has no value. teamName")
	p.assertNoText("Done:")

	p.click("link", "Settings of Rota")
	p.enter("textbox", "Name of the team", "Welcome team")
	p.click("button", "What would change?")
	p.waitFor(`(` + dialogText + `).includes("Rota will not start. Address of the Dashboard has no value.")`)
	p.click("button", "Close")
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	p.runScript(`location.hash = "#/admin/modules"`)
	p.waitForText("Done: Name of the team has a value. teamName")
	p.waitForText("Still missing: Address of the Dashboard has no value. dashboardLink")
	p.assertNoText("Name of the team has no value.")
	p.screenshot("obstacles-en")

	p.click("switch", "Start after restart: Countdown")
	p.waitFor(`(` + dialogText + `).includes("Countdown stops at the next restart.")`)
	const anyway = "After the next restart, in any case:"
	blamed, waiting, found := strings.Cut(eval[string](p, dialogText), anyway)
	if !found || strings.Contains(blamed, "Rota") || !strings.Contains(waiting, "Rota will not start.") {
		t.Errorf("the question about Countdown:\n%s%s%s", blamed, anyway, waiting)
	}
	p.screenshot("obstacles-dialog-en")
	p.click("button", "Leave it on")

	// Somebody who may only switch modules is told who can enter the value.
	switcher := d.addPerson(t, "switcher@example.org", "Switcher")
	d.grant(t, switcher, "core.modules.lifecycle.manage", "NULL")
	other := d.openAs(t, "switcher@example.org", "/#/admin/modules", desktop)
	other.waitForText("dashboardLink An administrator who may change settings of modules enters it.")
	other.setLanguage("de")
	other.reload()
	other.waitForText("Erledigt: Name des Teams hat einen Wert. teamName")
	other.waitForText("Noch nötig: Adresse des Dashboards hat keinen Wert. dashboardLink")
	other.screenshot("obstacles-de")

	p.click("link", "Settings of Rota")
	p.enter("textbox", "Address of the Dashboard", d.address)
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	p.runScript(`location.hash = "#/admin/modules"`)
	p.waitForText("Only the restart is missing. Whoever runs the server does it.")
	p.waitForNone("link", "Settings of Rota")
	p.screenshot("obstacles-done-en")
	d.restart(t)
	p.do(chromedp.Navigate(d.address + "/#/admin/modules"))
	p.waitForText("7 running")
	p.runScript(`location.hash = "#/admin/activity"`)
	p.waitForText("Name of the team (teamName)")
}
