package gateway_test

import (
	"bytes"
	"io"
	"strconv"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/narthex-platform/narthex/modulehost/gateway"
)

// TestJSONIsCompressed: a module's long JSON reaches a page compressed, whether it is sent with its head or
// in pieces.
func TestJSONIsCompressed(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	for _, row := range []struct {
		count    int
		declared bool
		coded    bool
	}{
		{4095, true, false}, {4096, true, true}, {5000, false, true}, {20_000, true, true}, {300_000, true, true},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			r := p.request(t.Context(), method, "/json/"+strconv.Itoa(row.count)+"/"+strconv.FormatBool(row.declared),
				nil)
			r.Header.Set("Accept-Encoding", "gzip")
			got := p.send(r)
			coding, vary := "", "Origin, Cookie"
			if row.coded {
				coding, vary = "gzip", "Origin, Cookie, Accept-Encoding"
			}
			if got.err != nil || got.Header.Get("Content-Encoding") != coding || got.Header.Get("Vary") != vary {
				t.Errorf("%s of %d bytes: Content-Encoding %q, Vary %q, %v; want %q, %q", method, row.count,
					got.Header.Get("Content-Encoding"), got.Header.Get("Vary"), got.err, coding, vary)
				continue
			}
			if method == "HEAD" {
				if want := map[bool]string{false: strconv.Itoa(row.count)}[row.coded]; want !=
					got.Header.Get("Content-Length") {
					t.Errorf("HEAD of %d bytes: Content-Length %q, want %q", row.count,
						got.Header.Get("Content-Length"), want)
				}
				continue
			}
			body := []byte(got.body)
			if row.coded {
				coded, err := gzip.NewReader(bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				if body, err = io.ReadAll(coded); err != nil {
					t.Errorf("%d bytes: %v", row.count, err)
				}
			}
			if string(body) != pattern(row.count) {
				t.Errorf("%d bytes: other ones arrived", row.count)
			}
		}
	}
}
