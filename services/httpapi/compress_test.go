package httpapi_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// TestResponsesAreCompressed: what is long, is JSON and goes to a page of this house is compressed if its
// browser takes that, and nothing else is.
func TestResponsesAreCompressed(t *testing.T) {
	t.Parallel()
	long := []byte(`"` + strings.Repeat("narthex ", 512) + `"`)
	tagged, part := http.Header{"Etag": {`"1"`}}, http.Header{"Content-Range": {"bytes 0-1/2"}}
	for name, row := range map[string]struct {
		method, encoding, site, allowed string // allowed: the origin that CORS allows
		status                          int
		body                            []byte
		header                          http.Header // set by the handler
		coded, varies                   bool
	}{
		"own page":            {"GET", "gzip, br", "same-origin", "", 200, long, nil, true, true},
		"trusted origin":      {"GET", "gzip", "same-site", "https://app.example.org", 200, long, nil, true, true},
		"another site":        {"GET", "gzip", "cross-site", "", 200, long, nil, false, true},
		"another subdomain":   {"GET", "gzip", "same-site", "", 200, long, nil, false, true},
		"typed address":       {"GET", "gzip", "none", "", 200, long, nil, false, true},
		"no browser":          {"GET", "gzip", "", "", 200, long, nil, false, true},
		"no coding":           {"GET", "", "same-origin", "", 200, long, nil, false, true},
		"refused coding":      {"GET", "gzip;q=0, *", "same-origin", "", 200, long, nil, false, true},
		"answer to a write":   {"POST", "gzip", "same-origin", "", 200, long, nil, false, false},
		"short":               {"GET", "gzip", "same-origin", "", 200, long[:4095], nil, false, false},
		"failure":             {"GET", "gzip", "same-origin", "", 500, long, nil, false, false},
		"with an entity tag":  {"GET", "gzip", "same-origin", "", 200, long, tagged, false, false},
		"part of a file":      {"GET", "gzip", "same-origin", "", 200, long, part, false, false},
		"twice Sec-Fetch":     {"GET", "gzip", "same-origin ", "", 200, long, nil, false, true},
		"in two header lines": {"GET", "br\ngzip", "same-origin", "", 200, long, nil, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), row.method, "/api/v1/x", nil)
			if row.encoding != "" {
				r.Header["Accept-Encoding"] = strings.Split(row.encoding, "\n")
			}
			if row.site != "" {
				r.Header.Set("Sec-Fetch-Site", row.site)
			}
			w := httptest.NewRecorder()
			w.Header().Set("Vary", "Origin")
			if row.allowed != "" {
				w.Header().Set("Access-Control-Allow-Origin", row.allowed)
			}
			maps.Copy(w.Header(), row.header)
			if err := (&httpapi.Call{Writer: w, Request: r}).RawJSON(row.status, row.body); err != nil {
				t.Fatal(err)
			}
			sent, coding, vary := w.Body.Bytes(), "", "Origin"
			if row.varies {
				vary = "Origin, Accept-Encoding"
			}
			if row.coded {
				coding = "gzip"
				if len(sent) > len(row.body)/4 || w.Header().Get("Content-Length") != "" {
					t.Errorf("%d bytes with Content-Length %q, want less and none", len(sent),
						w.Header().Get("Content-Length"))
				}
				coded, err := gzip.NewReader(bytes.NewReader(sent))
				if err != nil {
					t.Fatal(err)
				}
				if sent, err = io.ReadAll(coded); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(sent, row.body) || w.Header().Get("Content-Encoding") != coding ||
				w.Header().Get("Vary") != vary {
				t.Errorf("%d bytes, Content-Encoding %q, Vary %q; want %d, %q, %q", len(sent),
					w.Header().Get("Content-Encoding"), w.Header().Get("Vary"), len(row.body), coding, vary)
			}
		})
	}
}
