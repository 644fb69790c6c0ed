package dashboard

import (
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// asset is one file, ready to be sent plain or compressed.
type asset struct {
	plain  *httpapi.Representation
	coded  []*httpapi.Representation
	always http.Header // on every response, 304 included
	kind   []string    // its Content-Type
}

func newPage(content []byte) (*asset, error) {
	coded, err := httpapi.EncodeAll(content) // not at build time, because the origin is filled in at the start
	if err != nil {
		return nil, err
	}
	a := newAsset(content, coded, "text/html; charset=utf-8")
	a.always["X-Frame-Options"] = []string{"DENY"}
	a.always["Content-Security-Policy"] = []string{"frame-ancestors 'none'"}
	a.always["Referrer-Policy"] = []string{"no-referrer"}
	return a, nil
}

func newAsset(content []byte, coded []*httpapi.Representation, contentType string) *asset {
	return &asset{
		plain: httpapi.NewRepresentation(content, ""),
		coded: coded,
		// the pipeline adds nosniff
		always: http.Header{"Cache-Control": {"no-cache"}, "Vary": {"Accept-Encoding"}},
		kind:   []string{contentType},
	}
}

// send responds to a GET or HEAD with the file, or with 304 when the client has it.
func (a *asset) send(c *httpapi.Call) error {
	sent := httpapi.Choose(c.Request, a.plain, a.coded)
	header := c.Writer.Header()
	for name, values := range a.always {
		header[name] = values
	}
	header["Etag"] = sent.ETag
	if httpapi.Matches(c.Request, sent.ETag[0]) {
		c.Writer.WriteHeader(http.StatusNotModified)
		return nil
	}
	header["Content-Type"] = a.kind
	header["Content-Length"] = sent.Length
	if sent.Coding != nil {
		header["Content-Encoding"] = sent.Coding
	}
	c.Writer.WriteHeader(http.StatusOK)
	if c.Request.Method != http.MethodHead {
		_, _ = c.Writer.Write(sent.Bytes) // an error means that the client has gone
	}
	return nil
}
