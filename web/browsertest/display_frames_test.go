package browsertest

import (
	"bytes"
	"context"
	"image/png"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// recording takes pictures of a page until it is stopped, and counts those that show nothing but the ground.
type recording struct {
	stop context.CancelFunc
	done sync.WaitGroup

	frames, blank int
	longest       time.Duration // without a picture of content
	slowest       time.Duration // between two pictures
}

// record takes that many pictures a second, or as many as the machine can.
func (p *tab) record(perSecond int) *recording {
	ctx, stop := context.WithCancel(p.ctx)
	f := &recording{stop: stop}
	f.done.Go(func() {
		tick := time.NewTicker(time.Second / time.Duration(perSecond))
		defer tick.Stop()
		content, before := time.Now(), time.Now()
		for ctx.Err() == nil {
			shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
			if err != nil {
				continue // the page gives way to another, or the film is over
			}
			now := time.Now()
			f.frames++
			f.slowest = max(f.slowest, now.Sub(before))
			before = now
			if isBlank(shot) {
				f.blank++
				f.longest = max(f.longest, now.Sub(content))
			} else {
				content = now
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	})
	return f
}

// end stops the film and waits for it.
func (f *recording) finish() {
	f.stop()
	f.done.Wait()
}

// isBlank reports whether a picture has the page's ground, or white, wherever it is looked at. The wall
// module fills the screen with a colour.
func isBlank(shot []byte) bool {
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return false
	}
	size := picture.Bounds().Size()
	for _, at := range [][2]int{{4, 4}, {2, 8}, {12, 12}} { // fractions of the picture, clear of text and pill
		r, g, b, _ := picture.At(size.X/at[0], size.Y/at[1]).RGBA()
		if g >= r+8<<8 || g >= b+8<<8 { // green, also when it is made to look old
			return false
		}
	}
	return true
}

// saveBothOrientations leaves pictures of the page as it looks on a screen that hangs one way and the other.
func (p *tab) saveBothOrientations(name string) {
	p.t.Helper()
	for _, way := range []struct {
		name string
		view
	}{{"landscape", view{width: 1920, height: 1080}}, {"portrait", view{width: 1080, height: 1920}}} {
		p.setView(way.view)
		p.assertFits()
		p.screenshot("display-" + name + "-" + way.name)
	}
	p.setView(tv)
}

// assertNoBlank fails when a film shows a blank for longer than a second.
func (f *recording) assertNoBlank(t *testing.T, where string) {
	t.Helper()
	t.Logf("%s: %d pictures, %d blank, at most %v without content, at most %v between two", where, f.frames,
		f.blank, f.longest, f.slowest)
	if f.frames == 0 || f.longest > time.Second {
		t.Errorf("%s: of %d pictures %d are blank, for up to %v; want no blank over a second", where, f.frames,
			f.blank, f.longest)
	}
}
