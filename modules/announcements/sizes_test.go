package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// corners are the colours of a picture's quarters, from left to right and from top to bottom.
type corners [4]color.RGBA

var red, green, blue, white = color.RGBA{220, 20, 20, 255}, color.RGBA{20, 180, 20, 255},
	color.RGBA{20, 20, 220, 255}, color.RGBA{250, 250, 250, 255}

// quartered returns a picture with a colour in each quarter.
func quartered(width, height int, colours corners) *image.RGBA {
	canvas := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			canvas.SetRGBA(x, y, colours[2*(2*y/height)+2*x/width])
		}
	}
	return canvas
}

// cornersOf returns which of the four colours is in each quarter.
func cornersOf(t *testing.T, picture image.Image) (found corners) {
	t.Helper()
	bounds := picture.Bounds()
	palette := color.Palette{red, green, blue, white}
	for n := range found {
		x := bounds.Min.X + bounds.Dx()*(1+2*(n%2))/4
		y := bounds.Min.Y + bounds.Dy()*(1+2*(n/2))/4
		found[n] = palette.Convert(picture.At(x, y)).(color.RGBA)
	}
	return found
}

func encodedAs(t *testing.T, kind string, picture image.Image) string {
	t.Helper()
	var file bytes.Buffer
	encode := func() error { return jpeg.Encode(&file, picture, &jpeg.Options{Quality: 98}) }
	if kind == "png" {
		encode = func() error { return png.Encode(&file, picture) }
	}
	if err := encode(); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// turnedBy puts the orientation of a camera into a JPEG.
func turnedBy(orientation int, file string) string {
	tiff := "II*\x00\x08\x00\x00\x00" + "\x01\x00" + "\x12\x01\x03\x00\x01\x00\x00\x00" +
		string(rune(orientation)) + "\x00\x00\x00" + "\x00\x00\x00\x00"
	segment := "Exif\x00\x00" + tiff
	length := binary.BigEndian.AppendUint16(nil, uint16(len(segment)+2))
	return file[:2] + "\xff\xe1" + string(length) + segment + file[2:]
}

// addressesOf asks for the addresses of a picture.
func addressesOf(t *testing.T, caller *sdktest.Caller, id string) (found addresses) {
	t.Helper()
	got := caller.Do("GET", "/images/"+id+"/url", nil)
	if got.Status != http.StatusOK {
		t.Fatalf("the addresses of a picture: %s, want 200", got)
	}
	got.JSON(&found)
	return found
}

func read(t *testing.T, url string) (content string, header http.Header) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("reading a picture: %d, %v", response.StatusCode, err)
	}
	return string(body), response.Header
}

// TestSizes: an uploaded picture can be read in smaller sizes, upright however the camera was held; a browser
// keeps them, and they go with the picture.
func TestSizes(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office := m.Person(manageSlides)
	asHeld := corners{red, green, blue, white}
	shown := map[int]corners{
		1: asHeld,
		2: {green, red, white, blue},
		3: {white, blue, green, red},
		4: {blue, white, red, green},
		5: {red, blue, green, white},
		6: {blue, red, white, green},
		7: {white, green, blue, red},
		8: {green, white, red, blue},
	}
	for orientation, want := range shown {
		file := turnedBy(orientation, encodedAs(t, "jpeg", quartered(700, 350, asHeld)))
		p := uploaded(t, office, file)
		width, height := 700, 350
		if orientation >= 5 {
			width, height = height, width
		}
		found := addressesOf(t, office, p.ID)
		if p.Width != width || p.Height != height || found.Width != width || found.Height != height {
			t.Errorf("orientation %d: %d × %d and %d × %d, want %d × %d", orientation, p.Width, p.Height,
				found.Width, found.Height, width, height)
		}
		wanted := 2
		if width < 640 {
			wanted = 1
		}
		if len(found.Sizes) != wanted {
			t.Errorf("orientation %d: %d sizes, want %d", orientation, len(found.Sizes), wanted)
		}
		for _, one := range found.Sizes {
			content, header := read(t, one.URL)
			decoded, format, err := image.Decode(strings.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			if bounds := decoded.Bounds(); format != "jpeg" || bounds.Dx() != one.Width ||
				bounds.Dy() != one.Height || one.Height != (one.Width*height+width/2)/width {
				t.Errorf("orientation %d: a size of %d × %d is a %s of %v", orientation, one.Width, one.Height, format,
					bounds)
			}
			if got := cornersOf(t, decoded); got != want {
				t.Errorf("orientation %d, %d wide: the corners are %v, want %v", orientation, one.Width, got, want)
			}
			if len(content) >= len(file) || one.Width == 192 && len(content) > 8<<10 {
				t.Errorf("orientation %d: the size of %d has %d of %d bytes", orientation, one.Width, len(content),
					len(file))
			}
			if kept := header.Get("Cache-Control"); kept != "private, max-age=21600, immutable" {
				t.Errorf("a size has Cache-Control %q", kept)
			}
		}
		title := "Welcome"
		var s slide
		office.Do("POST", "/slides", draft{Title: &title, ImageID: &p.ID}).JSON(&s)
		office.Do("DELETE", "/slides/"+s.ID, nil)
		if left := m.Stored("images"); len(left) != 0 {
			t.Errorf("orientation %d: a deleted picture leaves %d objects, want none", orientation, len(left))
		}
	}
}

// TestTransparentSizes: what is transparent stays so.
func TestTransparentSizes(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office := m.Person(manageSlides)
	canvas := quartered(400, 300, corners{red, {}, blue, white})
	random := rand.New(rand.NewPCG(1, 2))
	for n := range canvas.Pix { // so that the file is not smaller than its sizes
		if n%4 != 3 && canvas.Pix[n|3] != 0 {
			canvas.Pix[n] ^= byte(random.IntN(16))
		}
	}
	found := addressesOf(t, office, uploaded(t, office, encodedAs(t, "png", canvas)).ID)
	if len(found.Sizes) != 1 {
		t.Fatalf("%d sizes, want 1", len(found.Sizes))
	}
	content, _ := read(t, found.Sizes[0].URL)
	decoded, format, err := image.Decode(strings.NewReader(content))
	if err != nil || format != "png" {
		t.Fatalf("a size is a %s, %v; want a PNG", format, err)
	}
	if _, _, _, alpha := decoded.At(170, 60).RGBA(); alpha != 0 {
		t.Errorf("the transparent quarter has alpha %d, want 0", alpha)
	}
}

// pngChunk is a chunk of a PNG with a wrong checksum, which nothing reads before the pixels.
func pngChunk(kind, content string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(content)))) + kind + content + "\x00\x00\x00\x00"
}

// TestPicturesWithoutSizes: pictures of which no smaller form is the same to a viewer, or that need too much
// memory, are shown as they are.
func TestPicturesWithoutSizes(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office := m.Person(manageSlides)
	still := encodedAs(t, "png", quartered(800, 400, corners{red, green, blue, white}))
	const beforePixels = 8 + 25 // signature and IHDR
	photo := encodedAs(t, "jpeg", quartered(800, 400, corners{red, green, blue, white}))
	for name, file := range map[string]string{
		"that is small":               encodedAs(t, "jpeg", quartered(150, 100, corners{red, green, blue, white})),
		"with a camera's notes (PNG)": still[:beforePixels] + pngChunk("eXIf", "MM") + still[beforePixels:],
		"that is cut off":             photo[:len(photo)/2],
		"with too many pixels":        encodedAs(t, "png", image.NewNRGBA(image.Rect(0, 0, 4100, 4100))),
	} {
		p := uploaded(t, office, file)
		found := addressesOf(t, office, p.ID)
		if len(found.Sizes) != 0 || found.Width != p.Width || found.Height != p.Height {
			t.Errorf("a picture %s has sizes %v, want none", name, found.Sizes)
		}
		if content, _ := read(t, found.URL); content != file {
			t.Errorf("a picture %s is not delivered as it was uploaded", name)
		}
	}
}

// TestSizesOfOldPictures: a picture without sizes gets them when it is shown first, or the next time if that
// fails.
func TestSizesOfOldPictures(t *testing.T) {
	t.Parallel()
	a := &announcements{}
	m := sdktest.Start(t, a, sdktest.Options{})
	office := m.Person(manageSlides)
	photo := encodedAs(t, "jpeg", quartered(1600, 800, corners{red, green, blue, white}))
	p := uploaded(t, office, turnedBy(6, photo))
	_, err := a.store.db.Exec(t.Context(), `UPDATE images SET sizes = NULL, width = height, height = width`)
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range sizeWidths() {
		if err := a.images.Delete(t.Context(), sizeKey(p.ID, width)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.sizing.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := addressesOf(t, office, p.ID); len(found.Sizes) != 0 {
		t.Errorf("while another picture is made: sizes %v, want none", found.Sizes)
	}
	a.sizing.Leave()
	m.CutObjects(100)
	found := addressesOf(t, office, p.ID)
	if len(found.Sizes) != 0 || !m.Logged("sizes of a picture were not made") {
		t.Errorf("while the storage fails: sizes %v, want none and a line", found.Sizes)
	}
	m.CutObjects(-1)
	first := addressesOf(t, office, p.ID)
	if len(first.Sizes) != 2 || first.Width != 800 || first.Height != 1600 {
		t.Errorf("%d × %d with %d sizes, want 800 × 1600 with 2", first.Width, first.Height, len(first.Sizes))
	}
}

// TestSweepOfSizes: the sweep keeps the sizes of a picture that is used, and deletes those of others.
func TestSweepOfSizes(t *testing.T) {
	t.Parallel()
	a := &announcements{}
	m := sdktest.Start(t, a, sdktest.Options{})
	office := m.Person(manageSlides)
	photo := encodedAs(t, "jpeg", quartered(800, 400, corners{red, green, blue, white}))
	used := uploaded(t, office, photo)
	uploaded(t, office, photo) // no slide names it
	title := "Welcome"
	office.Do("POST", "/slides", draft{Title: &title, ImageID: &used.ID})
	if _, err := a.images.Put(t.Context(), "nameless.192", "image/jpeg", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	if err := a.sweep(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	left := m.Stored("images")
	for _, key := range []string{used.ID, sizeKey(used.ID, 640), sizeKey(used.ID, 192)} {
		if _, kept := left[key]; !kept {
			t.Errorf("the sweep deleted %s of a picture that is used", strconv.Quote(strings.TrimPrefix(key, used.ID)))
		}
	}
	if len(left) != 3 {
		t.Errorf("the sweep left %d objects, want 3", len(left))
	}
}

// TestSizesOfADeletedPicture: if a picture is deleted while its sizes are made, nothing of it stays.
func TestSizesOfADeletedPicture(t *testing.T) {
	t.Parallel()
	a := &announcements{}
	m := sdktest.Start(t, a, sdktest.Options{})
	photo := encodedAs(t, "jpeg", quartered(800, 400, corners{red, green, blue, white}))
	p := uploaded(t, m.Person(manageSlides), photo)
	p.objectKey = p.ID
	if _, err := a.store.db.Exec(t.Context(), `DELETE FROM images`); err != nil {
		t.Fatal(err)
	}
	if err := a.makeSizes(t.Context(), &p); err != errNoImage {
		t.Errorf("making the sizes of a deleted picture: %v, want %v", err, sdk.Error("IMAGE_NOT_FOUND"))
	}
	if left := m.Stored("images"); len(left) != 0 {
		t.Errorf("%d objects are left, want none", len(left))
	}
}
