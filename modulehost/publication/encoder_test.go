package publication_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestEncode checks that a script is sent uncompressed until Encode has run, then in the encoding
// that the browser accepts, under an entity tag of its own.
func TestEncode(t *testing.T) {
	t.Parallel()
	h := setup(t)
	const path = "/api/v1/module-ui/board/1.0.0"
	script := scriptText("board", "ui/index.js")
	coding := func() string {
		w := h.send(t, http.MethodGet, path, "Accept-Encoding", "gzip, zstd")
		if w.Code != http.StatusOK || w.Header().Get("Vary") != "Origin, Accept-Encoding" {
			t.Fatalf("%s: %d with Vary %q, want 200 with Origin and Accept-Encoding", path, w.Code,
				w.Header().Get("Vary"))
		}
		if got, want := w.Header().Get("Etag"), etagOf(w.Body.String()); got != want {
			t.Fatalf("%s: its tag is %s, want that of the bytes sent, %s", path, got, want)
		}
		return w.Header().Get("Content-Encoding")
	}
	if got := coding(); got != "" {
		t.Fatalf("before Encode the script comes in %q, want it plain", got)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	h.service.Encode(stopped)
	if got := coding(); got != "" {
		t.Fatalf("after a stopped Encode the script comes in %q, want it plain", got)
	}
	h.service.Encode(t.Context())
	if got := coding(); got != "zstd" {
		t.Fatalf("after Encode the script comes in %q, want zstd", got)
	}
	w := h.send(t, http.MethodGet, path, "Accept-Encoding", "zstd")
	reader, err := zstd.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var got strings.Builder
	if _, err := reader.WriteTo(&got); err != nil || got.String() != script {
		t.Errorf("decoded the script has %d bytes (%v), want %d", got.Len(), err, len(script))
	}
	if w := h.send(t, http.MethodGet, path); w.Body.String() != script ||
		w.Header().Get("Content-Encoding") != "" {
		t.Errorf("without Accept-Encoding the script comes in %q", w.Header().Get("Content-Encoding"))
	}
}
