package httpapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// Only the code is sent, with its status. A code that is not for callers becomes INTERNAL_ERROR.
func TestWriteError(t *testing.T) {
	t.Parallel()
	for sent, status := range map[httpapi.Error]int{
		httpapi.ErrRequest:                  http.StatusBadRequest,
		"CONFIGURATION_KEY_UNDECLARED":      http.StatusBadRequest,
		"CONFIGURATION_VALUE_INVALID":       http.StatusBadRequest,
		"CONFIGURATION_SECRET_NOT_WRITABLE": http.StatusBadRequest,
		"MODULE_NOT_INSTALLED":              http.StatusNotFound,
		httpapi.ErrStore:                    http.StatusServiceUnavailable,
		"MODULE_LIFECYCLE_READ_FAILED":      http.StatusInternalServerError,
		"MODULE_CONFIGURATION_READ_FAILED":  http.StatusInternalServerError,
	} {
		code := sent.Code()
		if status == http.StatusInternalServerError {
			code = "INTERNAL_ERROR"
		}
		w := httptest.NewRecorder()
		got := httpapi.WriteError(w, fmt.Errorf("%w: %w", sent, errors.New("host=db.test")))
		if got != code || w.Code != status || w.Body.String() != `{"code":"`+code+`"}` ||
			w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("WriteError(%s): returned %s, status %d, body %s; want %s, %d", sent, got, w.Code, w.Body, code,
				status)
		}
	}
}

// pausing is an error with a Retry-After.
type pausing time.Duration

func (pausing) Error() string               { return "MODULE_UNAVAILABLE" }
func (pausing) Code() string                { return "MODULE_UNAVAILABLE" }
func (p pausing) RetryAfter() time.Duration { return time.Duration(p) }

// Retry-After is in whole seconds, rounded up, and never less than one.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		httpapi.Error("MODULE_UNAVAILABLE"):      "1",
		httpapi.Error("MODULE_OVERLOADED"):       "1",
		httpapi.ErrStore:                         "",
		pausing(-time.Minute):                    "1",
		pausing(7*time.Second + time.Nanosecond): "8",
		pausing(30 * time.Second):                "30",
	} {
		w := httptest.NewRecorder()
		httpapi.WriteError(w, fmt.Errorf("while asking: %w", err))
		if got := w.Header().Get("Retry-After"); got != want {
			t.Errorf("%#v: Retry-After %q, want %q", err, got, want)
		}
	}
}
