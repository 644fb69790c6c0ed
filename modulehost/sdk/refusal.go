package sdk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Refusal is an error of a handler with a status and a stable code for the client. Two with the same status
// and code are equal, so that errors.Is finds one. A cause may be wrapped beside it, and is never sent:
//
//	var errNoNote = sdk.Refuse(http.StatusNotFound, "NOTE_NOT_FOUND")
type Refusal struct {
	status int
	code   string
}

// Refuse makes a Refusal. The status is 400 to 599. It panics on another status, and on a code with other
// characters than upper case letters, digits and underscores, because that is a mistake in the module.
func Refuse(status int, code string) Refusal {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
	if status < 400 || status > 599 || code == "" || strings.Trim(code, letters) != "" {
		panic(fmt.Sprintf("sdk: Refuse(%d, %q): a status is 400 to 599, and a code like NOTE_NOT_FOUND",
			status, code))
	}
	return Refusal{status: status, code: code}
}

func (r Refusal) Error() string { return r.code }

// Code returns the code.
func (r Refusal) Code() string { return r.code }

// Status returns the HTTP status.
func (r Refusal) Status() int { return r.status }

// fieldError is an error about one member of the request's body.
type fieldError struct {
	error
	field string
}

func (e *fieldError) Unwrap() error { return e.error }

// OfField says which member of the request's body a refusal is about. The response has it beside the code, as
// {"code": "TITLE_TOO_SHORT", "field": "title"}, so that a form can show the refusal at its field.
func OfField(name string, err error) error { return &fieldError{err, name} }

// respondError turns a handler's error into the response. It returns an error when the platform must respond
// itself.
func (r *Registry) respondError(
	w http.ResponseWriter, request *http.Request, pattern string, err error,
) error {
	refusal := Refusal{}
	if errors.As(err, &refusal) {
		return respondRefusal(w, refusal, err)
	}
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) || errors.Is(err, ErrBodyAborted) ||
		errors.Is(err, context.Canceled) && request.Context().Err() != nil {
		return err // the platform responds 413 or 400, or the client is gone
	}
	if refusal = refusalOf(err); refusal.status == http.StatusBadRequest {
		r.refused.report(pattern, err)
		return respondRefusal(w, refusal, err)
	}
	reportError(pattern, err)
	if refusal == (Refusal{}) {
		return err
	}
	return respondRefusal(w, refusal, nil)
}

// respondRefusal writes a refusal, with the field that the error is about, if it is about one.
func respondRefusal(w http.ResponseWriter, refusal Refusal, err error) error {
	switch refusal.code {
	case "MODULE_OVERLOADED", "MODULE_UNAVAILABLE":
		w.Header().Set("Retry-After", "1")
	}
	body := struct {
		Code  string `json:"code"`
		Field string `json:"field,omitzero"`
	}{Code: refusal.code}
	if about := (*fieldError)(nil); errors.As(err, &about) {
		body.Field = about.field
	}
	return respondJSON(w, refusal.status, body)
}

// refusalOf returns the response to one of the platform's own codes. It is zero for codes that a mistake in
// the module causes.
func refusalOf(err error) Refusal {
	if errors.Is(err, context.DeadlineExceeded) {
		return Refusal{http.StatusServiceUnavailable, "STORE_UNAVAILABLE"}
	}
	if said := (*DatabaseError)(nil); errors.As(err, &said) {
		return refusalOfState(said.SQLState)
	}
	code := Error("")
	_ = errors.As(err, &code)
	switch code {
	case ErrRequestInvalid, ErrKeyInvalid, ErrMessageUnencodable: // what the client sent is no text
		return Refusal{http.StatusBadRequest, "REQUEST_INVALID"}
	case ErrNotFound:
		return Refusal{http.StatusNotFound, "NOT_FOUND"}
	case ErrTooLarge:
		return Refusal{http.StatusRequestEntityTooLarge, "REQUEST_BODY_TOO_LARGE"}
	case ErrTooManyMails:
		return Refusal{http.StatusTooManyRequests, "TOO_MANY_REQUESTS"}
	case ErrDatabaseUnavailable, ErrTransactionEnded, ErrStoreUnavailable:
		return Refusal{http.StatusServiceUnavailable, "STORE_UNAVAILABLE"}
	case ErrPrincipalUnresolved:
		return Refusal{http.StatusServiceUnavailable, "PRINCIPAL_RESOLUTION_FAILED"}
	case ErrUnavailable, ErrTimeout:
		return Refusal{http.StatusServiceUnavailable, "STORAGE_UNAVAILABLE"}
	case ErrHostOverloaded:
		return Refusal{http.StatusServiceUnavailable, "MODULE_OVERLOADED"}
	case ErrCapabilityAbsent, ErrCapabilityFailed:
		return Refusal{http.StatusServiceUnavailable, "MODULE_UNAVAILABLE"}
	}
	return Refusal{}
}

// refusalOfState returns the response to an SQLSTATE that a correct statement can cause.
func refusalOfState(state string) Refusal {
	switch {
	case state == "22021", state == "22P05": // a text with NUL, which JSON allows and PostgreSQL does not
		return Refusal{http.StatusBadRequest, "REQUEST_INVALID"}
	case state == "40001", state == "40P01", state == "57014", // serialization, deadlock, cancelled
		state == "25006", // the server accepts no writes for now
		strings.HasPrefix(state, "53"), strings.HasPrefix(state, "57P"), strings.HasPrefix(state, "08"):
		return Refusal{http.StatusServiceUnavailable, "STORE_UNAVAILABLE"}
	}
	return Refusal{}
}

// refused shows the author why requests were answered with 400. Anybody can cause these, and the platform
// keeps only the last 64 KiB of a module's output, so few are shown.
type refused struct {
	mu    sync.Mutex
	since time.Time
	lines int
}

const (
	refusedEvery = time.Minute
	refusedLines = 20
)

func (r *refused) report(pattern string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.Sub(r.since) >= refusedEvery {
		r.since, r.lines = now, 0
	}
	if r.lines++; r.lines <= refusedLines {
		report("refused", pattern, err)
	}
}

// maxReport bounds how many bytes one error adds to the module's output, which the platform keeps.
const maxReport = 4 << 10

// reportError writes an error to standard error, for the author. The platform keeps that output and copies it
// to no log.
func reportError(where string, err error) { report("error", where, err) }

func report(word, where string, err error) {
	text := withRemedy(err)
	if len(text) > maxReport {
		text = strings.ToValidUTF8(text[:maxReport], "") + "..."
	}
	fmt.Fprintf(os.Stderr, "%s: %s: %s\n", word, where, text)
}
