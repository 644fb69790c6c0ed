package httpapi_test

import (
	"errors"
	"io"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// The received bytes of a body are counted, whatever length was declared.
func TestReadBodyCountsWhatArrives(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		body     string
		declared int64 // -1: not declared
		want     error
	}{
		"at the limit":                 {"12345678", 8, nil},
		"at the limit, not declared":   {"12345678", -1, nil},
		"over the limit":               {"123456789", 9, httpapi.ErrBodyTooLarge},
		"over the limit, not declared": {"123456789", -1, httpapi.ErrBodyTooLarge},
		"shorter than declared":        {"123", 8, httpapi.ErrBodyAborted},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/", io.NopCloser(strings.NewReader(row.body)))
		r.ContentLength = row.declared
		body, err := (&httpapi.Call{Writer: w, Request: r, MaxBody: 8}).ReadBody()
		if !errors.Is(err, row.want) || err == nil && string(body) != row.body {
			t.Errorf("ReadBody %s: got %q, %v; want the body, error %v", name, body, err, row.want)
		}
	}
}

// After a body over the limit the connection cannot be used again.
func TestTooLargeBodyClosesTheConnection(t *testing.T) {
	t.Parallel()
	for code, want := range map[httpapi.Error]string{httpapi.ErrBodyTooLarge: "close", httpapi.ErrRequest: ""} {
		w := httptest.NewRecorder()
		httpapi.WriteError(w, code)
		if got := w.Header().Get("Connection"); got != want {
			t.Errorf("WriteError(%s): Connection %q, want %q", code, got, want)
		}
	}
}

// net/http sets Content-Length of a small body by itself, but not that of a larger one.
func TestLargeResponseDeclaresItsLength(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]string{100: "", 5000: strconv.Itoa(5000)} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		c := &httpapi.Call{Writer: w, Request: r}
		if err := c.RawJSON(200, []byte(strings.Repeat("1", length))); err != nil {
			t.Fatal(err)
		}
		if got := w.Header().Get("Content-Length"); got != want {
			t.Errorf("a response of %d bytes: Content-Length %q, want %q", length, got, want)
		}
	}
}

func TestEncodeAllKeepsOnlySmallerCodings(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]int{"x": 0, strings.Repeat("narthex ", 1000): 2} {
		all, err := httpapi.EncodeAll([]byte(content))
		if err != nil || len(all) != want {
			t.Errorf("EncodeAll of %d bytes: %d codings, %v; want %d", len(content), len(all), err, want)
		}
	}
}
