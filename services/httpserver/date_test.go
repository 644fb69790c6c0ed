package httpserver_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// TestDate checks that each response has one Date header, of a second of its request, and that its handler
// has found it.
func TestDate(t *testing.T) {
	const found = "X-Found-Date"
	s := startRaw(t, httpserver.ListenerConfig{Handler: http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		w.Header()[found] = w.Header()["Date"]
	})}, httpserver.Limits{})
	for range 3 {
		began := time.Now().Truncate(time.Second)
		response, err := http.Get("http://" + s.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		all := response.Header["Date"]
		if len(all) != 1 {
			t.Fatalf("Date %q, want one", all)
		}
		if got := response.Header.Get(found); got != all[0] {
			t.Errorf("the handler found the Date %q, want %q", got, all[0])
		}
		at, err := http.ParseTime(all[0])
		if err != nil || at.Before(began) || at.After(time.Now()) {
			t.Errorf("Date %q, error %v, want a time between %v and now", all[0], err, began)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestDateFollowsTheClock checks the value for the same second, the next one and an earlier one.
func TestDateFollowsTheClock(t *testing.T) {
	at := httpserver.NewDates()
	second := time.Date(2026, 11, 25, 18, 5, 59, 0, time.FixedZone("", 3600))
	for _, after := range []time.Duration{0, 999 * time.Millisecond, time.Second, 0, 24 * time.Hour} {
		now := second.Add(after)
		if got, want := at(now), now.UTC().Format(http.TimeFormat); len(got) != 1 || got[0] != want {
			t.Errorf("%v: Date %q, want %q", now, got, want)
		}
	}
}
