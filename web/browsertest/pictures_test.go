package browsertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
)

// How much two pictures of the same element may differ: browsers of different versions smooth edges
// differently and may place a line a pixel lower.
const (
	near      = 1  // a matching pixel may be this far away
	shade     = 14 // and differ by this much in each colour channel, of 255
	square    = 12 // side length in pixels of the compared squares
	strangers = 24 // a square with more pixels without a match differs
	otherSize = 3  // pixels by which width or height may differ
)

// fonts are the fonts in the pictures: Go's own, which every machine that runs the tests has.
var fonts = map[string][]byte{
	"/regular.ttf": goregular.TTF, "/bold.ttf": gobold.TTF, "/mono.ttf": gomono.TTF,
}

// withFonts serves the fonts beside a page.
func withFonts(pages fs.FS) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(pages))
	for path, font := range fonts {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(font) })
	}
	return mux
}

// unifyRendering makes a page look the same on every machine: fonts, time zone, no caret.
func (p *tab) unifyRendering() {
	p.t.Helper()
	p.setTimeZone("Europe/Berlin")
	p.runScript(`
		const sheet = new CSSStyleSheet();
		sheet.replaceSync("* { font-family: Alike !important; caret-color: transparent !important } " +
			".d-code, .d-code *, .d-code-input { font-family: Alike Mono !important }");
		document.adoptedStyleSheets.push(sheet);
		for (const [family, weight, file] of
			[["Alike", "400", "regular"], ["Alike", "600", "bold"], ["Alike Mono", "400 700", "mono"]]) {
			const face = new FontFace(family, "url(/" + file + ".ttf)", { weight });
			document.fonts.add(await face.load());
		}
		await document.fonts.ready;`)
}

// captureElement takes a picture of one element, clipped to whole pixels.
func (p *tab) captureElement(selector string) image.Image {
	p.t.Helper()
	box := eval[[]float64](p, fmt.Sprintf(`(() => {
		const { x, y, width, height } = document.querySelector(%q).getBoundingClientRect();
		return [Math.floor(x + scrollX), Math.floor(y + scrollY), Math.ceil(width), Math.ceil(height)];
	})()`, selector))
	shot, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		beyond := true
		taken, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{
			CaptureBeyondViewport: &beyond,
			Clip:                  &page.Viewport{X: box[0], Y: box[1], Width: box[2], Height: box[3], Scale: 1},
		})
		return taken.Data, err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		p.t.Fatal(err)
	}
	return picture
}

// assertLooks compares an element with its picture in testdata. SCREENSHOTS=write replaces the picture.
func (p *tab) assertLooks(name, selector string) {
	p.t.Helper()
	got, file := p.captureElement(selector), filepath.Join("testdata", "gallery", name+".png")
	if os.Getenv("SCREENSHOTS") == "write" {
		if err := writePicture(file, got); err != nil {
			p.t.Fatal(err)
		}
		return
	}
	content, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatalf("%s: %v; SCREENSHOTS=write go test -run %s writes it", name, err, p.t.Name())
	}
	want, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		p.t.Fatal(err)
	}
	verdict, shown := comparePictures(want, got)
	if verdict == "" {
		return
	}
	beside := filepath.Join("testdata", "gallery", "differing", name+".png")
	if err := writePicture(beside, shown); err != nil {
		p.t.Error(err)
	}
	p.t.Errorf("%s does not look like its picture: %s. Wanted, got and the difference are in "+
		"web/browsertest/%s. If it is meant to look so: SCREENSHOTS=write go test -run %s ./web/browsertest "+
		"(the pictures are of %s, this is %s)", name, verdict, beside, p.t.Name(), picturesBy(), p.version())
}

// writePicture writes a picture. To keep the file small, it reduces the shades at the edges of letters to a
// few; backgrounds keep their colours.
func writePicture(file string, picture image.Image) error {
	var content bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), encoder.Encode(&content, inFewColours(picture)),
		os.WriteFile(file, content.Bytes(), 0o644))
}

func inFewColours(picture image.Image) image.Image {
	pixels := pixelsOf(picture)
	often := map[color.NRGBA]int{}
	for y := range pixels.Rect.Dy() {
		for x := range pixels.Rect.Dx() {
			often[pixels.NRGBAAt(x, y)]++
		}
	}
	few := image.NewPaletted(pixels.Rect, nil)
	numbers := map[color.NRGBA]uint8{}
	for y := range pixels.Rect.Dy() {
		for x := range pixels.Rect.Dx() {
			at := pixels.NRGBAAt(x, y)
			if often[at] < len(pixels.Pix)/4/500 {
				at = color.NRGBA{rounded(at.R), rounded(at.G), rounded(at.B), 255}
			}
			number, known := numbers[at]
			if !known && len(few.Palette) == 256 {
				return picture
			}
			if !known {
				number = uint8(len(few.Palette))
				numbers[at] = number
				few.Palette = append(few.Palette, at)
			}
			few.SetColorIndex(x, y, number)
		}
	}
	return few
}

func rounded(shade uint8) uint8 { return uint8(min(255, (int(shade)+4)/8*8)) }

// browserFile names the browser with which the pictures in testdata were taken.
var browserFile = filepath.Join("testdata", "gallery", "browser.txt")

func picturesBy() string {
	content, err := os.ReadFile(browserFile)
	if err != nil {
		return "an unknown browser"
	}
	return strings.TrimSpace(string(content))
}

// version returns the version of the running browser.
func (p *tab) version() string {
	p.t.Helper()
	version, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) (string, error) {
		found, err := cdp.Call(ctx, t, browser.GetVersion, cdp.Empty{})
		return found.Product, err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return version
}

// comparePictures describes how two pictures differ, or returns "", and a picture with both of them and the
// differences.
func comparePictures(want, got image.Image) (string, image.Image) {
	a, b := pixelsOf(want), pixelsOf(got)
	across, down := max(a.Rect.Dx(), b.Rect.Dx()), max(a.Rect.Dy(), b.Rect.Dy())
	marked := image.NewNRGBA(image.Rect(0, 0, across, down))
	draw.Draw(marked, marked.Rect, image.White, image.Point{}, draw.Src)
	strange := map[image.Point]int{}
	for y := range min(a.Rect.Dy(), b.Rect.Dy()) {
		for x := range min(a.Rect.Dx(), b.Rect.Dx()) {
			if hasMatch(a.NRGBAAt(x, y), b, x, y) && hasMatch(b.NRGBAAt(x, y), a, x, y) {
				continue
			}
			marked.SetNRGBA(x, y, color.NRGBA{200, 0, 0, 255})
			strange[image.Pt(x/square, y/square)]++
		}
	}
	differing := 0
	for _, pixels := range strange {
		if pixels > strangers {
			differing++
		}
	}
	shown := image.NewNRGBA(image.Rect(0, 0, 3*across, down))
	for at, picture := range []image.Image{a, b, marked} {
		draw.Draw(shown, image.Rect(at*across, 0, (at+1)*across, down), picture, image.Point{}, draw.Src)
	}
	wide, high := b.Rect.Dx()-a.Rect.Dx(), b.Rect.Dy()-a.Rect.Dy()
	if max(wide, -wide, high, -high) > otherSize {
		return fmt.Sprintf("it is %d × %d pixels, want %d × %d", b.Rect.Dx(), b.Rect.Dy(), a.Rect.Dx(),
			a.Rect.Dy()), shown
	}
	if differing > 0 {
		return fmt.Sprintf("%d squares of %d × %[2]d pixels differ", differing, square), shown
	}
	return "", nil
}

// hasMatch reports whether a picture has a pixel of about this colour at a place or next to it.
func hasMatch(wanted color.NRGBA, in *image.NRGBA, x, y int) bool {
	for dy := -near; dy <= near; dy++ {
		for dx := -near; dx <= near; dx++ {
			if !image.Pt(x+dx, y+dy).In(in.Rect) {
				continue
			}
			there := in.NRGBAAt(x+dx, y+dy)
			if about(wanted.R, there.R) && about(wanted.G, there.G) && about(wanted.B, there.B) {
				return true
			}
		}
	}
	return false
}

func about(a, b uint8) bool { return max(a, b)-min(a, b) <= shade }

func pixelsOf(picture image.Image) *image.NRGBA {
	pixels := image.NewNRGBA(image.Rect(0, 0, picture.Bounds().Dx(), picture.Bounds().Dy()))
	draw.Draw(pixels, pixels.Rect, picture, picture.Bounds().Min, draw.Src)
	return pixels
}

// TestComparePictures: differences between machines do not count, but a changed background or position does.
func TestComparePictures(t *testing.T) {
	t.Parallel()
	drawn := func(x int, ground color.NRGBA) image.Image {
		picture := image.NewNRGBA(image.Rect(0, 0, 120, 60))
		draw.Draw(picture, picture.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(picture, image.Rect(x, 10, x+40, 32), image.NewUniform(ground), image.Point{}, draw.Src)
		return picture
	}
	green := color.NRGBA{0xe3, 0xf3, 0xe8, 255}
	for _, row := range []struct {
		what    string
		picture image.Image
		differs bool
	}{
		{"the same", drawn(20, green), false},
		{"a pixel to the side", drawn(21, green), false},
		{"a shade lighter", drawn(20, color.NRGBA{0xe8, 0xf8, 0xed, 255}), false},
		{"eight pixels to the side", drawn(28, green), true},
		{"another ground", drawn(20, color.NRGBA{0xfd, 0xf0, 0xd5, 255}), true},
		{"no ground", drawn(20, color.NRGBA{255, 255, 255, 255}), true},
	} {
		verdict, _ := comparePictures(drawn(20, green), row.picture)
		if differs := verdict != ""; differs != row.differs {
			t.Errorf("%s: %q, want a difference: %v", row.what, verdict, row.differs)
		}
	}
}
