package publication_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// TestEncoder checks that a script is sent uncompressed until the encoder has run, and then in the encoding
// that the browser accepts, with its own entity tag.
func TestEncoder(t *testing.T) {
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
		t.Fatalf("before the encoder the script comes in %q, want it plain", got)
	}
	encoder := h.service.Encoder()
	select {
	case <-encoder.Ready():
	default:
		t.Error("something waits for the encoder")
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- encoder.Serve(ctx) }()
	for deadline := time.Now().Add(time.Minute); coding() != "zstd"; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the script never comes in zstd")
		}
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
	stop()
	if err := <-ended; err == nil {
		t.Error("the encoder ended without being asked")
	}
}
