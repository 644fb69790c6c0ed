package sdk

import (
	"context"
	"io"
	"net/http"
	"strconv"
)

// HandlerFunc handles a request of a route and returns the result instead of writing it. ctx is the request's
// context. See Registry.HandleFunc.
type HandlerFunc func(ctx context.Context, r *http.Request) (any, error)

// HandleFunc declares a route, like Handle, with a handler that returns a result or an error. The result
// becomes the response:
//
//   - nil is 204 without a body;
//   - a Response is sent with its own status and headers; Created makes one with 201;
//   - every other value is 200 with its JSON. A nil slice in it is [], a time.Time has the platform's format.
//
// A Refusal is sent with its status and {"code": "..."} as its body; of an OfField with its "field", too.
// ErrRequestInvalid is 400. Failures of the platform that the module cannot avoid are 503:
// STORE_UNAVAILABLE for the database and for work that takes too long, STORAGE_UNAVAILABLE for objects,
// MODULE_OVERLOADED for ErrHostOverloaded, MODULE_UNAVAILABLE for another module.
// ErrTooManyMails is 429, and a body over the route's limit 413. Every
// other error is a fault of the module, and the client gets 500 MODULE_HANDLER_FAILED. The text of an error
// that is not a Refusal is written to standard error, for the author, but to no response and to no log.
func (r *Registry) HandleFunc(pattern, permission string, body Body, serve HandlerFunc) {
	r.route(pattern, permission, body, func(w http.ResponseWriter, request *http.Request) error {
		result, err := serve(request.Context(), request)
		if err != nil {
			return r.respondError(w, request, pattern, err)
		}
		if err = respond(w, result); err != nil && request.Context().Err() == nil {
			reportError(pattern, err)
		}
		return err
	})
}

// Response is the result of a HandlerFunc that needs another status, other headers or another body than 200
// with JSON.
type Response struct {
	Status int         // 0: 200, or 204 without a Body
	Header http.Header // the platform passes on some of them (Registry.Handle)
	// Body may be nil for an empty body. An io.Reader is sent unchanged, with the Header's Content-Type, and is
	// closed if it is an io.Closer. Any other value is sent as JSON.
	Body any
}

// Created returns a response with status 201 and value as JSON.
func Created(value any) Response { return Response{Status: http.StatusCreated, Body: value} }

func respond(w http.ResponseWriter, result any) error {
	response, is := result.(Response)
	if !is {
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
