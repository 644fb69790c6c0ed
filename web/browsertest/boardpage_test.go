package browsertest

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// wallPage mounts the display of the announcements as a host would, but without measuring words. In its
// context the test is the server: window.readers are the readers of its channel, window.ahead is how many
// milliseconds the server's clock is ahead of the browser's.
const wallPage = `<!doctype html><title>wall</title>
<style>html, body { margin: 0; block-size: 100%; background: #000; }
#screen { position: fixed; inset: 0; }</style>
<div id="screen" data-module="announcements"></div>
<script>
	window[Symbol.for("narthex.kit.1")] = { lineHeightFor: (_, usual) => usual, hyphenated: (words) => words };
</script>
<script type="module">
	import artifact from "/display.js";
	Object.assign(window, { readers: [], stopped: 0, ahead: 0 });
	const parameters = new URLSearchParams(location.search);
	document.documentElement.dir = parameters.get("dir") ?? "ltr";
	const contributions = parameters.has("contributed")
		? [{ id: "countdown.slide", version: "1.0.0", capability: "announcements.slides",
			load: async () => ({ render(container, payload, { serverNow }) {
				window.rendered = (window.rendered ?? 0) + 1;
				if (payload.broken) throw new Error("broken");
				container.textContent = payload.label + (serverNow() > 0 ? "" : "?");
				return () => (window.disposed = (window.disposed ?? 0) + 1);
			} }) }]
		: [];
	const ended = new AbortController();
	window.unmount = artifact.definition.mount(document.getElementById("screen"), {
		module: { id: "announcements", name: "Announcements", version: "1.0.0" },
		api: (path, init) => fetch("/api" + path, init),
		realtime: (channel, reader) => {
			window.channel = channel;
			readers.push(reader);
			return () => stopped++;
		},
		permissions: [], contributions,
		locale: parameters.get("locale") ?? "en", dir: document.documentElement.dir,
		serverNow: () => Date.now() + ahead,
		addStyle: (css) => {
			const sheet = new CSSStyleSheet();
			sheet.replaceSync("@scope ([data-module]) {" + css + "}");
			document.adoptedStyleSheets.push(sheet);
		},
		signal: ended.signal,
	});
</script>`

// boardPage is a page with the display of the announcements, without a platform.
type boardPage struct {
	*tab
	board object
}

// openWall shows an empty board. A picture's id is its size, <width>x<height>; the picture "missing" does not
// exist.
func openWall(t *testing.T, query string, v view) *boardPage {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, wallPage)
		case r.URL.Path == "/display.js":
			http.ServeFile(w, r, "../../modules/announcements/display/index.js")
		case strings.HasPrefix(r.URL.Path, "/picture/"):
			paint(w, strings.TrimPrefix(r.URL.Path, "/picture/"))
		case strings.Contains(r.URL.Path, "missing") || !strings.HasPrefix(r.URL.Path, "/api/board/images/"):
			reply(w, 404, `{"code":"IMAGE_NOT_FOUND"}`)
		default: // /api/board/images/<size>/url
			size := strings.Split(r.URL.Path, "/")[4]
			reply(w, 200, fmt.Sprintf(`{"url":"http://%s/picture/%s","expiresAt":%q}`, r.Host, size,
				timestamp(time.Now().Add(time.Hour))))
		}
	}))
	t.Cleanup(server.Close)
	w := &boardPage{openPage(t, server.URL+"/?"+query, v), nil}
	w.waitFor(`window.readers?.length === 1`)
	if channel := eval[string](w.tab, "channel"); channel != "board" {
		t.Errorf("the display follows the channel %q", channel)
	}
	return w
}

// paint responds with a picture of hills under an evening sky.
func paint(w http.ResponseWriter, size string) {
	width, height, _ := strings.Cut(size, "x")
	across, _ := strconv.Atoi(width)
	down, _ := strconv.Atoi(height)
	canvas := image.NewRGBA(image.Rect(0, 0, across, down))
	for y := range down {
		for x := range across {
			shade := uint8(200 * y / down)
			c := color.RGBA{230 - shade/2, 150 - shade/2, 90 + shade/3, 255}
			if hill := down*2/3 - (x-across/3)*(across-x)/(across*2/3+1)/3; y > hill {
				c = color.RGBA{30, 60 + shade/4, 50, 255}
			}
			canvas.SetRGBA(x, y, c)
		}
	}
	w.Header().Set("Content-Type", "image/png")
	_ = png.Encode(w, canvas)
}

// slide returns a slide of the board; more replaces fields of it.
func slide(number int, title, body string, more object) object {
	s := object{
		"id": fmt.Sprintf("00000000-0000-4000-8000-%012d", number), "kind": "notice", "title": title, "body": body,
		"imageId": nil, "payload": nil, "startsAt": nil, "endsAt": nil, "position": number * 1024, "enabled": true,
		"rev": 1,
	}
	for field, value := range more {
		s[field] = value
	}
	return s
}

// sendSnapshot sends the display a board with these slides.
func (w *boardPage) sendSnapshot(rev int, settings object, slides ...object) {
	w.t.Helper()
	all := object{"slideSeconds": 120, "showClock": true, "transition": "cut", "idleMessage": ""}
	for key, value := range settings {
		all[key] = value
	}
	if slides == nil {
		slides = []object{}
	}
	w.sendEvent("snapshot", object{"rev": rev, "settings": all, "slides": slides, "show": nil})
}

// sendEvent sends an event to the newest reader; a snapshot also contains the server's time.
func (w *boardPage) sendEvent(what string, value object) {
	w.t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		w.t.Fatal(err)
	}
	w.runScript(fmt.Sprintf(`
		const serverTime = new Date(Date.now() + ahead).toISOString();
		readers.at(-1).%s({ serverTime, ...%s })`, what, text))
}

// waitForText waits until the only slide on the stage has this text.
func (w *boardPage) waitForText(words string) {
	w.t.Helper()
	w.waitFor(fmt.Sprintf(`document.querySelectorAll(".slide").length === 1 &&
		document.querySelector(".slide").innerText.includes(%q)`, words))
}

func timestamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
