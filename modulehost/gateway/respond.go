package gateway

import (
	"context"
	"io"
	"net/http"

	"github.com/klauspost/compress/gzip"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// respond sends the module's response to the client: at once, or piece by piece.
func (r *route) respond(c *httpapi.Call, x *link.Exchange, response *abi.HandleResponse) error {
	status := int(response.GetStatus())
	if status < 200 || status > 599 {
		r.tell("its status is %d, and must be 200 to 599; the client got 500 MODULE_HANDLER_FAILED", status)
		return ErrHandler
	}
	if location, found := outside(response.GetHeaders(), r.root); found {
		r.tell("its Location is %.200q, and must begin with %s/ and stay below it; the client got 500 "+
			"MODULE_HANDLER_FAILED", location, r.root)
		return ErrHandler
	}
	follows := x.Follows()
	if len(response.GetBody()) > abi.MaxInline {
		return ErrHandler
	}
	if r.long.Load() != follows {
		r.long.Store(follows)
	}
	w := c.Writer
	if !follows || c.Request.Method == http.MethodHead || !mayHaveBody(status) {
		responseHeaders(w.Header(), response, follows)
		coded := c.Compressor(status)
		w.WriteHeader(status)
		if coded == nil || c.Request.Method == http.MethodHead {
			_, _ = w.Write(response.GetBody()) // the client has disconnected, so the error is ignored
			return nil
		}
		_, _ = coded.Write(response.GetBody())
		_ = coded.Close()
		return nil
	}
	if err := x.OpenBody(c.Request.Context(), response.GetBodyBytes() >= link.SharedBody); err != nil {
		return beginError(err)
	}
	return r.passBody(c, x, response)
}

func mayHaveBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// passBody copies the response's body. The head is sent with the first bytes, so that a handler that fails
// earlier gets an error response. An error after the first bytes cuts the connection.
func (r *route) passBody(c *httpapi.Call, x *link.Exchange, response *abi.HandleResponse) error {
	bytes := link.PieceBuffer
	if response.BodyBytes != nil && response.GetBodyBytes() <= link.ShortBody {
		bytes = link.ShortBody
	}
	piece := counted{memory: r.memory}
	if err := piece.reserve(bytes); err != nil {
		return err
	}
	defer piece.release()
	buffer := link.NewBufferedBody(bytes)
	defer buffer.Release()
	return r.copy(c, x, response, buffer.Room())
}

func (r *route) copy(c *httpapi.Call, x *link.Exchange, response *abi.HandleResponse, b []byte) error {
	control := http.NewResponseController(c.Writer)
	var coded *compressed // nil: the body goes out as it is
	var to io.Writer = c.Writer
	promised, passed, headed := response.BodyBytes, 0, false
	for left := response.GetBodyBytes(); ; {
		p, err := x.Next(b)
		n := len(p)
		if err != nil && err != io.EOF {
			return abortedOr(c.Request.Context(), ErrHandler)
		}
		if passed += n; passed >= link.SharedBody && !r.shared.Load() {
			r.shared.Store(true)
		}
		if left -= uint64(n); promised != nil && (left > response.GetBodyBytes() || err == io.EOF && left > 0) {
			r.tell("its body is longer or shorter than its Content-Length of %d", response.GetBodyBytes())
			return ErrHandler
		}
		if !headed {
			responseHeaders(c.Writer.Header(), response, true)
			if w := c.Compressor(int(response.GetStatus())); w != nil {
				coded = &compressed{Writer: w}
				to = coded
			}
			c.Writer.WriteHeader(int(response.GetStatus()))
			headed = true
		}
		// Write also fails when the client accepts no more bytes: its connection has a deadline.
		if _, err := to.Write(p); err != nil {
			return abortedOr(c.Request.Context(), err)
		}
		if x.Flush() {
			if err := control.Flush(); err != nil {
				return abortedOr(c.Request.Context(), err)
			}
		}
		if err == io.EOF {
			if coded != nil {
				if err := coded.Close(); err != nil {
					return abortedOr(c.Request.Context(), err)
				}
			}
			if passed < link.SharedBody && r.shared.Load() {
				r.shared.Store(false)
			}
			return nil
		}
	}
}

// compressed compresses a body. Its pieces may lie in memory that the module can still change, so each is
// copied before it is looked at.
type compressed struct {
	*gzip.Writer
	piece [32 << 10]byte
}

func (z *compressed) Write(p []byte) (written int, err error) {
	for written < len(p) && err == nil {
		var n int
		n, err = z.Writer.Write(z.piece[:copy(z.piece[:], p[written:])])
		written += n
	}
	return written, err
}

// abortedOr prevents a log line about a response that was cut off because its client disconnected.
func abortedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		panic(http.ErrAbortHandler)
	}
	return err
}
