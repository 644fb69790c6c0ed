package browsertest

import (
	"fmt"
	"testing"
	"time"
)

// TestStageForMusicians: a screen for singers has the chords above the words, in the key of the item, and so
// has the phone; the one for the congregation has words alone. A countdown before the service ends by itself,
// and one of days is a single line. The order of service says how a song is played, and leads to the song.
func TestStageForMusicians(t *testing.T) {
	t.Parallel()
	s := startStage(t)
	hymn := s.create("/songs", object{"title": "Chorded", "order": []string{"Chorus", "Verse 1", "Chorus"},
		"sections": []object{
			{"label": "Verse 1", "text": "[G]Amaz[C/E]ing grace! how [G]sweet the [D]sound\n" +
				"That saved a wretch like me"},
			{"label": "Chorus", "text": "Praise him"},
		}})
	sunday := s.create("/services", object{"title": "With music",
		"startsAt": timestamp(time.Now().Add(time.Hour))})
	s.create("/services/"+sunday+"/items", object{"kind": "song", "songId": hymn, "seconds": 240,
		"transpose": 4, "capo": 2})
	screen, _ := s.openPairedScreen(t, s.fronts[0], "stage")
	phoned := s.openOwner("live/"+sunday, phone)
	phoned.click("button", "Take control")

	phoned.click("button", "Countdown")
	screen.waitFor(`/^(1:00:00|5\d:\d\d)$/.test(document.querySelector(".countdown").textContent)`)
	screen.waitFor(`document.querySelector(".screen").dataset.screen === "countdown" && ` + words + ` === ""`)
	phoned.waitForVisibleText("The screens count down to the start.")
	screen.screenshot("stage-screen-countdown")
	s.send("PUT", stageRoot+"/services/"+sunday, fmt.Sprintf(`{"title":"With music","startsAt":%q,"rev":2}`,
		timestamp(time.Now().Add(200*time.Hour))))
	screen.waitFor(`/^(200|199):/.test(document.querySelector(".countdown").textContent)`)
	screen.waitFor(`((range) => {
		range.selectNodeContents(document.querySelector(".countdown"));
		const box = range.getBoundingClientRect();
		return range.getClientRects().length === 1 && box.left >= 0 && box.right <= innerWidth;
	})(document.createRange())`)
	screen.screenshot("stage-screen-countdown-days")
	start := timestamp(time.Now().Add(4 * time.Second))
	s.send("PUT", stageRoot+"/services/"+sunday,
		fmt.Sprintf(`{"title":"With music","startsAt":%q,"rev":3}`, start))
	screen.waitFor(`document.querySelector(".screen").dataset.screen === "live" && ` +
		words + ` === "Praise him"`)
	phoned.waitForVisibleText("Praise him")

	phoned.click("button", "Next")
	screen.waitFor(words + `.startsWith("Amazing grace! how sweet the sound|")`)
	const chords = `[...document.querySelectorAll(".chord")].map((chord) => chord.textContent).join(" ").trim()`
	screen.waitFor(chords + ` === ""`)
	screen.runScript(`location.hash = "#singers"`)
	screen.waitFor(chords + `.replace(/\s+/g, " ") === "A D/F# A E"`)
	screen.waitFor(`document.querySelector(".label").textContent.endsWith("Capo 2") &&
		document.querySelector(".next").textContent === "Praise him"`)
	// Each chord begins where its letters begin, above them, and a word stays whole.
	screen.waitFor(`[...document.querySelectorAll(".chorded .word > span")].every((part) => {
		const [chord, all] = [part.firstChild.getBoundingClientRect(), part.getBoundingClientRect()];
		return Math.abs(chord.left - all.left) < 1 && chord.bottom < all.bottom;
	})`)
	screen.screenshot("stage-screen-singers")
	phoned.waitFor(chords + `.replace(/\s+/g, " ") === "A D/F# A E"`)
	phoned.screenshot("stage-drive-chords")
	screen.runScript(`location.hash = "#congregation"`)
	screen.waitFor(chords + ` === "" && [".timer", ".next", ".label"].every((part) =>
		getComputedStyle(document.querySelector(part)).visibility === "hidden")`)
	screen.screenshot("stage-screen-congregation")

	order := s.openOwner("service/"+sunday, desktop)
	order.waitForText("4 semitones higher · Capo: Fret 2")
	order.screenshot("stage-order-played")
	order.chooseMenuItem("More for Chorded", "Edit song")
	order.waitForHeading("Chorded")
}
