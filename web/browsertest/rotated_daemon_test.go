package browsertest

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

var rotated = view{width: 844, height: 390, reduced: true}

// typedIsInSight says whether the field with the focus is in the window, or fills it, and nothing covers it.
const typedIsInSight = `(() => {
	const { left, right, top, bottom, height } = document.activeElement.getBoundingClientRect();
	const middle = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
	return (height > innerHeight - 100 || top >= 0 && bottom <= innerHeight) &&
		document.elementFromPoint((left + right) / 2, middle) === document.activeElement;
})()`

// TestRotatedPhone: whoever turns the phone while a form is open, or whose keyboard opens over it, still sees
// the field that they type in, in the same dialog, with its words; and again after turning it back.
func TestRotatedPhone(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	addresses := d.houseAddresses(t)
	p := d.openAs(t, "owner@example.org", "/#/"+addresses.Replace("m/stage/live/{service}"), phone)
	p.click("button", "Take control")
	p.find("button", "Message")
	upright := view{width: phone.width, height: phone.height, reduced: true}
	keyboard := view{width: phone.width, height: 420, reduced: true}
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			usually(t, form.name, "notice", "service", "invite", "settings")
			p.t = t
			p.setView(upright)
			p.runScript(`location.hash = "#/admin/activity"`)
			p.waitForHeading("Activity")
			p.openForm(addresses.Replace(form.path), form.opener, form.field)
			// The last field for words is the one that a keyboard covers.
			p.runScript(fmt.Sprintf(`const form = document.querySelector(%q).closest("form, section");
				const fields = [...form.querySelectorAll("input:is([type=text], :not([type])), textarea")]
					.filter((field) => field.checkVisibility());
				window.field = fields.at(-1) ?? document.querySelector(%[1]q);
				field.focus();
				field.scrollIntoView({ block: "end" })`, form.field))
			if form.name != "grant" && form.name != "away" {
				p.do(insert("Half"))
			}
			words := eval[string](p, `field.value`)
			for name, view := range map[string]view{"rotated": rotated, "keyboard": keyboard} {
				p.setView(upright)
				p.runScript(`field.scrollIntoView({ block: "end" })`)
				p.setView(view)
				p.waitUntil(form.name+" is in sight, "+name, func() bool {
					return eval[bool](p, `document.activeElement === field && `+typedIsInSight)
				})
				p.assertFits()
				p.screenshot(name + "-" + form.name)
				if now := eval[string](p, `field.value`); now != words {
					t.Errorf("%s: the field has %q, want %q", name, now, words)
				}
			}
			p.setView(upright)
			p.waitFor(`document.activeElement === field && field.isConnected`)
		})
	}
}

// insert types a text into the field with the focus.
func insert(text string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: text})
		return err
	})
}
