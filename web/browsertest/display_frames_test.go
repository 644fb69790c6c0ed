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

// recording captures frames of a page until it is stopped, and counts the blank ones.
type recording struct {
	stop context.CancelFunc
	done sync.WaitGroup

	frames, blank int
	longest       time.Duration // the longest time without content
	slowest       time.Duration // the longest time between two frames
}

// record captures that many frames a second, or as many as the machine can. It returns when it has the first
// one.
func (p *tab) record(perSecond int) *recording {
	ctx, stop := context.WithCancel(p.ctx)
	f := &recording{stop: stop}
	begun := make(chan struct{})
	f.done.Go(func() {
		tick := time.NewTicker(time.Second / time.Duration(perSecond))
		defer tick.Stop()
		content, before := time.Now(), time.Now()
		for ctx.Err() == nil {
			shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
			if err != nil {
				continue // the page navigates, or the recording has ended
			}
			now := time.Now()
			if f.frames++; f.frames == 1 {
				close(begun)
			}
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
	select {
	case <-begun:
	case <-ctx.Done():
	}
	return f
}

// finish ends the recording and waits for it.
func (f *recording) finish() {
	f.stop()
	f.done.Wait()
}

// isBlank reports whether a frame has only the page's background, or white, at the sampled points. The wall
// module fills the screen with a colour.
func isBlank(shot []byte) bool {
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return false
	}
	size := picture.Bounds().Size()
	for _, at := range [][2]int{{4, 4}, {2, 8}, {12, 12}} { // fractions, away from text and indicator
		r, g, b, _ := picture.At(size.X/at[0], size.Y/at[1]).RGBA()
		if g >= r+8<<8 || g >= b+8<<8 { // green, even if the page is dimmed
			return false
		}
	}
	return true
}

// saveBothOrientations saves screenshots of the page in landscape and in portrait.
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

// assertNoBlank fails the test if a recording is blank for longer than a second.
func (f *recording) assertNoBlank(t *testing.T, where string) {
	t.Helper()
	t.Logf("%s: %d pictures, %d blank, at most %v without content, at most %v between two", where, f.frames,
		f.blank, f.longest, f.slowest)
	if f.frames == 0 || f.longest > time.Second {
		t.Errorf("%s: of %d pictures %d are blank, for up to %v; want no blank over a second", where, f.frames,
			f.blank, f.longest)
	}
}
