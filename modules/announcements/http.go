package main

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// refusal is a response that the caller can do something about.
type refusal struct {
	status int
	code   string
}

func (r refusal) Error() string { return r.code }

var (
	errRequest      = refusal{http.StatusBadRequest, "REQUEST_INVALID"}
	errNotFound     = refusal{http.StatusNotFound, "SLIDE_NOT_FOUND"}
	errConflict     = refusal{http.StatusConflict, "CONFLICT"}
	errNotPublished = refusal{http.StatusConflict, "SLIDE_NOT_PUBLISHED"}
	errImage        = refusal{http.StatusBadRequest, "IMAGE_INVALID"}
	errImageUnknown = refusal{http.StatusBadRequest, "IMAGE_UNKNOWN"} // a slide names it
	errNoImage      = refusal{http.StatusNotFound, "IMAGE_NOT_FOUND"}
	errStorage      = refusal{http.StatusServiceUnavailable, "STORAGE_UNAVAILABLE"}
)

// handle turns what a handler returns into the response. What is no refusal is a failure of the module: the
// platform answers MODULE_HANDLER_FAILED for it.
func handle(serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := serve(w, r)
		if err == nil {
			return
		}
		if refused := (refusal{}); errors.As(err, &refused) {
			_ = respond(w, refused.status, map[string]string{"code": refused.code})
			return
		}
		if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) || errors.Is(err, sdk.ErrBodyAborted) {
			panic(http.ErrAbortHandler) // the platform answers 413, or there is nobody to answer
		}
		panic(err)
	}
}

func respond(w http.ResponseWriter, status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err = w.Write(body)
	return err
}

// decode takes one JSON object with known keys and nothing after it.
func decode(r *http.Request, into any) error {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return errRequest
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into, json.RejectUnknownMembers(true)); err != nil || len(body) == 0 ||
		string(body) == "null" {
		return errRequest
	}
	return nil
}

// slideID takes an id in its one format; another text names no slide.
func slideID(text string) (string, error) {
	if !isID(text) {
		return "", errNotFound
	}
	return text, nil
}

func isID(text string) bool {
	id, err := uuid.Parse(text)
	return err == nil && id.String() == text
}
