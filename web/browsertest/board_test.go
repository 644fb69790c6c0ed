package browsertest

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

var (
	landscape = view{width: 1920, height: 1080}
	portrait  = view{width: 1080, height: 1920}
)

// boardCase is a board with text as people might write it.
type boardCase struct {
	slide object // nil: no slide is due
	cut   bool   // the text does not fit
}

func boardCases() map[string]boardCase {
	const german = "Kirchenvorstandswahlbenachrichtigungen"
	long := strings.Repeat("Everybody is welcome to bring something to share. ", 16)
	both := object{"imageId": "1600x900"}
	welcome := slide(1, "Welcome", "Coffee and tea are in the foyer.", both)
	arabic := slide(1, "أهلا وسهلا بكم في الكنيسة", "القهوة والشاي في القاعة بعد الصلاة.", nil)
	arabicBoth := slide(1, "أهلا وسهلا", "القهوة والشاي في القاعة.", both)
	alone := object{"imageId": "1920x1080", "payload": object{"pictureOnly": true}}
	meeting := slide(1, "Gemeindeversammlung", "Mittwoch, 19:30 Uhr im Gemeindesaal.", both)
	return map[string]boardCase{
		"text": {slide: slide(1, "Shared lunch",
			"Next Sunday after the service.\nPlease bring something to share.", nil)},
		"title":               {slide: slide(1, "Welcome", "", nil)},
		"german":              {slide: slide(1, german, "Die "+german+" liegen im Gemeindebüro.", nil)},
		"longest":             {slide: slide(1, strings.Repeat("Donaudampfschiff", 6), "", nil)},
		"long title":          {slide: slide(1, strings.Repeat("Long words ", 10)+"and more", "Text", nil)},
		"long":                {slide: slide(1, "Harvest", long, nil), cut: true},
		"lines":               {slide: slide(1, "Eight lines", "1\n2\n3\n4\n5\n6\n7", nil)},
		"rtl":                 {slide: arabic},
		"rtl picture":         {slide: arabicBoth},
		"picture":             {slide: welcome},
		"tall":                {slide: slide(1, "Welcome", "Coffee and tea.", object{"imageId": "600x900"})},
		"german with picture": {slide: meeting},
		"alone":               {slide: slide(1, "Poster", "", alone)},
		"none":                {},
	}
}

// boardIsIdle: the board shows none of its slides.
const boardIsIdle = `document.querySelectorAll(".slide").length === 1 &&
	document.querySelector(".slide").innerText.trim() === "" && !document.querySelector(".countdown")`

// TestBoard shows the board of announcements on paired screens. The tests change the same board, so they run
// one after another.
func TestBoard(t *testing.T) {
	t.Parallel()
	b := startBoards(t)
	for name, test := range map[string]func(b *boardHouse){
		"follows":                testBoardFollows,
		"by the server's clock":  testBoardByTheServersClock,
		"pictures":               testBoardPictures,
		"what cannot be shown":   testBoardWithoutContribution,
		"one slide upon another": testBoardRotates,
		"groups of screens":      testBoardGroups,
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "follows", "pictures", "one slide upon another")
			b.t = t
			b.clearBoard()
			test(b)
		})
	}
}

// clearBoard removes all slides of announcements.
func (b *boardHouse) clearBoard() {
	b.t.Helper()
	for _, kept := range b.call("GET", announcementsRoot+"/slides", nil)["slides"].([]any) {
		b.removeSlide(kept.(map[string]any)["id"].(string))
	}
}

func (b *boardHouse) removeSlide(id string) {
	b.t.Helper()
	b.call("DELETE", announcementsRoot+"/slides/"+id, nil)
}

// addSlide adds a slide to the board, with more fields, and returns its id.
func (b *boardHouse) addSlide(title string, more object) (id string) {
	b.t.Helper()
	fields := object{"title": title, "enabled": true}
	for field, value := range more {
		fields[field] = value
	}
	return b.call("POST", announcementsRoot+"/slides", fields)["id"].(string)
}

// upload adds a picture of a size, <width>x<height>, and returns its id.
func (b *boardHouse) upload(size string) (id string) {
	b.t.Helper()
	recorded := httptest.NewRecorder()
	paint(recorded, size)
	_, body := b.send(b.t, b.signedInOwner(b.t), "POST", announcementsRoot+"/images", recorded.Body)
	return decoded(b.t, body)["id"].(string)
}

// change runs a statement in the schema of announcements, which tells nobody of it.
func (b *boardHouse) change(statement string) {
	b.t.Helper()
	b.exec(b.t, "SET search_path TO module_announcements; "+statement)
}

// waitForSlide waits until a screen shows only the slide with this title.
func (p *tab) waitForSlide(title string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`document.querySelectorAll(".slide").length === 1 &&
		document.querySelector(".slide").innerText.replaceAll("\u00ad", "").includes(%q)`, title))
}

// testBoardFollows: edits appear on the screen at once. Slides with a time appear and disappear by the
// server's clock, also while there is no network. A change that did not arrive is noticed with the next one.
// A slide for some screens appears on those alone, and a screen that was renamed follows its new name.
func testBoardFollows(b *boardHouse) {
	id := b.addSlide("Willkommen", nil)
	p := b.pairBoard(b.t, chromium, "announcements", "de")
	p.waitForSlide("Willkommen")
	b.call("PUT", announcementsRoot+"/slides/"+id,
		object{"rev": 1, "title": "Willkommen zurück", "enabled": true})
	p.waitForSlide("Willkommen zurück")
	now := time.Now()
	lunch := b.addSlide("Mittagessen", object{
		"startsAt": timestamp(now.Add(time.Hour)), "endsAt": timestamp(now.Add(2 * time.Hour))})
	b.removeSlide(id)
	p.waitFor(boardIsIdle)
	b.call("POST", announcementsRoot+"/slides/"+lunch+"/show", object{})
	p.waitForSlide("Mittagessen")
	b.call("DELETE", announcementsRoot+"/slides/"+lunch+"/show", nil)
	p.waitFor(boardIsIdle)

	if err := b.process.Signal(syscall.SIGSTOP); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = b.process.Signal(syscall.SIGCONT) })
	p.runScript(`later(61 * 60_000)`)
	p.waitForSlide("Mittagessen")
	p.runScript(`later(60 * 60_000)`)
	p.waitFor(boardIsIdle)
	if err := b.process.Signal(syscall.SIGCONT); err != nil {
		b.t.Fatal(err)
	}
	back := b.addSlide("Wieder da", nil)
	p.waitForSlide("Wieder da")
	b.removeSlide(back)
	p.waitFor(boardIsIdle)

	b.change(`
		INSERT INTO slides (kind, title, body, position, enabled)
		VALUES ('notice', 'Verpasst', '', 1, true);
		UPDATE board SET rev = rev + 1`)
	b.addSlide("Danach", nil)
	p.waitForSlide("Verpasst")
	p.waitForSlide("Danach")
	b.clearBoard()
	p.waitFor(boardIsIdle)
	on := func(screens ...string) object {
		return object{"only": object{"weekdays": []int{}, "hours": nil, "screens": screens}}
	}
	b.addSlide("Nur im Foyer", on("Foyer"))
	b.addSlide("Nur in der Küche", on("Küche", "announcements"))
	p.waitForSlide("Nur in der Küche")
	screens := b.call("GET", "/api/v1/devices", nil)["devices"].([]any)
	for _, screen := range screens {
		b.call("PUT", "/api/v1/devices/"+screen.(map[string]any)["id"].(string), object{"label": "Foyer, links"})
	}
	p.waitForSlide("Nur im Foyer")
	for _, screen := range screens {
		b.call("POST", "/api/v1/devices/"+screen.(map[string]any)["id"].(string)+"/revoke", object{})
	}
	p.pairingCode()
	p.waitFor(`!document.querySelector(".stage")`)
	_ = chromedp.Cancel(p.ctx)
}

// testBoardGroups: of twelve screens in three groups each shows what its group alone shows.
func testBoardGroups(b *boardHouse) {
	groups := []string{"Foyer", "Saal", "Küche"}
	for _, group := range groups {
		b.addSlide("Hier ist: "+group, object{
			"only": object{"weekdays": []int{}, "hours": nil, "screens": []string{group}}})
	}
	b.change(`DELETE FROM core.device`)
	var screens []*tab
	for range 12 {
		screens = append(screens, b.pairBoard(b.t, chromium, "announcements", "de"))
	}
	for n, screen := range b.call("GET", "/api/v1/devices", nil)["devices"].([]any) {
		b.call("PUT", "/api/v1/devices/"+screen.(map[string]any)["id"].(string),
			object{"label": fmt.Sprintf("%s %d", groups[n%len(groups)], n)})
	}
	shown := map[string]int{}
	for _, p := range screens {
		p.waitFor(`document.querySelectorAll(".slide").length === 1 &&
			document.querySelector(".slide").innerText.includes("Hier ist")`)
		shown[eval[string](p, `document.querySelector(".slide").innerText.replaceAll("\u00ad", "").trim()`)]++
	}
	for _, group := range groups {
		if count := shown["Hier ist: "+group]; count != 4 {
			b.t.Errorf("%d screens show what is for %s, want 4: %v", count, group, shown)
		}
	}
	for _, p := range screens {
		_ = chromedp.Cancel(p.ctx)
	}
}

// testBoardByTheServersClock: a screen whose own clock is an hour wrong shows the slides that are due.
func testBoardByTheServersClock(b *boardHouse) {
	now := time.Now()
	due := func(title string, from, until time.Duration) {
		b.addSlide(title, object{"startsAt": timestamp(now.Add(from)), "endsAt": timestamp(now.Add(until))})
	}
	due("Vorhin", -70*time.Minute, -50*time.Minute)
	due("Jetzt", -time.Minute, 20*time.Minute)
	due("Nachher", 50*time.Minute, 70*time.Minute)
	for _, wrong := range []time.Duration{-time.Hour, time.Hour} {
		p := b.pairBoard(b.t, chromium, "announcements", "de", fmt.Sprintf(`(() => {
			const real = Date.now;
			Date.now = () => real() + %d;
		})()`, wrong.Milliseconds()))
		p.waitForSlide("Jetzt")
		clock := eval[string](p, `document.querySelector(".stage-clock").shadowRoot.textContent`)
		at := func(moment time.Time) string {
			return eval[string](p, fmt.Sprintf(
				`new Intl.DateTimeFormat("de", { hour: "numeric", minute: "2-digit" }).format(new Date(%d))`,
				moment.UnixMilli()))
		}
		if want := at(time.Now()); clock != want && clock != at(now) {
			b.t.Errorf("the clock of a screen that is %s wrong says %s, want %s", wrong, clock, want)
		}
		_ = chromedp.Cancel(p.ctx)
	}
}

// blankness counts the moments in which the stage shows nothing, or a picture that is not decoded yet.
const blankness = `
	window.blank = 0;
	let began = false;
	new MutationObserver(() => {
		if (document.querySelector(".slide") !== null) began = true;
		else if (began) blank++;
		for (const image of document.querySelectorAll(".slide img")) if (!image.naturalWidth) blank++;
	}).observe(document.querySelector(".host-layer"), { childList: true, subtree: true })`

// testBoardPictures: a picture is decoded before it is shown. If it is missing, its words are shown alone.
func testBoardPictures(b *boardHouse) {
	with := b.addSlide("Mit Bild", object{"imageId": b.upload("1600x900")})
	p := b.pairBoard(b.t, chromium, "announcements", "de")
	p.waitForSlide("Mit Bild")
	p.runScript(blankness)
	p.waitFor(`document.querySelector(".slide img").naturalWidth > 0`)
	missing := b.upload("900x600")
	b.change(`UPDATE images SET object_key = 'gone' WHERE id = '` + missing + `'`)
	b.addSlide("Ohne Bild", object{"imageId": missing})
	b.removeSlide(with)
	p.waitForSlide("Ohne Bild")
	if layout := eval[string](p, `document.querySelector(".slide").dataset.layout`); layout != "text" {
		b.t.Errorf("a slide whose picture is missing is laid out as %s, want text", layout)
	}
	if blank := eval[int](p, `blank`); blank != 0 {
		b.t.Errorf("the stage was blank %d times", blank)
	}
	_ = chromedp.Cancel(p.ctx)
}

// renderedFirst holds the pauses in which a display is painted until window.rendered is set.
const renderedFirst = `(() => {
	const { requestAnimationFrame: frame, setTimeout: once } = window;
	const held = (run, again) => window.rendered ? run() : again(() => held(run, again));
	window.requestAnimationFrame = (run) => frame(() => held(run, frame));
	window.setTimeout = (run, after = 0, ...more) =>
		once(() => after === 200 ? held(run, (again) => once(again, 20)) : run(...more), after);
})()`

// testBoardWithoutContribution: the board leaves out a slide of a kind that no module contributes any more,
// and one whose module throws an error.
func testBoardWithoutContribution(b *boardHouse) {
	strange := b.addSlide("Unbekannt", nil)
	b.change(`UPDATE slides SET kind = 'gone.kind' WHERE id = '` + strange + `'`)
	b.addSlide("x", object{"kind": "countdown.slide", "payload": object{"label": "Beginn in",
		"target": timestamp(time.Now().Add(time.Hour)), "after": "hide"}})
	p := b.pairBoard(b.t, chromium, "announcements", "de")
	p.waitFor(`document.querySelector(".slide .countdown")?.shadowRoot.textContent.includes("Beginn in")`)
	_ = chromedp.Cancel(p.ctx)

	h := b.front(b.t)
	h.setScript("/api/v1/module-ui/countdown/1.0.0/contributions/countdown.slide",
		`export default { narthex: "contribution", abi: 1, definition: {
			render() { window.rendered = true; throw new Error("broken"); } } };`)
	b.origin = h.URL
	p = b.pairBoard(b.t, chromium, "announcements", "de", renderedFirst)
	b.origin = ""
	p.waitFor(`window.rendered`)
	p.waitFor(boardIsIdle)
	b.addSlide("Bekannt", nil)
	p.waitForSlide("Bekannt")
	p.assertNoText("Unbekannt")
	_ = chromedp.Cancel(p.ctx)
}

// testBoardRotates: with a fade there is no gap between two slides, because the next one is prepared in
// advance.
func testBoardRotates(b *boardHouse) {
	b.addSlide("Eins", object{"imageId": b.upload("320x180")})
	b.addSlide("Zwei", nil)
	b.addSlide("Drei", object{"imageId": b.upload("180x320")})
	p := b.pairBoard(b.t, chromium, "announcements", "de")
	p.waitFor(`document.querySelector(".slide-title")`)
	// The clock of the page stands still between the slides, however long the steps of this test take.
	p.runScript(blankness + `
		let at = performance.now();
		performance.now = () => at;
		window.later = (milliseconds) => (at += milliseconds);
		window.shown = [];
		new MutationObserver(() => {
			const words = [...document.querySelectorAll(".slide-title")].at(-1)?.textContent ?? "blank";
			if (shown.at(-1) !== words) shown.push(words);
		}).observe(document.querySelector(".host-layer"), { childList: true, subtree: true })`)
	for range 9 {
		before := eval[int](p, `shown.length`)
		p.runScript(`later(12_000)`) // the time of one slide
		p.waitFor(`shown.length > ` + itoa(before))
		// A stream that has been silent for so long would be opened again, with the server's clock.
		b.addSlide("Später", object{"startsAt": timestamp(time.Now().AddDate(1, 0, 0))})
	}
	// The first slide may have to wait for its picture.
	order := strings.Join(eval[[]string](p, `shown.slice(2, 9)`), " ")
	if !strings.Contains("Eins Zwei Drei Eins Zwei Drei Eins Zwei Drei", order) {
		b.t.Errorf("the board shows %s", order)
	}
	if blank := eval[int](p, `blank`); blank != 0 {
		b.t.Errorf("the stage was blank %d times", blank)
	}
	_ = chromedp.Cancel(p.ctx)
}
