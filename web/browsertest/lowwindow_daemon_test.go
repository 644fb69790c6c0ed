package browsertest

import "testing"

var low = view{width: 780, height: 360, reduced: true}

// unreachable lists the fields, buttons and links of the uppermost dialog, or else of the screen, that nobody
// can scroll to and press, because something covers them or they are outside of what scrolls.
const unreachable = `(() => {
	const top = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.querySelector("main");
	const found = [];
	for (const target of top.querySelectorAll("a[href], button, input, select, textarea")) {
		const look = getComputedStyle(target);
		if (!target.checkVisibility({ visibilityProperty: true }) || target.closest(".d-unseen, .screen") ||
			target.disabled || look.clipPath !== "none" || look.opacity === "0") continue;
		target.scrollIntoView({ block: "center", inline: "nearest" });
		const box = target.getClientRects()[0];
		const at = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
		const label = at?.closest("label");
		if (!at || !(target.contains(at) || label?.contains(target) || label?.control === target))
			found.push(target.outerHTML.slice(0, 100) + " is under " + (at?.cloneNode().outerHTML ?? "the edge"));
	}
	return found.slice(0, 5).join("\n");
})()`

// TestLowWindow: in a window of 360 pixels every field and button of every form can be scrolled to and
// pressed, also in dialogs.
func TestLowWindow(t *testing.T) {
	leaveToProof(t, "it opens every form")
	t.Parallel()
	d := startHouse(t)
	addresses := d.houseAddresses(t)
	p := d.openAs(t, "owner@example.org", "/#/"+addresses.Replace("m/stage/live/{service}"), low)
	p.click("button", "Take control")
	p.find("button", "Message")
	for _, form := range forms {
		p.runScript(`location.hash = "#/admin/activity"`) // some forms have the same field
		p.waitForHeading("Activity")
		p.openForm(addresses.Replace(form.path), form.opener, form.field)
		p.waitFor(`!document.querySelector("main [aria-busy=true], main .d-skeleton")`)
		if faults := eval[string](p, unreachable); faults != "" {
			t.Errorf("%s:\n%s", form.name, faults)
		}
		p.screenshot("low-" + form.name)
	}
}
