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

// Call is one request inside its handler. Only the handler may use it, and only until it returns.
type Call struct {
	Writer    http.ResponseWriter
	Request   *http.Request
	RequestID string
	Caller    Caller // set on routes with a permission
	Body      []byte // set on routes with WholeBody
	MaxBody   int64  // the route's limit, bytes

	// Parameter returns the decoded value of the path's {name} segment. It may be called until the handler
	// returns.
	Parameter func(name string) string

	// Connection is the connection of the request; nil in tests without one.
	Connection Connection
}

// UserID returns the id of the person who sent the request. It is empty for anybody else.
func (c *Call) UserID() string {
	if c.Caller == nil {
		return ""
	}
	return c.Caller.Principal().UserID
}

// Connection is what a Call needs from its connection.
type Connection interface {
	// CancelBody ends the reading of the request's body while the handler still responds.
	CancelBody()
}

// CancelBody stops reading a body that was not read to its end. A Read in progress returns an error. The
// connection is closed after the response: to reuse it, net/http would have to read or wait for the rest,
// up to 256 KiB. net/http also cancels the request's context when a Read fails, as if the client had left.
// So CancelBody replaces the context, unless it has already ended.
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

// JSON responds with value. No response of the platform is cached (Cache-Control: no-store).
func (c *Call) JSON(status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	c.writeJSON(status, body)
	return nil
}

// RawJSON responds with body, which is JSON already.
func (c *Call) RawJSON(status int, body []byte) error {
	c.writeJSON(status, body)
	return nil
}

// ReadBody reads the whole body of a DeclaredBody route. It counts the bytes that arrive, whatever length
// was declared: past the limit it returns ErrBodyTooLarge, and ErrBodyAborted when the client stopped
// sending.
func (c *Call) ReadBody() ([]byte, error) {
	r, limit := c.Request, c.MaxBody
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	counted := http.MaxBytesReader(c.Writer, r.Body, limit)
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

// FillBody reads a body whose declared length is that of b. Its error is ErrBodyAborted.
func (c *Call) FillBody(b []byte) error {
	if _, err := io.ReadFull(c.Request.Body, b); err != nil {
		return errors.Join(ErrBodyAborted, err)
	}
	return nil
}

// Time formats t the way every response does: UTC, RFC 3339 with exactly three decimals (milliseconds).
func Time(t time.Time) string { return string(AppendTime(make([]byte, 0, len(time.RFC3339Nano)), t)) }

// ParseTime reads a time that Time formatted, from year 1 to 9999. It formats the result again and compares,
// because time.Parse also accepts other formats, such as a comma before the milliseconds.
func ParseTime(text string) (at time.Time, ok bool) {
	at, err := time.Parse(time.RFC3339, text)
	return at, err == nil && Time(at) == text && at.Year() >= 1 && at.Year() <= 9999
}

// AppendTime is Time for a handler that writes its JSON itself. Formatting with a layout that has
// milliseconds takes four times as long as with time.RFC3339, for which package time has its own code.
func AppendTime(b []byte, t time.Time) []byte {
	b = t.UTC().AppendFormat(b, time.RFC3339)
	millisecond := t.Nanosecond() / int(time.Millisecond)
	return append(b[:len(b)-1], // without the Z
		'.', byte('0'+millisecond/100), byte('0'+millisecond/10%10), byte('0'+millisecond%10), 'Z')
}

var (
	jsonType = []string{"application/json"}
	noStore  = []string{"no-store"}
)

// selfCounted is the length of the longest body for which net/http sets Content-Length by itself, because
// the body fits its own buffer.
const selfCounted = 2048 - 1

func (c *Call) writeJSON(status int, body []byte) {
	jsonHeader(c.Writer.Header(), len(body))
	if len(body) >= compressFrom {
		if coded := c.Compressor(status); coded != nil {
			c.Writer.WriteHeader(status)
			_, _ = coded.Write(body) // fails only when the client has left
			_ = coded.Close()
			return
		}
	}
	c.Writer.WriteHeader(status)
	_, _ = c.Writer.Write(body) // fails only when the client has left
}

func jsonHeader(header http.Header, length int) {
	header["Content-Type"] = jsonType
	header["Cache-Control"] = noStore
	if length > selfCounted {
		header["Content-Length"] = []string{strconv.Itoa(length)}
	}
}
