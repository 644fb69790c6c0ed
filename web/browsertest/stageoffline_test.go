package browsertest

import "testing"

// TestDrivingWithoutNetwork: the phone that drives says at once that the network is gone, nothing lies over
// Next, and a press without network is not done later by itself.
func TestDrivingWithoutNetwork(t *testing.T) {
	t.Parallel()
	s := startStage(t)
	screen, _ := s.openPairedScreen(t, s.fronts[0], "stage")
	phoned := s.openOwner("live/"+s.service, phone)
	phoned.click("button", "Take control")
	screen.waitFor(words + `.startsWith("Amazing grace!")`)
	phoned.find("button", "Next")
	phoned.offline(true)
	phoned.waitForVisibleText("There is no network. Presses do nothing until it is back.")
	phoned.click("button", "Next")
	phoned.waitFor(`(() => {
		const next = [...document.querySelectorAll(".bar button")].pop();
		const { x, y, width, height } = next.getBoundingClientRect();
		return [0.1, 0.5, 0.9].every((part) =>
			next.contains(document.elementFromPoint(x + width * part, y + height * part)));
	})()`)
	phoned.screenshot("stage-drive-offline")
	phoned.offline(false)
	phoned.waitFor(`!document.body.innerText.includes("There is no network.")`)
	phoned.click("button", "Next")
	screen.waitFor(words + `.startsWith("'Twas grace")`)
	phoned.click("button", "Next")
	screen.waitFor(words + ` === "Sermon"`)
}
