package browsertest

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
)

const secretKeys = `"entrypoints": { "server": "bin/{os}-{arch}/team" },
	"configuration": [{ "key": "linkSigningKey", "type": "secret", "required": true }]`

// TestModuleWithoutItsSecret: of a module whose secret is missing, the screen Modules says which it is and
// who sets it, in both languages, and leads to the variable's name. With the secret the module starts.
func TestModuleWithoutItsSecret(t *testing.T) {
	t.Parallel()
	folder := install(t)
	writeModules(t, folder, map[string]string{
		"team/module.json": fmt.Sprintf(testManifest, "team", "Team", secretKeys),
	})
	platform := runtime.GOOS + "-" + runtime.GOARCH
	build(t, filepath.Join(folder, "modules", "team", "bin", platform, "team"), "./testdata/rota")
	d := startIn(t, folder, "--bare")
	p := d.openAs(t, "owner@example.org", "/#/admin/modules", desktop)
	p.waitForText("0 running, 1 blocked, 0 off")
	p.waitForText("Link signing key is missing. Whoever runs the server sets this secret.")
	p.screenshot("secret-missing-en")
	p.click("link", "Settings of Team")
	p.waitFor(`location.hash === "#/admin/modules/team/settings/linkSigningKey"`)
	p.waitForText("Not set on the server")
	p.waitForText("SERVICE_MODULE_SECRET__TEAM__LINK_SIGNING_KEY")
	p.setLanguage("de")
	p.runScript(`location.hash = "#/admin/modules"`)
	p.reload()
	p.waitForText("Link signing key fehlt. Dieses Geheimnis setzt, wer den Server betreibt.")
	p.screenshot("secret-missing-de")

	d.stop(t)
	next := launchDev(t, folder)
	d.daemon, d.address = next.daemon, next.address
	p = d.openAs(t, "owner@example.org", "/#/admin/modules", desktop)
	p.waitForText("1 running, 0 blocked, 0 off")
}
