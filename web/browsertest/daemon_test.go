package browsertest

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// devServer is a running "narthex dev" with a database of its own and the announcements module.
type devServer struct {
	*daemon
	folder, address, password string

	signingIn sync.Mutex
	owner     *http.Cookie // of signedInOwner
}

func start(t *testing.T) *devServer {
	t.Helper()
	return startIn(t, install(t, "../../modules/announcements"))
}

// startIn starts narthex dev in a folder that install made.
func startIn(t *testing.T, folder string, flags ...string) *devServer {
	t.Helper()
	d := launchDev(t, folder, flags...)
	d.password, _, _ = strings.Cut(strings.TrimSpace(d.waitForLine(t, "Password")), " ")
	return d
}

// launchDev starts narthex dev with the program and the modules of a folder.
func launchDev(t *testing.T, folder string, flags ...string) *devServer {
	t.Helper()
	flags = append([]string{"dev", "--port", "4300"}, flags...) // or the next free one
	command := exec.Command(filepath.Join(folder, "narthex"), flags...)
	command.Dir = folder
	d := &devServer{daemon: launch(t, command), folder: folder}
	d.address = strings.TrimSpace(d.waitForLine(t, "Narthex runs at"))
	return d
}

// TestDaemon is walk-throughs 1 and 3 on the real platform, with the real announcements module.
func TestDaemon(t *testing.T) {
	d := start(t)
	p := openPage(t, d.address, desktop)
	enter := func(p *tab, password string) {
		t.Helper()
		p.waitForHeading("Sign in")
		p.fill("E-mail", "owner@example.org")
		p.fill("Password", password)
		p.click("button", "Sign in")
	}
	enter(p, d.password)
	p.waitForHome()
	p.find("navigation", "Modules")
	p.waitFor(`localStorage.length > 2`) // the house's name, the page's frame and the visit of Home
	const visit = `[[["narthex.frame","columns"],` + keptHome + "," + keptHouse + `],[],""]`
	if kept := eval[string](p, stored); kept != visit {
		t.Errorf("kept in the browser: %s, want %s", kept, visit)
	}
	cookies, err := chromedp.Call(p.ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil || len(cookies.Cookies) != 1 || !cookies.Cookies[0].HTTPOnly ||
		cookies.Cookies[0].Name != "narthex_session" {
		t.Errorf("cookies: %v %v", cookies, err)
	}

	p.click("link", "Announcements")
	p.waitForHeading("Announcements")
	p.find("link", "Shared lunch")
	p.click("button", "Write a notice")
	p.fill("Title", "Harvest supper")
	p.click("button", "Save")
	p.find("link", "Harvest supper")
	p.chooseMenuItem("More for Harvest supper", "Move up")
	p.waitFor(`heard.some((words) => /^Harvest supper moved, position \d of \d$/.test(words))`)
	p.click("button", "Take down Harvest supper")
	p.waitForAnnouncement("Harvest supper is taken down")
	p.reload()
	p.find("button", "Publish Harvest supper")
	p.screenshot("real-announcements")

	second := openPage(t, d.address, phone)
	second.click("button", "Forgot password?")
	second.fill("E-mail", "owner@example.org")
	second.click("button", "Send link")
	second.waitForText("If that address has an account, a link is on its way.")
	link := d.address + "/?service_auth=reset-password" +
		strings.Fields(d.waitForLine(t, "/?service_auth=reset-password"))[0]
	second.do(chromedp.Navigate(link))
	second.fill("New password", "quite a new one")
	second.click("button", "Save new password")
	second.waitForText("Your other devices were signed out.")
	second.do(chromedp.Navigate(link))
	second.fill("New password", "and another one")
	second.click("button", "Save new password")
	second.waitForText("This link no longer works.")

	p.click("button", "Publish Harvest supper") // the session has ended in the meantime
	enter(p, "quite a new one")
	p.find("link", "Harvest supper")
	p.runScript(`document.querySelector(".host-account > button").click()`)
	p.click("button", "Sign out")
	p.waitForHeading("Sign in")
	if cookies, err := chromedp.Call(p.ctx, network.GetCookies, network.GetCookiesParams{}); err != nil ||
		len(cookies.Cookies) != 0 {
		t.Errorf("cookies after signing out: %v", fmt.Sprint(cookies.Cookies, err))
	}
}
