package dashboard

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strconv"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// asset is one file, ready to be sent.
type asset struct {
	bytes  []byte
	etag   string
	always http.Header // on every answer, 304 included
	body   http.Header // on answers that have, or for HEAD would have, a body
}

func newPage(content []byte) *asset {
	a := newAsset(content, "text/html; charset=utf-8")
	a.always["X-Frame-Options"] = []string{"DENY"}
	a.always["Content-Security-Policy"] = []string{"frame-ancestors 'none'"}
	a.always["Referrer-Policy"] = []string{"no-referrer"}
	return a
}

func newScript(content []byte) *asset { return newAsset(content, "text/javascript; charset=utf-8") }

func newAsset(content []byte, contentType string) *asset {
	etag := fmt.Sprintf(`"%x"`, sha256.Sum256(content))
	return &asset{
		bytes:  content,
		etag:   etag,
		always: http.Header{"Cache-Control": {"no-cache"}, "Etag": {etag}}, // the pipeline adds nosniff
		body:   http.Header{"Content-Type": {contentType}, "Content-Length": {strconv.Itoa(len(content))}},
	}
}

// send answers a GET or HEAD with the file, or with 304 when the client has it.
func (a *asset) send(c *httpapi.Call) error {
	header := c.Writer.Header()
	for name, values := range a.always {
		header[name] = values
	}
	if httpapi.Matches(c.Request, a.etag) {
		c.Writer.WriteHeader(http.StatusNotModified)
		return nil
	}
	for name, values := range a.body {
		header[name] = values
	}
	c.Writer.WriteHeader(http.StatusOK)
	if c.Request.Method != http.MethodHead {
		_, _ = c.Writer.Write(a.bytes) // the reader went away: nothing is left to tell it
	}
	return nil
}
