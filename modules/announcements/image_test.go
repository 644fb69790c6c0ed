package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// painted returns a picture of one colour.
func painted(tb testing.TB, width, height int) image.Image {
	tb.Helper()
	canvas := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.RGBA{40, 90, 160, 255}})
	return canvas
}

func pngOf(tb testing.TB, width, height int) string {
	tb.Helper()
	var file bytes.Buffer
	if err := png.Encode(&file, painted(tb, width, height)); err != nil {
		tb.Fatal(err)
	}
	return file.String()
}

func jpegOf(tb testing.TB, width, height int) string {
	tb.Helper()
	var file bytes.Buffer
	if err := jpeg.Encode(&file, painted(tb, width, height), nil); err != nil {
		tb.Fatal(err)
	}
	return file.String()
}

// webp is a minimal lossless picture of one pixel.
const webp = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00" +
	"\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

func send(caller *sdktest.Caller, body io.Reader) *sdktest.Response {
	request := caller.Request("POST", "/images", body)
	request.Header.Set("Content-Type", "text/html") // the sender's type is ignored
	return caller.Send(request)
}

func uploaded(tb testing.TB, caller *sdktest.Caller, content string) (p picture) {
	tb.Helper()
	got := send(caller, strings.NewReader(content))
	if got.Status != http.StatusCreated {
		tb.Fatalf("uploading a picture: %s, want 201", got)
	}
	got.JSON(&p)
	return p
}

// TestUpload uploads the three types, which are recognized by their content, and reads them by URL and
// unchanged.
func TestUpload(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office := m.Person(manageSlides)
	for name, c := range map[string]struct {
		content string
		want    picture
	}{
		"JPEG": {jpegOf(t, 640, 360), picture{Type: "image/jpeg", Width: 640, Height: 360}},
		"PNG":  {pngOf(t, 30, 40), picture{Type: "image/png", Width: 30, Height: 40}},
		"WebP": {webp, picture{Type: "image/webp", Width: 1, Height: 1}},
	} {
		got := uploaded(t, office, c.content)
		if got.Type != c.want.Type || got.Width != c.want.Width || got.Height != c.want.Height ||
			got.Bytes != int64(len(c.content)) {
			t.Errorf("uploading a %s answers %+v, want %+v and %d bytes", name, got, c.want, len(c.content))
		}
		if kept := m.Stored("images")[got.ID]; kept.Content != c.content || kept.ContentType != c.want.Type {
			t.Errorf("of a %s %d bytes of %s are stored, want %d of %s", name, len(kept.Content), kept.ContentType,
				len(c.content), c.want.Type)
		}
		sum := sha256.Sum256([]byte(c.content))
		original := office.Do("GET", "/images/"+got.ID, nil)
		if original.Status != http.StatusOK || original.Body != c.content ||
			original.Header.Get("ETag") != `"`+hex.EncodeToString(sum[:])+`"` ||
			!strings.HasPrefix(original.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("the original of a %s: %d, %d bytes, %v", name, original.Status, len(original.Body),
				original.Header)
		}
		var link struct{ URL string }
		office.Do("GET", "/images/"+got.ID+"/url", nil).JSON(&link)
		response, err := http.Get(link.URL)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(response.Body)
		if err != nil || string(content) != c.content || response.Header.Get("Content-Type") != c.want.Type {
			t.Errorf("the URL of a %s delivers %d bytes of %s (%v)", name, len(content),
				response.Header.Get("Content-Type"), err)
		}
		_ = response.Body.Close()
	}
}

// TestUploadRefused: a refused upload leaves nothing behind.
func TestUploadRefused(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office, member, screen := m.Person(manageSlides), m.Person(), m.Device(viewDisplay)
	noise := make([]byte, maxImage)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	whole := jpegOf(t, 64, 64)
	tooLarge := func() io.Reader { return io.MultiReader(strings.NewReader(whole), bytes.NewReader(noise)) }
	const svg = `<svg xmlns="http://www.w3.org/2000/svg"/>`
	for name, c := range map[string]struct {
		by     *sdktest.Caller
		body   io.Reader
		status int
		code   string
	}{
		"nothing":         {office, strings.NewReader(""), 400, "IMAGE_INVALID"},
		"a page":          {office, strings.NewReader("<html><script>1</script>"), 400, "IMAGE_INVALID"},
		"a drawing":       {office, strings.NewReader(svg), 400, "IMAGE_INVALID"},
		"a GIF":           {office, strings.NewReader("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), 400, "IMAGE_INVALID"},
		"a cut head":      {office, strings.NewReader(whole[:20]), 400, "IMAGE_INVALID"},
		"a long head":     {office, longHead(whole), 400, "IMAGE_INVALID"},
		"too wide":        {office, strings.NewReader(pngOf(t, maxSide+1, 1)), 400, "IMAGE_INVALID"},
		"too many pixels": {office, strings.NewReader(pngOf(t, 6000, 6000)), 400, "IMAGE_INVALID"},
		"too large":       {office, tooLarge(), 413, "REQUEST_BODY_TOO_LARGE"},
		"by a member":     {member, strings.NewReader(whole), 403, "PERMISSION_DENIED"},
		"by a screen":     {screen, strings.NewReader(whole), 403, "PERMISSION_DENIED"},
	} {
		if got := send(c.by, c.body); got.Status != c.status || got.Body != `{"code":"`+c.code+`"}` {
			t.Errorf("uploading %s: %s, want %d %s", name, got, c.status, c.code)
		}
	}
	if left := m.Stored("images"); len(left) != 0 {
		t.Errorf("refused uploads left %d objects, want none", len(left))
	}
}

// longHead is a JPEG whose size comes after 2 MiB of metadata.
func longHead(whole string) io.Reader {
	note := append([]byte{0xff, 0xe1, 0xff, 0xff}, make([]byte, 0xfffd)...)
	return io.MultiReader(strings.NewReader(whole[:2]), bytes.NewReader(bytes.Repeat(note, 32)),
		strings.NewReader(whole[2:]))
}

// TestPictureOfASlide: readers and screens get a picture only while a published slide shows it, and it is
// deleted with the last such slide.
func TestPictureOfASlide(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office, member, screen := m.Person(manageSlides), m.Person(), m.Device(viewDisplay)
	p := uploaded(t, office, jpegOf(t, 64, 36))
	path := "/images/" + p.ID + "/url"
	reads := func(wanted int, when string) {
		t.Helper()
		for name, got := range map[string]*sdktest.Response{
			"a member": member.Do("GET", path, nil), "a screen": screen.Do("GET", "/board"+path, nil),
		} {
			if got.Status != wanted {
				t.Errorf("%s, %s asks for the picture's URL: %s, want %d", when, name, got, wanted)
			}
		}
	}
	write := func(method, path string, d draft, status int) (s slide) {
		t.Helper()
		got := office.Do(method, path, d)
		if got.Status != status {
			t.Fatalf("%s %s: %s, want %d", method, path, got, status)
		}
		if status < 300 {
			got.JSON(&s)
		}
		return s
	}
	title, off, on := "Welcome", false, true
	unknown := "00000000-0000-4000-8000-000000000000"
	if got := office.Do("POST", "/slides", draft{Title: &title, ImageID: &unknown}); got.Status != 400 ||
		got.Body != `{"code":"IMAGE_UNKNOWN"}` {
		t.Errorf("a slide with an unknown picture: %s, want 400 IMAGE_UNKNOWN", got)
	}
	malformed := "../" + unknown
	write("POST", "/slides", draft{Title: &title, ImageID: &malformed}, 400)
	reads(404, "before a slide shows it")
	first := write("POST", "/slides", draft{Title: &title, ImageID: &p.ID, Enabled: &off}, 201)
	reads(404, "while the slide is not published")
	published := draft{Title: &title, ImageID: &p.ID, Enabled: &on, Rev: &first.Rev}
	first = write("PUT", "/slides/"+first.ID, published, 200)
	reads(200, "while the slide is published")
	second := write("POST", "/slides", draft{Title: &title, ImageID: &p.ID, Enabled: &on}, 201)
	if got := office.Do("DELETE", "/slides/"+second.ID, nil); got.Status != 204 {
		t.Fatalf("deleting the second slide: %s, want 204", got)
	}
	reads(200, "after one of two slides is gone")
	m.FailStorage(sdk.ErrNotFound)
	if got := screen.Do("GET", "/board"+path, nil); got.Status != 404 || !m.Logged("not in the storage") {
		t.Errorf("a picture that the storage has lost: %s, log %v; want 404 and a line", got,
			m.Logs())
	}
	write("PUT", "/slides/"+first.ID, draft{Title: &title, Enabled: &on, Rev: &first.Rev}, 200)
	reads(404, "after the last slide gave it up")
	if left := m.Stored("images"); len(left) != 0 {
		t.Errorf("the picture that no slide shows is still stored")
	}
	for _, path := range []string{"/images/" + p.ID, "/images/x/url"} {
		if got := office.Do("GET", path, nil); got.Status != 404 || got.Body != `{"code":"IMAGE_NOT_FOUND"}` {
			t.Errorf("GET %s: %s, want 404 IMAGE_NOT_FOUND", path, got)
		}
	}
	if got := screen.Do("GET", path, nil); got.Status != 403 {
		t.Errorf("a screen asks at the readers' route: %s, want 403", got)
	}
}

// TestSweep deletes old pictures that no slide names, and leaves all others.
func TestSweep(t *testing.T) {
	t.Parallel()
	a := &announcements{}
	m := sdktest.Start(t, a, sdktest.Options{})
	office := m.Person(manageSlides)
	used, unused := uploaded(t, office, pngOf(t, 4, 4)), uploaded(t, office, pngOf(t, 5, 5))
	title := "Welcome"
	office.Do("POST", "/slides", draft{Title: &title, ImageID: &used.ID})
	if _, err := a.images.Put(t.Context(), "nameless", "image/png", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	if err := a.sweep(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if left := m.Stored("images"); len(left) != 3 {
		t.Errorf("a sweep for what is older than an hour left %d objects, want all 3", len(left))
	}
	if err := a.sweep(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	left := m.Stored("images")
	if _, kept := left[used.ID]; !kept || len(left) != 1 {
		t.Errorf("a sweep left %d objects, want the one that is used", len(left))
	}
	if got := office.Do("GET", "/images/"+unused.ID, nil); got.Status != 404 {
		t.Errorf("a picture that was swept: %s, want 404", got)
	}
}

// TestSweepLeavesWhatIsBeingNamed: the sweep skips a picture that an open transaction names. A slide that
// names a deleted picture is refused.
func TestSweepLeavesWhatIsBeingNamed(t *testing.T) {
	t.Parallel()
	a := &announcements{}
	m := sdktest.Start(t, a, sdktest.Options{})
	office := m.Person(manageSlides)
	p := uploaded(t, office, pngOf(t, 4, 4))
	title, body := "Welcome", ""
	enabled, kind := true, ownKind
	naming := &draft{Title: &title, Body: &body, Kind: &kind, Enabled: &enabled, ImageID: &p.ID}
	err := a.store.db.InTx(t.Context(), func(tx *sdk.Tx) error {
		if _, err := create(t.Context(), tx, naming); err != nil {
			return err
		}
		return a.sweep(t.Context(), time.Now().Add(time.Hour))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, kept := m.Stored("images")[p.ID]; !kept {
		t.Error("the sweep deleted a picture that a slide was about to show")
	}
	other := uploaded(t, office, pngOf(t, 6, 6))
	if err := a.sweep(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := office.Do("POST", "/slides", draft{Title: &title, ImageID: &other.ID}); got.Status != 400 {
		t.Errorf("a slide with a picture that was swept: %s, want 400", got)
	}
}

// TestSweepIsRegular: the schedule deletes a picture that was unused for a day.
func TestSweepIsRegular(t *testing.T) {
	t.Parallel()
	a := &announcements{}
	m := sdktest.Start(t, a, sdktest.Options{})
	office := m.Person(manageSlides)
	old, young := uploaded(t, office, pngOf(t, 4, 4)), uploaded(t, office, pngOf(t, 5, 5))
	_, err := a.store.db.Exec(t.Context(), `
		UPDATE images SET created_at = now() - interval '25 hours' WHERE id = $1`, old.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Advance(sweepEvery + time.Minute); err != nil {
		t.Fatal(err)
	}
	left := m.Stored("images")
	if _, kept := left[young.ID]; !kept || len(left) != 1 {
		t.Errorf("a sweep after %v left %d pictures, want the young one of two", sweepEvery, len(left))
	}
}
