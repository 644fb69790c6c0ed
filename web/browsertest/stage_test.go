package browsertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/narthex-platform/narthex/services/porttest"
)

const stageRoot = "/api/v1/modules/stage"

// stageFixture is the real platform with the stage and one service, which no screen shows yet.
type stageFixture struct {
	*displayFixture
	service, talk string
}

func startStage(t *testing.T) *stageFixture {
	t.Helper()
	s := &stageFixture{displayFixture: &displayFixture{
		t: t, port: strconv.Itoa(porttest.Free(t)), folder: install(t, "../../modules/stage"),
	}}
	s.initialize(1)
	hymn := s.create("/songs", object{"title": "Amazing Grace", "credit": "John Newton", "sections": []object{
		{"label": "Verse 1", "text": "Amazing grace! (how sweet the sound)\nThat saved a wretch like me!\n" +
			"I once was lost, but now am found,\nWas blind, but now I see."},
		{"label": "Verse 2", "text": "'Twas grace that taught my heart to fear,\nAnd grace my fears relieved;\n" +
			"How precious did that grace appear\nThe hour I first believed!"},
	}})
	s.service = s.create("/services", object{"title": "Sunday service",
		"startsAt": timestamp(time.Now().Add(24 * time.Hour))})
	s.addItem(object{"kind": "song", "songId": hymn, "seconds": 240})
	s.talk = s.addItem(object{"kind": "talk", "title": "Sermon", "seconds": 1500})
	for n := range 25 {
		s.addItem(object{"kind": "notice", "title": fmt.Sprint("Notice ", n+1), "text": fmt.Sprint("Line ", n+1)})
	}
	return s
}

// create posts an object and returns its id.
func (s *stageFixture) create(path string, value object) string {
	s.t.Helper()
	body, err := json.Marshal(value)
	if err != nil {
		s.t.Fatal(err)
	}
	result, _ := s.send("POST", stageRoot+path, string(body))
	var created struct{ ID string }
	if err := json.Unmarshal(result, &created); err != nil {
		s.t.Fatal(err)
	}
	return created.ID
}

func (s *stageFixture) addItem(value object) string {
	s.t.Helper()
	return s.create("/services/"+s.service+"/items", value)
}

// openOwner opens a page of the module in a new browser context, signed in as the owner.
func (s *stageFixture) openOwner(subpath string, v view) *tab {
	s.t.Helper()
	p := openPage(s.t, s.fronts[0].origin+"/#/m/stage/"+subpath, v)
	p.submit("owner@example.org", wallPassword)
	return p
}

const words = `[...document.querySelectorAll(".words .line")].map((line) => line.textContent).join("|")`

// TestStage is walk-through 8 with its variations: a paired screen, a phone that controls it, a second phone
// that takes over, and a restart of the platform meanwhile.
func TestStage(t *testing.T) {
	t.Parallel()
	s := startStage(t)
	screen, _ := s.openPairedScreen(t, s.fronts[0], "stage")
	screen.waitFor(`document.querySelector(".screen")?.dataset.screen === "logo"`)
	screen.screenshot("stage-screen-logo")
	phoned := s.openOwner("live/"+s.service, phone)
	phoned.waitForText("This service is not on the screens.")
	phoned.waitForText("Sunday service")
	phoned.click("button", "Take control")
	screen.waitFor(words + `.startsWith("Amazing grace! (how sweet the sound)|")`)
	screen.waitFor(`document.querySelector(".timer").shadowRoot.textContent.startsWith("3:")`)
	screen.waitFor(`[...document.querySelectorAll(".words .line")].every((line) =>
		line.getBoundingClientRect().height < 1.5 * Number.parseFloat(getComputedStyle(line).lineHeight))`)
	screen.screenshot("stage-screen-words")
	phoned.find("button", "Next")
	phoned.screenshot("stage-drive")
	phoned.countPresses()

	t.Run("twenty times Next", func(t *testing.T) { s.testNext(t, phoned, screen) })
	t.Run("keys", func(*testing.T) { testStageKeys(phoned, screen) })
	t.Run("black, logo and message", func(t *testing.T) { testStageScreens(t, phoned, screen) })
	t.Run("somebody else", func(t *testing.T) { s.testTakeOver(t, phoned, screen) })
	t.Run("restart", func(t *testing.T) { s.testRestart(t, phoned, screen) })
}

// testNext logs the time from a tap to the painted screen, and asserts only that the screen follows.
func (s *stageFixture) testNext(t *testing.T, phoned, screen *tab) {
	screen.runScript(`
		window.painted = {};
		new MutationObserver(() => {
			const shown = ` + words + `;
			requestAnimationFrame(() => setTimeout(() => (painted[shown] ??= Date.now())));
		}).observe(document.querySelector(".words"), { childList: true, subtree: true })`)
	phoned.runScript(`window.tapped = [];
		addEventListener("click", () => tapped.push(Date.now()), { capture: true })`)
	var took []int64
	for n := range 20 {
		before := eval[string](screen, words)
		phoned.click("button", "Next")
		screen.waitFor(words + ` !== ` + jsonOf(t, before))
		at := eval[int64](screen, `painted[`+words+`] ?? 0`)
		if at == 0 {
			screen.waitFor(`painted[` + words + `]`)
			at = eval[int64](screen, `painted[`+words+`]`)
		}
		took = append(took, at-eval[int64](phoned, fmt.Sprintf(`tapped[%d]`, n)))
		phoned.waitForAck()
	}
	screen.waitFor(words + ` === "Line 18"`)
	phoned.waitForText("Line 18")
	slices.Sort(took)
	t.Logf("from the tap on Next to the painted screen, ms: p50 %d, p95 %d, worst %d", took[10], took[18],
		took[19])
}

func testStageKeys(phoned, screen *tab) {
	phoned.runScript(`document.activeElement?.blur()`)
	for _, press := range []struct{ key, want string }{
		{kb.ArrowLeft, "Line 17"}, {kb.ArrowRight, "Line 18"}, {" ", "Line 19"},
	} {
		phoned.key(press.key)
		screen.waitFor(words + ` === "` + press.want + `"`)
		phoned.waitForAck()
	}
	phoned.runScript(`document.querySelector(".order li:first-child button").click()`)
	screen.waitFor(words + `.startsWith("Amazing grace!")`)
	phoned.waitForAck()
	phoned.click("button", "Verse 2")
	screen.waitFor(words + `.startsWith("'Twas grace")`)
	phoned.waitFor(`document.querySelector(".strip [aria-current]").textContent === "Verse 2"`)
}

// countPresses makes waitForAck possible.
func (p *tab) countPresses() {
	p.t.Helper()
	p.runScript(`
		window.presses = 0;
		const send = window.fetch;
		window.fetch = async (...sent) => {
			if (sent[1]?.method !== "POST") return send(...sent);
			presses++;
			try {
				const response = await send(...sent);
				await response.clone().text();
				return response;
			} finally {
				presses--;
			}
		};`)
}

// waitForAck waits until the phone has the answer to its last press: until then it sends no other.
func (p *tab) waitForAck() {
	p.t.Helper()
	p.waitFor(`presses === 0 && !document.querySelector(".control [aria-busy]")`)
}

func testStageScreens(t *testing.T, phoned, screen *tab) {
	phoned.waitForAck()
	phoned.click("button", "Black")
	screen.waitFor(`document.querySelector(".screen").dataset.screen === "black"`)
	black := eval[string](screen, `getComputedStyle(document.querySelector(".screen")).backgroundColor + " " +
		[...document.querySelectorAll(".screen > *")]
			.every((part) => getComputedStyle(part).visibility === "hidden")`)
	if black != "rgb(0, 0, 0) true" {
		t.Errorf("the black screen: %s, want black and nothing to be seen", black)
	}
	phoned.waitForVisibleText("The screens are black.")
	phoned.waitForAck()
	phoned.click("button", "Logo")
	screen.waitFor(`document.querySelector(".logo svg")?.getBoundingClientRect().height > 50`)
	phoned.waitForAck()
	phoned.click("button", "Logo")
	screen.waitFor(words + `.startsWith("'Twas grace")`)
	phoned.waitForAck()
	phoned.click("button", "Message")
	phoned.fill("Message", "Car ABC 123")
	phoned.click("button", "Show it")
	screen.waitFor(`document.querySelector(".message").textContent === "Car ABC 123"`)
	screen.screenshot("stage-screen-message")
}

func (s *stageFixture) testTakeOver(t *testing.T, phoned, screen *tab) {
	s.join("other@example.org", "stage.live.control")
	second := openPage(t, s.fronts[0].origin+"/#/m/stage/live/"+s.service, phone)
	second.submit("other@example.org", wallPassword)
	second.waitForVisibleText("Somebody else is driving.")
	second.waitForNone("button", "Next")
	second.click("button", "Take control")
	phoned.waitForVisibleText("Somebody else is driving.")
	phoned.screenshot("stage-somebody-else")
	// The driver presses while control is being taken: the press counts, and control still changes hands.
	phoned.runScript(`
		const send = window.fetch;
		window.fetch = async (...sent) => {
			if (String(sent[0]).endsWith("/take") && !window.letTake) await new Promise((go) => (window.letTake = go));
			return send(...sent);
		};`)
	phoned.click("button", "Take control")
	phoned.waitFor(`window.letTake`)
	second.click("button", "Next")
	screen.waitFor(words + ` === "Sermon"`)
	phoned.runScript(`letTake()`)
	phoned.find("button", "Next")
	_ = chromedp.Cancel(second.ctx)
}

// join creates an account by an invitation, and gives it a permission.
func (s *stageFixture) join(email, permission string) {
	s.t.Helper()
	said, err := s.command("identity:invite", "--", "--email", email).Output()
	if err != nil {
		s.t.Fatal(err)
	}
	_, token, _ := strings.Cut(strings.TrimSpace(string(said)), "accept-invitation&token=")
	s.send("POST", "/api/v1/invitations/accept", fmt.Sprintf(`{"token":%q,"name":"Driver","password":%q}`, token,
		wallPassword))
	body, _ := s.send("GET", "/api/v1/people?query="+email, "")
	var found struct{ People []struct{ UserID string } }
	if err := json.Unmarshal(body, &found); err != nil || len(found.People) != 1 {
		s.t.Fatalf("GET /api/v1/people?query=%s: %s %v", email, body, err)
	}
	s.send("POST", "/api/v1/grants", fmt.Sprintf(`{"userId":%q,"permissionId":%q}`, found.People[0].UserID,
		permission))
}

// testRestart: while the platform is down a screen keeps its content, reports the outage after ten seconds,
// and recovers by itself; so does the phone.
func (s *stageFixture) testRestart(t *testing.T, phoned, screen *tab) {
	s.daemon.stop(t)
	screen.waitFor(`later(11000) && document.body.innerText.includes("Reconnecting, last update")`)
	if kept := eval[string](screen, words); kept != "Sermon" {
		t.Errorf("without the platform the screen shows %q, want Sermon as before", kept)
	}
	phoned.waitForText("The connection is lost.")
	s.start()
	screen.waitFor(`!document.body.innerText.includes("Reconnecting")`)
	phoned.waitFor(`!document.body.innerText.includes("The connection is lost.")`)
	phoned.click("button", "Next")
	screen.waitFor(words + ` === "Line 1"`)
}

// TestStagePlans creates a service and songs, and checks every screen in every size, and in German.
func TestStagePlans(t *testing.T) {
	t.Parallel()
	s := startStage(t)
	p := s.openOwner("", desktop)
	p.waitForHeading("Stage")
	p.keepAxe()
	p.click("button", "New service")
	p.click("button", "Save")
	p.waitForVisibleText("A title is needed.")
	p.fill("Title", "Harvest")
	p.click("button", "Save")
	p.waitForHeading("Harvest")
	p.click("button", "Add an item")
	p.enter("combobox", "Song", "amaz")
	p.waitForText("1 match")
	p.key(kb.Enter)
	p.fill("Minutes optional", "4:30")
	p.click("button", "Save")
	p.waitForVisibleText("Amazing Grace")
	p.click("button", "Add an item")
	p.runScript(`const kind = document.querySelector("dialog select");
		kind.value = "reading"; kind.dispatchEvent(new Event("change", { bubbles: true }))`)
	p.fill("Title", "Psalm 23")
	p.fill("Text optional", "The LORD is my shepherd; I shall not want.")
	p.click("button", "Save")
	p.waitForVisibleText("Psalm 23")
	p.chooseMenuItem("More for Psalm 23", "Move up")
	p.waitForAnnouncement("Psalm 23 moved, position 1 of 2")
	harvest := eval[string](p, `location.hash.split("/").at(-1)`)
	s.create("/services/"+harvest+"/items", object{"kind": "talk", "title": "By somebody else"})
	p.waitForVisibleText("By somebody else") // the page follows the other's change
	s.create("/services", object{"title": "Next Sunday",
		"startsAt": timestamp(time.Now().Add(9 * 24 * time.Hour))})
	p.do(chromedp.Navigate(s.fronts[0].origin + "/#/m/stage/"))
	p.click("link", "Next Sunday")
	p.click("button", "Copy another order")
	p.waitFor(`(() => { // which of the two services is the later one depends on the hour of the test
		const select = document.querySelector("dialog select");
		const harvest = [...(select?.options ?? [])].find(({ text }) => /^Harvest, .*3 items$/.test(text));
		if (!harvest) return false;
		select.value = harvest.value;
		select.dispatchEvent(new Event("change", { bubbles: true }));
		return true;
	})()`)
	p.click("button", "Copy")
	p.waitForAnnouncement("Items copied: 3")
	p.waitForVisibleText("By somebody else")
	p.click("button", "Undo")
	p.waitForAnnouncement("Undone")
	p.waitForVisibleText("Nothing is planned yet.")

	live := "live/" + s.service
	p.do(chromedp.Navigate(s.fronts[0].origin + "/#/m/stage/" + live))
	p.click("button", "Take control")
	p.find("button", "Next")
	for _, language := range few("en", "de") {
		p.setLanguage(language)
		for _, one := range []struct{ name, subpath, shown string }{
			{"services", "", ".d-table .d-name"}, {"service", "service/" + harvest, ".about-item"},
			{"songs", "songs", ".d-list .d-name"}, {"song", "songs/new", "textarea"},
			{"exchange", "exchange", "textarea"}, {"live", live, ".bar"},
		} {
			p.do(chromedp.Navigate(s.fronts[0].origin + "/#/m/stage/" + one.subpath))
			p.reload()
			p.waitFor(`document.querySelector("h1") &&
				document.querySelector(".stage-ui[lang^=` + language + `] ` + one.shown + `")`)
			p.assertScreen("stage-"+one.name+"-"+language, language == "de")
			p.runScript(`document.documentElement.dir = "rtl"`)
			p.assertFits()
			p.screenshot("stage-" + one.name + "-" + language + "-rtl")
		}
	}
	_ = chromedp.Cancel(p.ctx)
}
