package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// mostBuffered is the largest body that the platform reads before the handler runs, in bytes.
const mostBuffered = 1 << 20

// requestBody is a request's body as a value of the script.
type requestBody struct{ body io.Reader }

// route declares a method, a path, a permission, the most bytes of a body, and the handler.
func (d *declarations) route(a arguments) error {
	method, path, permission := a.text(0, "a method"), a.text(1, "a path"), a.text(2, "a permission")
	limit, handler := a.number(3, 0), a.handler(4)
	body := sdk.NoBody
	switch {
	case limit < 0:
		return fmt.Errorf("route %s %s: maxBodyBytes is negative", method, path)
	case limit > mostBuffered:
		body = sdk.Streamed(limit)
	case limit > 0:
		body = sdk.Buffered(limit)
	}
	pattern := method + " " + path
	d.registry.HandleFunc(pattern, permission, body, func(ctx context.Context, r *http.Request) (any, error) {
		return d.call(ctx, pattern, handler, func() []any { return []any{d.request(r)} }, d.response)
	})
	return nil
}

// feed declares a path, a permission, a media type and the function that returns the text.
func (d *declarations) feed(a arguments) error {
	path, permission, kind, handler := a.text(0, "a path"), a.text(1, "a permission"), a.text(2, "a media type"),
		a.handler(3)
	pattern := "GET " + path
	d.registry.Feed(pattern, permission, kind, func(ctx context.Context, r *http.Request) ([]byte, error) {
		text, err := d.call(ctx, pattern, handler, func() []any { return []any{d.request(r)} },
			func(value goja.Value) (any, error) { return value.String(), nil })
		if err != nil {
			return nil, err
		}
		return []byte(text.(string)), nil
	})
	return nil
}

// request makes what class Request of the prelude is made of.
func (e *engine) request(r *http.Request) goja.Value {
	header := r.Header
	who := sdk.Principal(r.Context())
	principal := e.object(map[string]any{"kind": who.Kind})
	for name, value := range map[string]string{"userId": who.UserID, "deviceId": who.DeviceID,
		"linkId": who.LinkID, "subject": who.Subject} {
		if value != "" {
			_ = principal.Set(name, value)
		}
	}
	return e.object(map[string]any{
		"method": r.Method, "path": r.URL.Path, "query": r.URL.RawQuery, "principal": principal,
		"body":      &requestBody{r.Body},
		"parameter": func(name string) string { return r.PathValue(name) },
		"header": func(name string) any {
			if values := header.Values(name); len(values) > 0 {
				return values[0]
			}
			return nil
		},
	})
}

// requestNatives read a request's body.
func (e *engine) requestNatives() map[string]any {
	return map[string]any{
		"bodyText": e.promised(func(a arguments) work {
			own, _ := a.at(0).Export().(*requestBody)
			return func(context.Context, *call) (result, error) {
				data, err := own.read()
				if err == nil && !utf8.Valid(data) {
					err = fmt.Errorf("%w: the body is not UTF-8", sdk.ErrRequestInvalid)
				}
				return e.valued(string(data)), err
			}
		}),
		"bodyBytes": e.promised(func(a arguments) work {
			own, _ := a.at(0).Export().(*requestBody)
			return func(context.Context, *call) (result, error) {
				data, err := own.read()
				return func() (goja.Value, error) { return e.byteArray(data) }, err
			}
		}),
	}
}

var errBody = errors.New("this is no request")

func (b *requestBody) read() ([]byte, error) {
	if b == nil {
		return nil, errBody
	}
	return io.ReadAll(b.body)
}

// response reads what the prelude has made of a handler's result: nothing, JSON, or the parts of a Response.
func (e *engine) response(value goja.Value) (any, error) {
	if missing(value) {
		return nil, nil
	}
	if text, is := value.Export().(string); is {
		return jsonResponse(http.StatusOK, text), nil
	}
	object := value.ToObject(e.vm)
	made := sdk.Response{Status: int(object.Get("status").ToInteger()), Header: make(http.Header)}
	if made.Status < 200 || made.Status > 599 {
		return nil, fmt.Errorf("a response has a status of 200 to 599, and not %d", made.Status)
	}
	headers := object.Get("headers").ToObject(e.vm)
	for n := range headers.Get("length").ToInteger() {
		pair := headers.Get(strconv.FormatInt(n, 10)).ToObject(e.vm)
		made.Header.Add(pair.Get("0").String(), pair.Get("1").String())
	}
	if body := object.Get("body"); !missing(body) {
		data := arguments{e, []goja.Value{body}}.bytes(0, "the body of a response")
		made.Header.Set("Content-Length", strconv.Itoa(len(data)))
		made.Body = bytes.NewReader(data)
	}
	return made, nil
}

func jsonResponse(status int, text string) sdk.Response {
	return sdk.Response{Status: status, Body: strings.NewReader(text), Header: http.Header{
		"Content-Type": {"application/json"}, "Content-Length": {strconv.Itoa(len(text))}}}
}

// refusal makes the error of a refusal: a status, a code, and for an invalid request what is wrong with it.
func refusal(status int64, code string, detail goja.Value) (made error, err error) {
	if !missing(detail) {
		return fmt.Errorf("%w: %s", sdk.ErrRequestInvalid, short(detail.String())), nil
	}
	defer func() {
		if mistake, is := recover().(string); is { // of Refuse, for a wrong status or code
			err = errors.New(mistake)
		}
	}()
	return sdk.Refuse(int(status), code), nil
}
