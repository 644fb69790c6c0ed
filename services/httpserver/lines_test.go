package httpserver_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/loglimit"
)

// TestWhatIsUnavailableIsLoggedOnceASecond checks that all routes of a stopped module together log one line
// per second, because all their callers get the same failure.
func TestWhatIsUnavailableIsLoggedOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.InfoLevel)
		lines := loglimit.New(zap.New(core))
		fails := func(err error) func(*httpapi.Call) error { return func(*httpapi.Call) error { return err } }
		handler, err := httpserver.New(httpserver.Config{
			Routes: []httpapi.Route{
				{Method: "GET", Path: "/api/v1/modules/down/a", Handle: fails(unavailableError{})},
				{Method: "GET", Path: "/api/v1/modules/down/b/{id}", Handle: fails(unavailableError{})},
				{Method: "GET", Path: "/api/v1/modules/broken/a", Handle: fails(httpapi.ErrInternal)},
			},
			ClientAddress: direct(), Log: zap.New(core), Lines: lines,
		})
		if err != nil {
			t.Fatal(err)
		}
		const each = 50
		for range each {
			for path, want := range map[string]int{"down/a": 503, "down/b/1": 503, "broken/a": 500} {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/modules/"+path,
					nil))
				if w.Code != want {
					t.Fatalf("GET %s: %d %s, want %d", path, w.Code, w.Body, want)
				}
			}
		}
		lines.Close()
		said, count := 0, int64(0)
		for _, line := range logs.FilterField(zap.String("code", "MODULE_UNAVAILABLE")).All() {
			said++
			count += line.ContextMap()["count"].(int64)
		}
		if said != 2 || count != 2*each {
			t.Errorf("%d requests to a module that is down are %d lines that count %d; want two lines that "+
				"count all", 2*each, said, count)
		}
		if said := logs.FilterField(zap.String("code", "INTERNAL_ERROR")).Len(); said != each {
			t.Errorf("%d failures of the platform's own are %d lines, want one each", each, said)
		}
	})
}

type unavailableError struct{}

func (unavailableError) Error() string { return "down" }
func (unavailableError) Code() string  { return "MODULE_UNAVAILABLE" }
