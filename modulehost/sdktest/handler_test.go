package sdktest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

var errSeatTaken = sdk.Refuse(http.StatusConflict, "SEAT_TAKEN")

// TestResultsOfHandlers requests a route for each kind of result.
func TestResultsOfHandlers(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 11, 0, 0, 250999000, time.FixedZone("", 3600))
	closed := false
	long := strings.Repeat("a", 300<<10)
	results := map[string]any{
		"nothing":  nil,
		"value":    map[string]any{"seats": []string(nil), "at": at, "b": 1, "a": "<&>"},
		"created":  sdk.Created(struct{}{}),
		"accepted": sdk.Response{Status: http.StatusAccepted, Header: http.Header{"x-module-seat": {"4"}}},
		"reader": sdk.Response{
			Header: http.Header{"Content-Type": {"text/plain"}},
			Body:   closing{strings.NewReader("as it is"), &closed},
		},
		"long": []string{long},
	}
	m := sdktest.Start(t, &seats{register: func(r *sdk.Registry) {
		r.HandleFunc("GET /results/{kind}", "seats.read", sdk.NoBody,
			func(_ context.Context, r *http.Request) (any, error) { return results[r.PathValue("kind")], nil })
	}}, options())
	person := m.Person()
	for kind, want := range map[string]string{
		"nothing":  "204 ",
		"value":    `200 {"a":"<&>","at":"2026-11-22T10:00:00.250Z","b":1,"seats":[]}`,
		"created":  "201 {}",
		"accepted": "202 ",
		"reader":   "200 as it is",
		"long":     `200 ["` + long + `"]`,
	} {
		got := person.Do("GET", "/results/"+kind, nil)
		if got.String() != want {
			t.Errorf("GET /results/%s: %.200s, want %.200s", kind, got, want)
		}
		types := map[string]string{"nothing": "", "accepted": "", "reader": "text/plain"}
		if want, special := types[kind]; special && got.Header.Get("Content-Type") != want ||
			!special && got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("GET /results/%s: Content-Type %q", kind, got.Header.Get("Content-Type"))
		}
	}
	if !closed {
		t.Error("a body that is a Closer was not closed")
	}
}

type closing struct {
	io.Reader
	closed *bool
}

// Close records the call.
func (c closing) Close() error {
	*c.closed = true
	return nil
}

// TestErrorsOfHandlers requests a route for each kind of error.
func TestErrorsOfHandlers(t *testing.T) {
	t.Parallel()
	errs := map[string]error{
		"refusal":     errSeatTaken,
		"wrapped":     fmt.Errorf("seat 4 of Ruth: %w: %w", errSeatTaken, sdk.ErrDatabaseUnavailable),
		"field":       fmt.Errorf("row 4: %w", sdk.OfField("seat", errSeatTaken)),
		"member":      sdk.OfField("name", sdk.ErrRequestInvalid),
		"broken":      sdk.OfField("name", errors.New("no refusal")),
		"request":     sdk.ErrRequestInvalid,
		"key":         sdk.ErrKeyInvalid,
		"object":      fmt.Errorf("picture: %w", sdk.ErrNotFound),
		"toolarge":    sdk.ErrTooLarge,
		"mails":       sdk.ErrTooManyMails,
		"database":    sdk.ErrDatabaseUnavailable,
		"transaction": sdk.ErrTransactionEnded,
		"deadlock":    &sdk.DatabaseError{SQLState: "40P01"},
		"readonly":    &sdk.DatabaseError{SQLState: "25006"},
		"nul":         &sdk.DatabaseError{SQLState: "22021"},
		"unique":      &sdk.DatabaseError{SQLState: "23505", Constraint: "seats_name"},
		"principal":   sdk.ErrPrincipalUnresolved,
		"storage":     sdk.ErrUnavailable,
		"slow":        sdk.ErrTimeout,
		"late":        context.DeadlineExceeded,
		"overloaded":  sdk.ErrHostOverloaded,
		"provider":    sdk.ErrCapabilityFailed,
		"absent":      sdk.ErrCapabilityAbsent,
		"bucket":      sdk.ErrAccessDenied,
		"plain":       errors.New("the seat of Ruth is broken"),
	}
	m := sdktest.Start(t, &seats{register: func(r *sdk.Registry) {
		r.HandleFunc("GET /errors/{kind}", "seats.read", sdk.NoBody,
			func(_ context.Context, r *http.Request) (any, error) { return "dropped", errs[r.PathValue("kind")] })
		r.HandleFunc("POST /letters", "seats.write", sdk.Buffered(64),
			func(_ context.Context, r *http.Request) (any, error) { return sdk.Decode[letter](r) })
		r.HandleFunc("POST /letters/streamed", "seats.write", sdk.Streamed(64),
			func(_ context.Context, r *http.Request) (any, error) { return sdk.Decode[letter](r) })
	}}, options())
	person := m.Person("seats.write")
	for kind, want := range map[string]string{
		"refusal":     `409 {"code":"SEAT_TAKEN"}`,
		"wrapped":     `409 {"code":"SEAT_TAKEN"}`,
		"field":       `409 {"code":"SEAT_TAKEN","field":"seat"}`,
		"member":      `400 {"code":"REQUEST_INVALID","field":"name"}`,
		"broken":      `500 {"code":"MODULE_HANDLER_FAILED"}`,
		"request":     `400 {"code":"REQUEST_INVALID"}`,
		"key":         `400 {"code":"REQUEST_INVALID"}`,
		"object":      `404 {"code":"NOT_FOUND"}`,
		"toolarge":    `413 {"code":"REQUEST_BODY_TOO_LARGE"}`,
		"mails":       `429 {"code":"TOO_MANY_REQUESTS"}`,
		"database":    `503 {"code":"STORE_UNAVAILABLE"}`,
		"transaction": `503 {"code":"STORE_UNAVAILABLE"}`,
		"deadlock":    `503 {"code":"STORE_UNAVAILABLE"}`,
		"readonly":    `503 {"code":"STORE_UNAVAILABLE"}`,
		"nul":         `400 {"code":"REQUEST_INVALID"}`,
		"unique":      `500 {"code":"MODULE_HANDLER_FAILED"}`,
		"principal":   `503 {"code":"PRINCIPAL_RESOLUTION_FAILED"}`,
		"storage":     `503 {"code":"STORAGE_UNAVAILABLE"}`,
		"slow":        `503 {"code":"STORAGE_UNAVAILABLE"}`,
		"late":        `503 {"code":"STORE_UNAVAILABLE"}`,
		"overloaded":  `503 {"code":"MODULE_OVERLOADED"}`,
		"provider":    `503 {"code":"MODULE_UNAVAILABLE"}`,
		"absent":      `503 {"code":"MODULE_UNAVAILABLE"}`,
		"bucket":      `500 {"code":"MODULE_HANDLER_FAILED"}`,
		"plain":       `500 {"code":"MODULE_HANDLER_FAILED"}`,
	} {
		got := person.Do("GET", "/errors/"+kind, nil)
		if got.String() != want {
			t.Errorf("an error of kind %s: %s, want %s", kind, got, want)
		}
		waits := strings.Contains(want, "MODULE_OVERLOADED") || strings.Contains(want, "MODULE_UNAVAILABLE")
		if retry := got.Header.Get("Retry-After"); (retry == "1") != waits {
			t.Errorf("an error of kind %s: Retry-After %q, want 1: %t", kind, retry, waits)
		}
	}
	if got := person.Do("POST", "/letters", `{"title":"Ruth","pages":4}`); got.String() !=
		`200 {"title":"Ruth","pages":4}` {
		t.Errorf("POST /letters: %s", got)
	}
	tooLong := `{"title":"` + strings.Repeat("a", 64) + `"}`
	for _, path := range []string{"/letters", "/letters/streamed"} {
		// MultiReader hides the length
		request := person.Request("POST", path, io.MultiReader(bytes.NewReader([]byte(tooLong))))
		request.Header.Set("Content-Type", "application/json")
		if got := person.Send(request); got.String() != `413 {"code":"REQUEST_BODY_TOO_LARGE"}` {
			t.Errorf("POST %s of more than its limit: %s, want 413", path, got)
		}
		if got := person.Do("POST", path, `{"title":"Ruth","titel":""}`); got.String() !=
			`400 {"code":"REQUEST_INVALID"}` {
			t.Errorf("POST %s with an unknown member: %s, want 400", path, got)
		}
	}
}
