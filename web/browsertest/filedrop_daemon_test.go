package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// drop drags something from outside of the page over the middle of an element, and drops it there. Whether
// the page refused it is in dropped.
func (p *tab) drop(selector string, data *input.DragData) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`document.querySelector(%q)`, selector))
	p.runScript(`window.here = true;
		window.dropped = undefined;
		window.listens ||= addEventListener("dragover", ({ defaultPrevented }) =>
			(window.dropped = defaultPrevented)) ?? true`)
	place := eval[[]float64](p, fmt.Sprintf(`(() => {
		const element = document.querySelector(%q);
		element.scrollIntoView({ block: "center" });
		const { left, right, top, bottom } = element.getBoundingClientRect();
		return [(left + right) / 2, (top + bottom) / 2];
	})()`, selector))
	data.DragOperationsMask = 1 // a copy
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter,
		input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, input.DispatchDragEvent, input.DispatchDragEventParams{
				Type: kind, X: place[0], Y: place[1], Data: data})
			return err
		}))
	}
}

// TestDroppedFile: a file or a link that is dropped beside the fields does not take the page away, nor a
// display. A field for files, and one for text, still take what is theirs.
func TestDroppedFile(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	file := filepath.Join(t.TempDir(), "songs.html")
	if err := os.WriteFile(file, []byte("<h1>Songs</h1>"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := func() *input.DragData {
		return &input.DragData{Items: []*input.DragDataItem{}, Files: []string{file}}
	}
	link := func() *input.DragData {
		item := &input.DragDataItem{MimeType: "text/uri-list", Data: d.address + "/display/"}
		return &input.DragData{Items: []*input.DragDataItem{item}}
	}
	refused := func(p *tab, selector string, data *input.DragData) {
		t.Helper()
		p.drop(selector, data)
		p.waitFor(`window.here && dropped === true`)
	}
	p := d.openAs(t, "owner@example.org", "/#/m/announcements/new", desktop)
	p.waitForHeading("New notice")
	p.fill("Title", "Half")
	for _, place := range []string{"h1", "main form", "main input[required]", ".host-banner"} {
		refused(p, place, files())
	}
	refused(p, "h1", link())
	p.drop("main input[required]", link())
	p.waitFor(`window.here && dropped === false`)
	p.runScript(`const field = document.createElement("input");
		Object.assign(field, { type: "file", id: "own" });
		document.querySelector("main").prepend(field)`)
	p.drop("#own", files())
	p.waitFor(`window.here && document.querySelector("#own").files.length === 1`)

	screen := openPage(t, d.address+"/display/announcements", desktop)
	screen.pairingCode()
	refused(screen, "body", files())
}
