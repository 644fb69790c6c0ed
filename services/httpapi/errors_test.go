package httpapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// TestWriteError: the code alone goes out, with its status; what is no code for callers is INTERNAL_ERROR.
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
		answered := httpapi.WriteError(w, fmt.Errorf("%w: %w", sent, errors.New("host=db.test")))
		if answered != code || w.Code != status || w.Body.String() != `{"code":"`+code+`"}` || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %s, %d %s", sent, answered, w.Code, w.Body)
		}
	}
}
