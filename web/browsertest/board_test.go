package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"
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

// TestBoardFollows: edits appear on the screen at once, and slides with a time appear and disappear by the
// server's clock.
func TestBoardFollows(t *testing.T) {
	t.Parallel()
	w := openWall(t, "", landscape)
	w.sendSnapshot(1, nil, slide(1, "Welcome", "", nil))
	w.waitForText("Welcome")
	w.sendEvent("update", object{"rev": 2, "upsert": []object{slide(1, "Welcome back", "", object{"rev": 2})}})
	w.waitForText("Welcome back")
	now := time.Now()
	w.sendEvent("update", object{"rev": 3, "upsert": []object{slide(2, "Lunch", "", object{
		"startsAt": timestamp(now.Add(time.Hour)), "endsAt": timestamp(now.Add(2 * time.Hour))})}})
	w.sendEvent("update", object{"rev": 4, "remove": []string{slide(1, "", "", nil)["id"].(string)}})
	w.waitForText("")
	byHand := object{"id": slide(2, "", "", nil)["id"], "until": timestamp(now.Add(time.Minute))}
	w.sendEvent("update", object{"rev": 5, "show": byHand})
	w.waitForText("Lunch")
	w.runScript(`ahead = 2 * 60_000; readers.at(-1).snapshot`)
	w.sendEvent("snapshot", object{"rev": 5, "show": nil, "slides": []object{slide(2, "Lunch", "", object{
		"startsAt": timestamp(now.Add(time.Hour)), "endsAt": timestamp(now.Add(2 * time.Hour))})},
		"settings": object{"slideSeconds": 4, "showClock": false, "transition": "cut", "idleMessage": "Nothing"}})
	w.waitForText("Nothing")
	for _, step := range []struct {
		ahead time.Duration
		words string
	}{{61 * time.Minute, "Lunch"}, {121 * time.Minute, "Nothing"}} { // without any message from the server
		w.runScript(fmt.Sprintf(`
			const { board } = { board: null };
			const real = performance.now.bind(performance);
			window.realNow ??= real;
			performance.now = () => realNow() + %d - 2 * 60_000;
			ahead = %[1]d`, step.ahead.Milliseconds()))
		w.waitForText(step.words)
	}
	w.sendEvent("update", object{"rev": 7, "upsert": []object{slide(3, "Missed", "", nil)}})
	w.waitFor(`readers.length === 2 && stopped === 1`)
	w.sendSnapshot(7, nil, slide(3, "Missed", "", nil))
	w.waitForText("Missed")
	w.sendEvent("update", object{"rev": 8})
	w.waitFor(`readers.length === 3 && stopped === 2`)
	w.runScript(`unmount()`)
	w.waitFor(`stopped === 3 && !document.querySelector(".stage")`)
}

// TestBoardByTheServersClock: a screen whose own clock is an hour wrong shows the slides that are due.
func TestBoardByTheServersClock(t *testing.T) {
	t.Parallel()
	for _, wrong := range []time.Duration{-time.Hour, time.Hour} {
		w := openWall(t, "", landscape)
		w.runScript(fmt.Sprintf(`const real = Date.now; Date.now = () => real() + %d`, wrong.Milliseconds()))
		now := time.Now()
		w.runScript(fmt.Sprintf(`readers[0].snapshot({ serverTime: %q, rev: 1, show: null, slides: %s,
			settings: { slideSeconds: 12, showClock: true, transition: "cut", idleMessage: "" } })`, timestamp(now),
			`[`+jsonOf(t, slide(1, "Now", "", object{"startsAt": timestamp(now.Add(-time.Minute)),
				"endsAt": timestamp(now.Add(time.Minute))}))+`]`))
		w.waitForText("Now")
		clock := eval[string](w.tab, `document.querySelector(".stage-clock").shadowRoot.textContent`)
		want := eval[string](w.tab, fmt.Sprintf(
			`new Intl.DateTimeFormat("en", { hour: "numeric", minute: "2-digit" }).format(new Date(%d))`,
			now.UnixMilli()))
		if clock != want {
			t.Errorf("the clock of a screen that is %s wrong says %s, want %s", wrong, clock, want)
		}
	}
}

// TestBoardPictures: a picture is decoded before it is shown. If it is missing, or a slide's kind cannot be
// shown, the board continues.
func TestBoardPictures(t *testing.T) {
	t.Parallel()
	w := openWall(t, "contributed", landscape)
	w.runScript(`
		window.blank = 0;
		new MutationObserver(() => {
			if (document.querySelector(".slide") !== null) window.began = true;
			else if (window.began) blank++;
			for (const image of document.querySelectorAll(".slide img")) if (!image.naturalWidth) blank++;
		}).observe(document.getElementById("screen"), { childList: true, subtree: true })`)
	w.sendSnapshot(1, nil, slide(1, "With picture", "", object{"imageId": "1600x900"}))
	w.waitForText("With picture")
	w.waitFor(`document.querySelector(".slide img").naturalWidth === 1600`)
	w.sendSnapshot(2, nil, slide(2, "Without", "", object{"imageId": "missing"}))
	w.waitForText("Without")
	if layout := eval[string](w.tab, `document.querySelector(".slide").dataset.layout`); layout != "text" {
		t.Errorf("a slide whose picture is missing is laid out as %s, want text", layout)
	}
	w.sendSnapshot(3, nil, slide(1, "Unknown", "", object{"kind": "gone.kind"}), slide(5, "Known", "", nil))
	w.waitForText("Known")
	countdown := func(number int, payload object) object {
		return slide(number, "x", "", object{"kind": "countdown.slide", "payload": payload})
	}
	w.sendSnapshot(4, nil, countdown(3, object{"label": "Service starts"}))
	w.waitForText("Service starts")
	w.sendSnapshot(5, object{"idleMessage": "Peace"}, countdown(4, object{"broken": true}))
	w.waitForText("Peace")
	w.waitFor(`disposed === 1`)
	if rendered := eval[int](w.tab, `rendered`); rendered != 2 {
		t.Errorf("contributed slides were rendered %d times, want 2", rendered)
	}
	if blank := eval[int](w.tab, `blank`); blank != 0 {
		t.Errorf("the stage was blank %d times", blank)
	}
}

// TestBoardRotates: with a fade there is no gap between two slides, because the next one is prepared in
// advance.
func TestBoardRotates(t *testing.T) {
	t.Parallel()
	w := openWall(t, "", landscape)
	w.runScript(`
		window.shown = [];
		new MutationObserver(() => {
			const words = [...document.querySelectorAll(".slide-title")].at(-1)?.textContent ?? "blank";
			if (shown.length === 0 && words === "blank") return; // the first is still being made
			if (shown.at(-1) !== words) shown.push(words);
		}).observe(document.getElementById("screen"), { childList: true, subtree: true })`)
	w.sendSnapshot(1, object{"slideSeconds": 1, "transition": "fade"},
		slide(1, "One", "", object{"imageId": "320x180"}), slide(2, "Two", "", nil),
		slide(3, "Three", "", object{"imageId": "180x320"}))
	w.waitFor(`shown.length >= 7`)
	order := strings.Join(eval[[]string](w.tab, `shown.slice(0, 7)`), " ")
	if !strings.Contains("One Two Three One Two Three One Two Three", order) {
		t.Errorf("the board shows %s", order)
	}
}
