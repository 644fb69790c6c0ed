package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// simulated gives a page a clock that stands still until pass() is called, and then runs through all timers
// that become due, while no request is in progress. The server seems to have the same clock: heartbeats, the
// end of streams after four and a half minutes, and the times with which it answers follow it. plug(false) is
// a lost network.
const simulated = `(() => {
	const { fetch: send } = window;
	const { port1, port2 } = new MessageChannel();
	let now = performance.now(), under = 0, last = 0, plugged = true, rested;
	const zero = Date.now() - now;
	const timers = new Map(), streams = new Set();
	const coder = new TextEncoder();
	const begin = (repeats) => (run, after = 0, ...more) => {
		const every = Math.max(after, repeats ? 1 : 0);
		timers.set(++last, { at: now + every, every: repeats && every, run: () => run(...more) });
		return last;
	};
	window.setTimeout = begin(false);
	window.setInterval = begin(true);
	window.clearTimeout = window.clearInterval = (id) => void timers.delete(id);
	performance.now = () => now;
	Date.now = () => zero + now;
	const dated = (text) =>
		text.replace(/"serverTime":"[^"]*"/g, () => '"serverTime":"' + new Date(Date.now()).toISOString() + '"');
	const followed = (body) => {
		const reader = body.pipeThrough(new TextDecoderStream()).getReader();
		let controller, text = "";
		const say = (block) => controller.enqueue(coder.encode(block + "\n\n"));
		const stream = {
			say,
			cut: () => {
				streams.delete(stream);
				controller.error(new TypeError("the network is lost"));
				void reader.cancel().catch(() => undefined);
			},
		};
		const follow = async () => {
			for (;;) {
				const { done, value } = await reader.read();
				if (done || !streams.has(stream)) break;
				const blocks = (text + value).split("\n\n");
				text = blocks.pop();
				for (const block of blocks) if (!/^event: heartbeat$/m.test(block)) say(dated(block));
			}
			if (streams.delete(stream)) controller.close();
		};
		streams.add(stream);
		return new ReadableStream({
			start(given) {
				controller = given;
				follow().catch((error) => streams.delete(stream) && controller.error(error));
			},
			cancel(why) {
				streams.delete(stream);
				return reader.cancel(why);
			},
		});
	};
	const during = async (run) => {
		under++;
		try {
			return await run();
		} finally {
			under--;
		}
	};
	window.fetch = (address, init) => String(address).startsWith("/_dev/")
		? new Promise(() => undefined) // "narthex dev" has a request that waits
		: during(() => answered(address, init));
	const answered = async (address, init) => {
		if (!plugged) throw new TypeError("the network is lost");
		const response = await send(address, init);
		const headers = new Headers(response.headers);
		headers.set("Date", new Date(Date.now()).toUTCString());
		const streamed = headers.get("Content-Type") === "text/event-stream";
		const body = streamed ? followed(response.body) : dated(await response.text()) || null;
		return new Response(body, { status: response.status, headers });
	};
	const heartbeat = () =>
		[...streams].forEach(({ say }) => say("event: heartbeat\ndata: " + dated('{"serverTime":""}')));
	window.setInterval(heartbeat, 15_000);
	window.setInterval(() => [...streams].forEach(({ say }) => say("event: reconnect\ndata: {}")), 270_000);
	window.plug = (is) => {
		plugged = is;
		if (!is) [...streams].forEach(({ cut }) => cut());
	};
	port1.onmessage = () => rested();
	const settle = async () => {
		do await new Promise((done) => { rested = done; port2.postMessage(0); });
		while (under > 0);
	};
	window.pass = async (milliseconds) => {
		const end = now + milliseconds;
		for (;;) {
			await settle();
			let [id, due] = [0, { at: end }];
			for (const [other, timer] of timers) if (timer.at < due.at) [id, due] = [other, timer];
			now = Math.max(now, due.at);
			if (id === 0) return;
			if (due.every) due.at = now + due.every;
			else timers.delete(id);
			try {
				due.run();
			} catch (error) {
				reportError(error);
			}
		}
	};
})();`

// eightHours is one display in the simulation.
type eightHours struct {
	*boardHouse
	p *tab
	// change changes what the display shows, and returns an expression that is true when it shows that.
	change func(n int) (shown string)
}

// openSimulated pairs a screen, and opens its display again with the simulated clock.
func (b *boardHouse) openSimulated(t *testing.T, module string) *tab {
	t.Helper()
	p := (&displayFixture{}).newTab(t)
	p.setView(view{width: 480, height: 270})
	p.do(chromedp.Navigate(b.address + "/display/" + module))
	b.call("POST", "/api/v1/device-pairing/"+p.pairingCode()+"/approve", object{"label": module})
	const mounted = `document.querySelector(".host-layer :is(.stage, .house, .screen)")`
	p.waitFor(mounted)
	p.onNewDocument(simulated)
	p.reload()
	p.waitSimulated(mounted, 50*time.Millisecond)
	return p
}

// pass lets that much simulated time pass for a page.
func (p *tab) pass(duration time.Duration) {
	p.t.Helper()
	p.runScript(fmt.Sprintf(`await pass(%d)`, duration.Milliseconds()))
}

// waitSimulated waits until an expression is true, and lets some simulated time pass before each look.
func (p *tab) waitSimulated(expression string, step time.Duration) {
	p.t.Helper()
	p.waitUntil(expression, func() bool {
		p.pass(step)
		return eval[bool](p, "Boolean("+expression+")")
	})
}

// rounds are the changes of eight simulated hours, five minutes apart.
const rounds = 96

// TestDisplayForEightHours: each display runs for eight simulated hours, with a change every five minutes, a
// lost network and, for the calendar, a midnight. It takes no more memory at the end than after two hours,
// and shows what it should.
func TestDisplayForEightHours(t *testing.T) {
	leaveToProof(t, "it takes minutes")
	t.Parallel()
	b := startBoards(t)
	t.Run("calendar", func(t *testing.T) {
		b.t = t
		const begins = 20 // the hour on the house's clock at the beginning
		ahead := (begins-time.Now().UTC().Hour()+36)%24 - 12
		zone := fmt.Sprintf("Etc/GMT%+d", -ahead)
		b.call("PUT", "/api/v1/house", object{"name": nil, "accent": "blue", "language": "en", "timeZone": zone,
			"secondFactor": "optional"})
		tomorrow := time.Now().UTC().Add(time.Duration(ahead)*time.Hour).AddDate(0, 0, 1)
		e := eightHours{boardHouse: b, p: b.openSimulated(t, "calendar"), change: b.changeEvents(tomorrow)}
		e.run()
		e.p.screenshot("eight-hours")
		e.assertRightTime(zone)
		e.assertDay(tomorrow)
	})
	t.Run("announcements", func(t *testing.T) {
		b.t = t
		e := eightHours{boardHouse: b, p: b.openSimulated(t, "announcements"), change: b.changeSlides()}
		e.run()
		e.p.screenshot("eight-hours")
	})
	t.Run("stage", func(t *testing.T) {
		b.t = t
		e := eightHours{boardHouse: b, p: b.openSimulated(t, "stage"), change: b.changeItems}
		e.run()
		e.p.screenshot("eight-hours")
	})
}

// run lets the rounds pass, each with a change. The network is lost in one of them.
func (e eightHours) run() {
	e.t.Helper()
	var warm, half memoryUse
	var shown string
	measure := func() (most memoryUse) {
		e.p.waitSimulated(shown, time.Second)
		for range 4 { // a board prepares its next slide, so what it holds differs
			e.p.pass(7 * time.Second)
			m := e.p.memoryUse()
			most.heap, most.objects = max(most.heap, m.heap), max(most.objects, m.objects)
			most.listeners = max(most.listeners, m.listeners)
			if m.nodes-m.attached > most.nodes-most.attached {
				most.nodes, most.attached = m.nodes, m.attached
			}
		}
		return most
	}
	for n := range rounds {
		if n == rounds*3/8 {
			e.p.runScript(`plug(false)`)
			e.p.pass(2 * time.Minute)
			e.p.waitSimulated(`document.querySelector("[data-stale]") && document.querySelector(".host-indicator")`,
				time.Second)
		}
		shown = e.change(n)
		e.p.runScript(`plug(true)`)
		e.p.waitSimulated(shown, time.Second)
		e.p.pass(5 * time.Minute)
		switch n + 1 {
		case rounds / 4:
			warm = measure()
		case rounds / 2:
			half = measure()
		}
	}
	if eval[bool](e.p, `Boolean(document.querySelector("[data-stale], .host-indicator"))`) {
		e.t.Error("at the end the display says that it has no connection")
	}
	assertNoGrowth(e.t, warm, half, measure())
}

// assertRightTime compares the clock of a display with the simulated time.
func (e eightHours) assertRightTime(zone string) {
	e.t.Helper()
	got := eval[string](e.p, `document.querySelector(".clock").textContent`)
	want := eval[[]string](e.p, fmt.Sprintf(`(() => {
		const form = new Intl.DateTimeFormat(document.querySelector(".host-layer").lang,
			{ hour: "numeric", minute: "2-digit", timeZone: %q });
		return [form.format(Date.now()), form.format(Date.now() - 1000)]; // it looks once a second
	})()`, zone))
	if !slices.Contains(want, got) {
		e.t.Errorf("the clock shows %q, want %q", got, want[0])
	}
}

// assertDay checks that the calendar shows a day, and nothing of the one before.
func (e eightHours) assertDay(day time.Time) {
	e.t.Helper()
	text := eval[string](e.p, `document.querySelector(".house").innerText`)
	for _, want := range []string{day.Format("Monday"), fmt.Sprint(day.Day()), "Morning prayer"} {
		if !strings.Contains(text, want) {
			e.t.Errorf("after midnight the calendar shows %q, want %s", text, want)
		}
	}
	if strings.Contains(text, "Evening prayer") {
		e.t.Errorf("after midnight the calendar shows %q, want nothing of the evening", text)
	}
}

// changeEvents fills the calendar with events of this evening and of tomorrow, and changes another one.
func (b *boardHouse) changeEvents(tomorrow time.Time) func(n int) string {
	b.exec(b.t, `DELETE FROM module_calendar.events`)
	room := b.call("POST", calendarRoot+"/rooms", object{"name": "Chapel"})["id"]
	today := tomorrow.AddDate(0, 0, -1)
	add := func(title string, day time.Time, from, to string) string {
		return b.call("POST", calendarRoot+"/events", object{"title": title, "rooms": []any{room},
			"start": day.Format(time.DateOnly) + from, "end": day.Format(time.DateOnly) + to})["id"].(string)
	}
	add("Evening prayer", today, "T18:00", "T23:59")
	add("Morning prayer", tomorrow, "T06:00", "T07:00")
	days := object{"title": "Fair 0", "rooms": []any{}, "start": today.AddDate(0, 0, -1).Format(time.DateOnly),
		"end": tomorrow.AddDate(0, 0, 1).Format(time.DateOnly)}
	id := b.call("POST", calendarRoot+"/events", days)["id"].(string)
	return func(n int) string {
		days["title"], days["rev"] = fmt.Sprint("Fair ", n+1), n+1
		b.call("PUT", calendarRoot+"/events/"+id, days)
		return fmt.Sprintf(`document.querySelector(".house").innerText.includes("Fair %d")`, n+1)
	}
}

// changeSlides fills the board of announcements with three slides, one with a picture, and changes the first.
func (b *boardHouse) changeSlides() func(n int) string {
	b.clearBoard()
	id := b.addSlide("Notice 0", nil)
	b.addSlide("Coffee", object{"body": "In the foyer, after the service."})
	b.addSlide("Garden", object{"imageId": b.upload("1600x900")})
	return func(n int) string {
		title := fmt.Sprintf("Notice %d", n+1)
		b.call("PUT", announcementsRoot+"/slides/"+id, object{"title": title, "enabled": true, "rev": n + 1})
		return fmt.Sprintf(`document.querySelectorAll(".slide").length === 1 &&
			document.querySelector(".slide").innerText.replaceAll("\u00ad", "").includes(%q)`, title)
	}
}

// changeItems lets the stage show the next item of its service.
func (b *boardHouse) changeItems(n int) string {
	next := (n + 1) % len(b.items)
	b.press(object{"action": "item", "item": b.items[next]})
	return fmt.Sprintf(words+`.replaceAll("\u00ad", "") === %q`,
		strings.ReplaceAll(stageCases[next].text, "\n", "|"))
}
