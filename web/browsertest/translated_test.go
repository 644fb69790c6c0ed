package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// translator does to a page what the translators of browsers do: it replaces each text by <font> elements, in
// each of the three ways that they have. Its language has the same words, so that the page can be compared.
const translator = `addEventListener("DOMContentLoaded", () => {
	const never = "font, script, style, noscript, textarea, title";
	let count = 0;
	const translate = (text) => {
		if (text.data.trim() === "" || !text.parentElement || text.parentElement.closest(never)) return;
		const [outer, inner] = [document.createElement("font"), document.createElement("font")];
		outer.append(inner);
		inner.append(text.data);
		const way = count++ % 3;
		if (way === 0) return text.replaceWith(outer);
		text.before(outer);
		if (way === 1) text.remove();
		else inner.replaceChildren(text);
	};
	const translateBelow = (node) => {
		if (node instanceof Text) return translate(node);
		const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
		const found = [];
		while (texts.nextNode()) found.push(texts.currentNode);
		found.forEach(translate);
	};
	translateBelow(document.body);
	new MutationObserver((changes) => {
		for (const { type, target, addedNodes } of changes) {
			if (type === "characterData") translate(target);
			else addedNodes.forEach(translateBelow);
		}
	}).observe(document.body, { subtree: true, childList: true, characterData: true });
})`

// original and translated show the same page, the second one translated.
type translatedPair struct {
	original, translated *tab
}

// do does the same in both pages.
func (p translatedPair) do(step func(p *tab)) {
	step(p.original)
	step(p.translated)
}

// waitForSame waits until the original contains the words and the translated page says the same as it.
func (p translatedPair) waitForSame(words string) {
	p.original.t.Helper()
	p.original.waitFor(fmt.Sprintf(`document.body.innerText.replaceAll("\u00ad", "").includes(%q)`, words))
	// without white space, because a <font> can be a block where a text is not
	const said = `document.body.innerText.replace(/\s+/g, "")`
	p.translated.waitUntil("what the original says after "+words, func() bool {
		return eval[string](p.original, said) == eval[string](p.translated, said)
	})
	if fonts := eval[int](p.translated, `document.querySelectorAll("font font").length`); fonts == 0 {
		p.original.t.Errorf("%s: nothing was translated", words)
	}
}

// TestTranslatedDashboard: a page that the browser translates shows what the original shows, on every screen,
// after every change.
func TestTranslatedDashboard(t *testing.T) {
	leaveToProof(t, "it opens every screen in two windows")
	t.Parallel()
	b := startBoards(t)
	session := b.signIn(t, "owner@example.org")
	p := translatedPair{
		b.openIn(t, chromium, session, "/", desktop),
		b.openIn(t, chromium, session, "/", desktop),
	}
	p.do((*tab).waitForHome)
	p.translated.onNewDocument(translator)
	p.do((*tab).reload)
	p.do((*tab).waitForHome)
	p.waitForSame("Search or go to")
	open := func(hash, words string) {
		t.Helper()
		p.do(func(p *tab) { p.runScript(fmt.Sprintf(`location.hash = %q`, hash)) })
		p.waitForSame(words)
	}
	open("#/m/calendar/month/2027-03-10", "March 2027")
	for _, month := range []string{"April 2027", "May 2027"} {
		p.do(func(p *tab) { p.click("button", "Next month") })
		p.waitForSame(month)
	}
	for hash, words := range map[string]string{
		"#/m/calendar/week/2027-05-10":   "May 10",
		"#/m/calendar/list/2027-05-10":   "May 10",
		"#/m/calendar/new":               "Begins",
		"#/m/calendar/rooms":             "Small room",
		"#/m/calendar/transfer":          "Spreadsheet",
		"#/m/checklists":                 "Close the house",
		"#/m/checklists/lists":           "New list",
		"#/m/rota/board/2027-03":         "2027",
		"#/m/rota/volunteers":            "Add a volunteer",
		"#/m/rota/roles":                 "Add a role",
		"#/m/rota/mine":                  "My dates",
		"#/m/rota":                       "My dates",
		"#/m/rota/transfer":              "My dates",
		"#/m/stage":                      "Jahresgemeindeversammlungsgottesdienst",
		"#/m/stage/songs":                "New song",
		"#/m/stage/service/" + b.service: "Jahresgemeinde",
		"#/m/stage/live/" + b.service:    "Jahresgemeinde",
		"#/m/announcements/new":          "Title",
		"#/account":                      "Save name",
		"#/admin/modules":                "Calendar",
		"#/admin/modules/rota":           "Rota",
		"#/admin/modules/rota/settings":  "Save",
		"#/admin/permissions":            "Owner",
		"#/admin/navigation":             "Navigation",
		"#/admin/screens":                "No screen is paired yet.",
		"#/admin/people":                 "owner@example.org",
		"#/admin/activity":               "Owner",
		"#/admin/house":                  "Name",
		"#/nowhere":                      "There is nothing at this address.",
	} {
		open(hash, words)
	}
	open("#/m/announcements", "Announcements")
	for _, title := range []string{"Soup in the hall", "Tea in the garden", ""} {
		b.call("PUT", announcementsRoot+"/slides/"+b.slide, object{"rev": b.rev, "enabled": title != "",
			"title": title + "!", "body": strings.Repeat(title, 3)})
		b.rev++
		p.waitForSame(title + "!")
	}
	open("#/account", "Save name")
	for _, row := range [][2]string{{"de", "Namen speichern"}, {"en", "Save name"}} {
		p.do(func(p *tab) {
			p.runScript(`const field = [...document.querySelectorAll("select")].at(-1);
				field.value = "` + row[0] + `";
				field.dispatchEvent(new Event("change", { bubbles: true }));`)
		})
		p.waitForSame(row[1])
	}
	open("#/", "Coming up")
}

// TestTranslatedDisplays: the same of the screens on walls.
func TestTranslatedDisplays(t *testing.T) {
	leaveToProof(t, "it opens every board in two windows")
	t.Parallel()
	b := startBoards(t)
	for module, change := range map[string]func(words string){
		"announcements": func(words string) {
			b.call("PUT", announcementsRoot+"/slides/"+b.slide,
				object{"rev": b.rev, "enabled": true, "title": words, "body": words})
			b.rev++
		},
		"calendar": func(words string) {
			day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
			b.call("POST", calendarRoot+"/events", object{"title": words, "start": day(-1), "end": day(2)})
		},
		"stage": func(words string) {
			live := b.call("GET", stageRoot+"/live", nil)["live"].(map[string]any)
			id := fmt.Sprintf("00000000-0000-4000-8000-%012.0f", live["rev"].(float64))
			b.call("POST", stageRoot+"/live/"+b.service+"/go",
				object{"opId": id, "rev": live["rev"], "action": "message", "message": words})
		},
	} {
		p := translatedPair{b.pairBoard(t, chromium, module, "de"),
			b.pairBoard(t, chromium, module, "de", translator)}
		for _, words := range []string{"Suppe im Saal", "Tee im Garten"} {
			change(words)
			p.waitForSame(words)
		}
	}
}
