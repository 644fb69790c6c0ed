package storage_test

import (
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// Content that a browser might run is downloaded and not shown when its read URL is opened. Content that a
// browser only shows is shown.
func TestDispositions(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	b := images(t, server)
	for contentType, saved := range map[string]bool{
		"text/html": true, "TEXT/HTML; charset=utf-8": true, "application/xhtml+xml": true, "image/svg+xml": true,
		"text/xml":        true,
		"application/xml": true, "application/rss+xml": true, "text/javascript": true,
		"application/javascript":                true,
		"multipart/x-mixed-replace; boundary=x": true, "message/rfc822": true, "text/css": true, "": true,
		"no type":                true,
		"application/unheard-of": true,
		"image/png":              false, "image/jpeg": false, "audio/mpeg": false, "video/mp4": false,
		"font/woff2":      false,
		"application/pdf": false, "application/json": false, "text/plain; charset=utf-8": false, "text/csv": false,
	} {
		object := put(t, b, "a", contentType, "<script>alert(1)</script>")
		target, _, err := b.CreateReadURL(t.Context(), "a", 0, storage.Delivery{})
		if err != nil {
			t.Fatal(err)
		}
		got := fetch(t, server.Address, target, "")
		disposition := got.header.Get("Content-Disposition")
		if got.status != 200 || disposition != map[bool]string{true: "attachment", false: "inline"}[saved] {
			t.Errorf("%q: status %d, Content-Disposition %q, want saved %v", contentType, got.status, disposition,
				saved)
		}
		if got := got.header.Get("Content-Type"); got != object.ContentType {
			t.Errorf("%q: Content-Type %q, want %q as it was stored", contentType, got, object.ContentType)
		}
	}
}

// A read URL with a file name always starts a download, under exactly that name.
func TestDownloadName(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	b := images(t, server)
	put(t, b, "a", "text/html", "<p>")
	for name, want := range map[string]string{
		"rota.pdf":                 `attachment; filename=rota.pdf`,
		`a "b" & c=d; e.txt`:       `attachment; filename="a \"b\" & c=d; e.txt"`,
		"Übersicht + 50%.ods":      `attachment; filename*=utf-8''%C3%9Cbersicht%20+%2050%25.ods`,
		strings.Repeat("n", 255):   `attachment; filename=` + strings.Repeat("n", 255),
		"x-amz-acl=public&a=b.txt": `attachment; filename="x-amz-acl=public&a=b.txt"`,
	} {
		target, _, err := b.CreateReadURL(t.Context(), "a", 0, storage.Delivery{Name: name})
		if err != nil {
			t.Errorf("CreateReadURL with the file name %q: error %v, want none", name, err)
			continue
		}
		got := fetch(t, server.Address, target, "")
		if disposition := got.header.Get("Content-Disposition"); got.status != 200 || disposition != want {
			t.Errorf("%q: status %d, Content-Disposition %s, want %s", name, got.status, disposition, want)
		}
		if kind := got.header.Get("Content-Type"); kind != "application/octet-stream" {
			t.Errorf("%q: Content-Type %q", name, kind)
		}
		if stripped := strings.Replace(target, "response-content-disposition", "response-content-language",
			1); stripped != target {
			if got := fetch(t, server.Address, stripped, ""); got.status != 403 {
				t.Errorf("%q: the name can be taken out of the URL: status %d", name, got.status)
			}
		}
	}
	for _, name := range []string{
		"a/b", `a\b`, "a\r\nb", "a\x00", "\xff", "a\u202etxt.exe", "a\u200bb", strings.Repeat("n", 256),
	} {
		target, _, err := b.CreateReadURL(t.Context(), "a", 0, storage.Delivery{Name: name})
		if wantCode(t, err, storage.ErrKey); target != "" {
			t.Errorf("CreateReadURL with the file name %q: %s, want no URL", name, target)
		}
	}
}
