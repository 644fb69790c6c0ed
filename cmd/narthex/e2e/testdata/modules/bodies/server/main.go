// Command bodies is a module for tests that receives and sends bodies of every size, and logs which handlers
// ran.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type bodies struct{ host *sdk.Host }

func main() { sdk.Serve(&bodies{}) }

// Register declares a route for each way to handle a body.
func (b *bodies) Register(r *sdk.Registry) error {
	const may = "bodies.use"
	r.Handle("GET /plain", may, sdk.NoBody,
		func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "plain") })
	r.Handle("GET /download/{mebibytes}", may, sdk.NoBody, download)
	r.Handle("POST /upload", may, sdk.Streamed(32<<20), b.upload)
	r.Handle("POST /swallow", may, sdk.Streamed(1000), b.swallow)
	r.Handle("POST /must", may, sdk.Streamed(1000), b.must)
	r.Handle("POST /buffered", may, sdk.Buffered(1<<20), b.swallow)
	r.Handle("POST /none", may, sdk.NoBody, b.swallow)
	return nil
}

// Start keeps the host.
func (b *bodies) Start(_ context.Context, h *sdk.Host) error {
	b.host = h
	return nil
}

// Stop does nothing.
func (b *bodies) Stop(context.Context) error { return nil }

// download writes that many mebibytes of bytes from which the position in the mebibyte can be recognised.
func download(w http.ResponseWriter, r *http.Request) {
	mebibytes, err := strconv.Atoi(r.PathValue("mebibytes"))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	block := make([]byte, 1<<20)
	for i := range block {
		block[i] = byte(i % 251)
	}
	for range mebibytes {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// upload responds with the length and the hash of the body.
func (b *bodies) upload(w http.ResponseWriter, r *http.Request) {
	sum := sha256.New()
	n, err := io.Copy(sum, r.Body)
	switch {
	case errors.Is(err, sdk.ErrBodyAborted):
		b.host.Log.Info("upload aborted")
	case err != nil:
		b.host.Log.Info("upload failed otherwise")
	}
	fmt.Fprintf(w, "%d %x", n, sum.Sum(nil))
}

// must panics if a body is not complete.
func (b *bodies) must(_ http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		b.host.Log.Info("panics")
		panic(err)
	}
}

// swallow ignores the error at the end of a body.
func (b *bodies) swallow(w http.ResponseWriter, r *http.Request) {
	n, _ := io.Copy(io.Discard, r.Body)
	b.host.Log.Info("swallowed by " + r.URL.Path)
	fmt.Fprint(w, n)
}
