package browsertest

import "testing"

// heldPresses keeps the presses of Stage's phone in the page, in held, until the test sends them. The status
// codes of the answers are in answered.
const heldPresses = `
	const send = window.fetch;
	Object.assign(window, { held: [], answered: [] });
	window.fetch = async (...sent) => {
		if (!String(sent[0]).endsWith("/go")) return send(...sent);
		await new Promise((go) => held.push(go));
		const response = await send(...sent);
		answered.push(response.status);
		return response;
	};`

// TestPressesInARow: who presses again before Stage has answered gets all of their steps, one after the
// other; and when the answer took too long, they learn that the press was not sent, and nothing moves later.
func TestPressesInARow(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, "owner@example.org", "/#/"+d.houseAddresses(t).Replace("m/stage/live/{service}"), phone)
	p.click("button", "Take control")
	p.find("button", "Next")
	p.runScript(heldPresses)
	p.click("button", "Next")
	p.waitFor(`held.length === 1`)
	p.click("button", "Next")
	p.click("button", "Previous")
	for _, sent := range []string{"1", "2", "3"} {
		p.runScript(`held.at(-1)()`)
		p.waitFor(`answered.length === ` + sent + ` && answered.every((status) => status === 200) &&
			(held.length > answered.length || ` + sent + ` === 3)`)
	}
	p.waitFor(`!document.querySelector(".control [aria-busy]")`)

	p.click("button", "Next")
	p.waitFor(`held.length === 4`)
	p.click("button", "Next")
	p.runScript(`const right = performance.now.bind(performance);
		performance.now = () => right() + 3000;
		held[3]()`)
	p.waitForAnnouncement("Your last press was not sent: the one before it took too long.")
	p.waitFor(`!document.querySelector(".control [aria-busy]")`)
	if sent := eval[int](p, `held.length`); sent != 4 {
		t.Errorf("%d presses were sent, want no fifth after the answer took too long", sent)
	}
	p.click("button", "Try again")
	p.waitFor(`held.length === 5`)
}
