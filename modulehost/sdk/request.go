package sdk

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// handle runs a route's handler for the request in the message. It sends the response itself, because a long
// response begins before the handler returns.
func (l *moduleServer) handle(ctx context.Context, call *link.Call) error {
	message := new(abi.HandleRequest)
	if err := proto.Unmarshal(call.Payload, message); err != nil {
		return err
	}
	if int(message.GetRoute()) >= len(l.registry.handlers) {
		return fmt.Errorf("route %d was not registered", message.GetRoute())
	}
	handler := &l.registry.handlers[message.GetRoute()]
	// The response keeps the call's context: a handler whose own context has ended can still respond.
	own := newHandlerContext(ctx, l.timeouts.response-responseMargin)
	defer own.finish()
	restartDeadline := func() { own.extend(l.timeouts.response - responseMargin) }
	request, err := newRequest(own, message, handler.names)
	if err != nil {
		return err
	}
	writer := &response{ctx: ctx, onPiece: restartDeadline, call: call, sockets: l.sockets,
		header: make(http.Header), lentSocket: message.GetBodySocket()}
	if message.GetBodyFollows() {
		socket, err := l.sockets.at(message.GetBodySocket())
		if err != nil {
			return err
		}
		var want func() error
		if handler.streamed {
			want = func() error {
				own.extend(l.timeouts.body + l.timeouts.response - responseMargin)
				return call.Want()
			}
		}
		incoming := socket.Incoming(want)
		defer incoming.Close() // after the response has been sent
		writer.request, writer.streamed = incoming, handler.streamed
		request.Body, request.ContentLength = &body{incoming, handler.max, restartDeadline}, -1
		if message.BodyBytes != nil {
			request.ContentLength = int64(message.GetBodyBytes())
		}
	}
	defer writer.end()
	if err := handler.serve(writer, request); err != nil {
		_ = call.Fail(&link.Failure{CodeText: link.CodeFailed}) // or cuts off a response that has begun
		return nil
	}
	writer.returned = true
	return nil
}

func newRequest(ctx context.Context, message *abi.HandleRequest, names []string) (*http.Request, error) {
	target := string(message.GetPath())
	if query := message.GetQuery(); len(query) > 0 {
		target += "?" + string(query)
	}
	address, err := url.ParseRequestURI(target)
	if err != nil {
		return nil, err
	}
	header := make(http.Header, len(message.GetHeaders()))
	for _, h := range message.GetHeaders() {
		name := string(h.GetName())
		header[name] = append(header[name], string(h.GetValue()))
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
			request.SetPathValue(name, string(message.GetParameters()[i]))
		}
	}
	return request, nil
}
