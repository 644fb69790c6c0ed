// Command consumer is a module for tests: it calls the method of another module that a request names.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type consumer struct{ host *sdk.Host }

func main() { sdk.Serve(&consumer{}) }

// Register declares the only route, and a capability that its provider must not be able to call.
func (t *consumer) Register(r *sdk.Registry) error {
	r.Handle("POST /call/{capability}/{method}", "consumer.use", sdk.Buffered(1<<20), t.call)
	r.Provide("consumer.anything", sdk.Methods{
		"echo": sdk.Func(func(context.Context, any) (any, error) { return "reached", nil }),
	})
	return nil
}

// Start keeps the host.
func (t *consumer) Start(_ context.Context, h *sdk.Host) error {
	t.host = h
	return nil
}

// Stop does nothing.
func (t *consumer) Stop(context.Context) error { return nil }

// call responds with the provider's result, or with the error code.
func (t *consumer) call(w http.ResponseWriter, r *http.Request) {
	var in json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		panic(err)
	}
	var out json.RawMessage
	capability := t.host.Capability(r.PathValue("capability"))
	if err := capability.Call(r.Context(), r.PathValue("method"), in, &out); err != nil {
		_, _ = w.Write([]byte(codeOf(err)))
		return
	}
	_, _ = w.Write(out)
}

// codeOf returns the code of an error. The words after it are for its author.
func codeOf(err error) string {
	code, _, _ := strings.Cut(err.Error(), ":")
	return code
}
