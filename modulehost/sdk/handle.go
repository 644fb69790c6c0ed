package sdk

import (
	"context"
	"io"
	"net/http"
	"strconv"
)

// HandlerFunc is a route's handler that returns what is sent instead of writing it. ctx is the request's. See
// Registry.HandleFunc.
type HandlerFunc func(ctx context.Context, r *http.Request) (any, error)

// HandleFunc declares a route like Handle, whose handler returns its result or an error. The result becomes
// the response:
//
//   - nil is 204 without a body;
//   - a Response is sent as it says; Created makes one with 201;
//   - every other value is 200 with its JSON. A nil slice in it is [], a time.Time has the platform's format.
//
// A Refusal is the response that it says, with {"code": "..."} as its body. ErrRequestInvalid is 400. What
// fails at the platform while the module cannot help it is 503: STORE_UNAVAILABLE for the database and for
// work that takes too long, STORAGE_UNAVAILABLE for objects, MODULE_OVERLOADED for ErrHostOverloaded,
// MODULE_UNAVAILABLE for another module. ErrTooManyMails is 429, and a body over the route's limit 413. Every
// other error is a fault of the module, and the client gets 500 MODULE_HANDLER_FAILED. The text of an error
// that is no refusal is written to standard error, for the author, and to no response and no log.
func (r *Registry) HandleFunc(pattern, permission string, body Body, serve HandlerFunc) {
	r.route(pattern, permission, body, func(w http.ResponseWriter, request *http.Request) error {
		result, err := serve(request.Context(), request)
		if err != nil {
			return respondError(w, request, pattern, err)
		}
		return respond(w, result)
	})
}

// Response is a result of a HandlerFunc that is not 200 with JSON.
type Response struct {
	Status int         // 0: 200, or 204 without a Body
	Header http.Header // those that the platform passes on (Registry.Handle)
	// Body is nil for none; an io.Reader is sent as it is, with the Header's Content-Type, and closed if it is
	// an io.Closer; anything else is sent as JSON.
	Body any
}

// Created is 201 with the JSON of what was made.
func Created(value any) Response { return Response{Status: http.StatusCreated, Body: value} }

func respond(w http.ResponseWriter, result any) error {
	response, told := result.(Response)
	if !told {
		response.Body = result
	}
	for name, values := range response.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	switch body := response.Body.(type) {
	case nil:
		w.WriteHeader(statusOr(response.Status, http.StatusNoContent))
		return nil
	case io.Reader:
		return respondReader(w, statusOr(response.Status, http.StatusOK), body)
	}
	return respondJSON(w, statusOr(response.Status, http.StatusOK), response.Body)
}

func statusOr(status, otherwise int) int {
	if status == 0 {
		return otherwise
	}
	return status
}

func respondReader(w http.ResponseWriter, status int, body io.Reader) error {
	if closer, closes := body.(io.Closer); closes {
		defer closer.Close()
	}
	w.WriteHeader(status)
	_, err := io.Copy(w, body)
	return err
}

func respondJSON(w http.ResponseWriter, status int, value any) error {
	body, err := encode(value)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, err = w.Write(body)
	return err
}
