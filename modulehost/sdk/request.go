package sdk

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/abi"
)

// handle runs one route's handler on a request made of the message.
func (l *life) handle(ctx context.Context, payload []byte) (proto.Message, error) {
	var message abi.HandleRequest
	if err := proto.Unmarshal(payload, &message); err != nil {
		return nil, err
	}
	if int(message.GetRoute()) >= len(l.registry.handlers) {
		return nil, fmt.Errorf("route %d was not registered", message.GetRoute())
	}
	handler := l.registry.handlers[message.GetRoute()]
	request, err := newRequest(ctx, &message, handler.names)
	if err != nil {
		return nil, err
	}
	writer := &response{header: make(http.Header)}
	handler.serve(writer, request)
	return writer.message(), nil
}

func newRequest(ctx context.Context, message *abi.HandleRequest, names []string) (*http.Request, error) {
	target := message.GetPath()
	if query := message.GetQuery(); query != "" {
		target += "?" + query
	}
	address, err := url.ParseRequestURI(target)
	if err != nil {
		return nil, err
	}
	header := make(http.Header, len(message.GetHeaders()))
	for _, h := range message.GetHeaders() {
		header[h.GetName()] = append(header[h.GetName()], h.GetValue())
	}
	request := &http.Request{
		Method:        message.GetMethod(),
		URL:           address,
		RequestURI:    target,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        header,
		Body:          http.NoBody,
		ContentLength: int64(len(message.GetBody())),
	}
	if len(message.GetBody()) > 0 {
		request.Body = io.NopCloser(bytes.NewReader(message.GetBody()))
	}
	request = request.WithContext(context.WithValue(ctx, requestKey{}, message))
	for i, name := range names {
		if i < len(message.GetParameters()) {
			request.SetPathValue(name, message.GetParameters()[i])
		}
	}
	return request, nil
}

// response collects what a handler writes.
type response struct {
	header http.Header
	status int
	sent   http.Header // as it was when the status was written
	body   bytes.Buffer
}

// Header is what goes out with the status.
func (w *response) Header() http.Header { return w.header }

// WriteHeader fixes status and headers; only the first call counts.
func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status, w.sent = status, w.header.Clone()
	}
}

// Write adds to the body.
func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

func (w *response) message() *abi.HandleResponse {
	w.WriteHeader(http.StatusOK)
	message := &abi.HandleResponse{Status: uint32(w.status), Body: w.body.Bytes()}
	for name, values := range w.sent {
		for _, value := range values {
			message.Headers = append(message.Headers, &abi.Header{Name: name, Value: value})
		}
	}
	return message
}
