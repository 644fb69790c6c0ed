package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
)

// Call is one request on its way through a handler, which alone may use it and only until it returns.
type Call struct {
	Writer    http.ResponseWriter
	Request   *http.Request
	RequestID string
	Caller    Caller // set on routes with a permission
	Body      []byte // set on routes with WholeBody
	MaxBody   int64  // the route's limit, bytes

	// Parameter returns the decoded value of the path's {name} segment.
	Parameter func(name string) string

	// Connection is the one that the request came on; nil in tests without one.
	Connection Connection
}

// Connection is what a Call asks of its connection.
type Connection interface {
	// CancelBody ends the reading of a request's body, under a handler that answers yet.
	CancelBody()
}

// CancelBody reads no more of a body that is not read to its end; a Read under way returns an error. The connection ends behind the
// answer: net/http would otherwise read up to 256 KiB, or wait for them, to use it again. It also ends the request's context when a Read
// fails, as if the client had left; so the context of one who has not is replaced.
func (c *Call) CancelBody() {
	c.Writer.Header()["Connection"] = closing
	if ctx := c.Request.Context(); ctx.Err() == nil {
		c.Request = c.Request.WithContext(context.WithoutCancel(ctx))
	}
	if c.Connection != nil {
		c.Connection.CancelBody()
	}
}

var closing = []string{"close"}

// JSON answers with value. Every platform answer is no-store (contract.md §1).
func (c *Call) JSON(status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	writeJSON(c.Writer, status, body)
	return nil
}

// RawJSON answers with bytes that are JSON already.
func (c *Call) RawJSON(status int, body []byte) error {
	writeJSON(c.Writer, status, body)
	return nil
}

// ReadBody reads the whole body of a DeclaredBody route and counts what actually arrives: ErrBodyTooLarge past the limit, whatever
// length was declared; ErrBodyAborted when the sender went away.
func (c *Call) ReadBody() ([]byte, error) {
	return ReadBody(c.Writer, c.Request, c.MaxBody)
}

// FillBody is ReadBody of a body whose declared length is that of b.
func (c *Call) FillBody(b []byte) error {
	if _, err := io.ReadFull(c.Request.Body, b); err != nil {
		return errors.Join(ErrBodyAborted, err)
	}
	return nil
}

// ReadBody is Call.ReadBody for the pipeline, which reads before there is a Call.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	counted := http.MaxBytesReader(w, r.Body, limit)
	var body []byte
	var err error
	if r.ContentLength > 0 && r.ContentLength <= limit { // declared and within the limit: one allocation
		body = make([]byte, r.ContentLength)
		_, err = io.ReadFull(counted, body)
	} else {
		body, err = io.ReadAll(counted)
	}
	if err == nil {
		return body, nil
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, ErrBodyTooLarge
	}
	return nil, errors.Join(ErrBodyAborted, err)
}

// timeForm is the one form of a time in answers: UTC, milliseconds (contract.md §1).
const timeForm = "2006-01-02T15:04:05.000Z"

// Time writes t as answers have it; what is finer than a millisecond is cut off.
func Time(t time.Time) string { return t.UTC().Format(timeForm) }

var (
	jsonType = []string{"application/json"}
	noStore  = []string{"no-store"}
)

// selfCounted is the size up to which net/http writes the length itself, from a buffer of its own.
const selfCounted = 2048 - 1

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	header := w.Header()
	header["Content-Type"] = jsonType
	header["Cache-Control"] = noStore
	if len(body) > selfCounted {
		header["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the reader went away: nothing is left to tell it
}
