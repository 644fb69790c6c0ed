// Command files is a module for tests: it stores files and sends mail, and responds with the code of a
// failure.
package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/mail"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type files struct{ host *sdk.Host }

func main() { sdk.Serve(&files{}) }

// Register declares a route for each operation of a bucket, and one for mail.
func (k *files) Register(r *sdk.Registry) error {
	const use = "files.use"
	r.Handle("PUT /objects/{key}", use, sdk.Streamed(32<<20), k.put)
	r.Handle("GET /objects/{key}", use, sdk.NoBody, k.get)
	r.Handle("DELETE /objects/{key}", use, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		respond(w, nil, k.images().Delete(r.Context(), r.PathValue("key")))
	})
	r.Handle("GET /objects", use, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		page, err := k.images().List(r.Context(), "", "", 10)
		respond(w, page.Objects, err)
	})
	r.Handle("GET /urls/{key}", use, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		url, _, err := k.images().CreateReadURL(r.Context(), r.PathValue("key"), time.Minute)
		respond(w, url, err)
	})
	r.Handle("GET /foreign", use, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		_, err := k.host.Storage.Bucket("files").Head(r.Context(), "a")
		respond(w, nil, err)
	})
	r.Handle("POST /mail/{to}", use, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		outcome, err := k.host.Mail.Send(r.Context(), sdk.Message{
			To:      []mail.Address{{Address: r.PathValue("to")}},
			Subject: "From a module",
			Text:    "Kept for you.",
		})
		respond(w, outcome, err)
	})
	return nil
}

// Start keeps the host.
func (k *files) Start(_ context.Context, h *sdk.Host) error {
	k.host = h
	return nil
}

// Stop does nothing.
func (k *files) Stop(context.Context) error { return nil }

func (k *files) images() *sdk.Bucket { return k.host.Storage.Bucket("images") }

func (k *files) put(w http.ResponseWriter, r *http.Request) {
	object, err := k.images().Put(r.Context(), r.PathValue("key"), r.Header.Get("Content-Type"), r.Body)
	if err != nil {
		k.host.Log.Info("put failed")
	}
	respond(w, object.Size, err)
}

func (k *files) get(w http.ResponseWriter, r *http.Request) {
	object, body, err := k.images().Get(r.Context(), r.PathValue("key"))
	if err != nil {
		respond(w, nil, err)
		return
	}
	defer body.Close()
	w.Header().Set("Content-Type", object.ContentType)
	_, _ = io.Copy(w, body)
}

// respond writes a value, or the text of an error.
func respond(w http.ResponseWriter, value any, err error) {
	if err != nil {
		w.WriteHeader(http.StatusConflict)
		value = codeOf(err)
	}
	_ = json.NewEncoder(w).Encode(value)
}

// codeOf returns the code of an error. The words after it are for its author.
func codeOf(err error) string {
	code, _, _ := strings.Cut(err.Error(), ":")
	return code
}
