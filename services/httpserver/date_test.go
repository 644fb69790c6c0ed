package httpserver_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// TestDate checks that the Date header is that of the request's second.
func TestDate(t *testing.T) {
	_, handler := table(t)
	synctest.Test(t, func(t *testing.T) {
		for _, pause := range []time.Duration{0, 300 * time.Millisecond, 700 * time.Millisecond, time.Second,
			time.Hour, 999 * time.Millisecond, time.Millisecond} {
			time.Sleep(pause)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/open", http.NoBody))
			got, want := w.Header()["Date"], time.Now().UTC().Format(http.TimeFormat)
			if len(got) != 1 || got[0] != want {
				t.Errorf("Date %q, want %q", got, want)
			}
		}
	})
}
