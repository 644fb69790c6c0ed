package httpapi

import (
	"net/http"
	"sync"
)

// Asset is a file that the platform itself serves, ready to be sent plain or compressed. All responses share
// its bytes and header values, which must not be changed. Safe for concurrent use.
type Asset struct {
	plain  *Representation
	coded  func() []*Representation
	always http.Header // on every response, 304 included
	kind   []string    // its Content-Type
}

// NewAsset makes an Asset of content and its compressed forms. Browsers revalidate it on every load. The
// headers in further are sent with every response, 304 included.
func NewAsset(content []byte, coded []*Representation, contentType string, further map[string]string) *Asset {
	a := &Asset{
		plain: NewRepresentation(content, ""),
		coded: func() []*Representation { return coded },
		// the pipeline adds nosniff
		always: http.Header{"Cache-Control": {"no-cache"}, "Vary": {"Accept-Encoding"}},
		kind:   []string{contentType},
	}
	for name, value := range further {
		a.always[name] = []string{value}
	}
	return a
}

// NewPage makes an Asset of a page that is completed at the start, so that the build cannot compress it. To
// keep the start short, Encode compresses it, or earlier the first request that accepts a coding.
func NewPage(content []byte, contentType string, further map[string]string) *Asset {
	a := NewAsset(content, nil, contentType, further)
	a.coded = sync.OnceValue(func() []*Representation {
		coded, err := encodePage(content)
		if err != nil {
			return nil // the page is sent uncompressed
		}
		return coded
	})
	return a
}

// Encode compresses a page that is not compressed yet.
func (a *Asset) Encode() { _ = a.coded() }

// choose returns the representation for a request. It compresses nothing for a client that accepts no coding.
func (a *Asset) choose(r *http.Request) *Representation {
	if len(r.Header["Accept-Encoding"]) == 0 {
		return a.plain
	}
	return Choose(r, a.plain, a.coded())
}

// Send responds to a GET or HEAD with the file, or with 304 when the client has it.
func (a *Asset) Send(c *Call) error {
	sent := a.choose(c.Request)
	header := a.begin(c)
	header["Etag"] = sent.ETag
	if Matches(c.Request, sent.ETag[0]) {
		c.Writer.WriteHeader(http.StatusNotModified)
		return nil
	}
	a.write(c, sent, http.StatusOK)
	return nil
}

// SendAs responds with the file under another status than 200. The response has no ETag, because with one a
// cache would repeat that status after a later 304.
func (a *Asset) SendAs(c *Call, status int) error {
	a.begin(c)
	a.write(c, a.choose(c.Request), status)
	return nil
}

func (a *Asset) begin(c *Call) http.Header {
	header := c.Writer.Header()
	for name, values := range a.always {
		header[name] = values
	}
	return header
}

func (a *Asset) write(c *Call, sent *Representation, status int) {
	header := c.Writer.Header()
	header["Content-Type"] = a.kind
	header["Content-Length"] = sent.Length
	if sent.Coding != nil {
		header["Content-Encoding"] = sent.Coding
	}
	c.Writer.WriteHeader(status)
	if c.Request.Method != http.MethodHead {
		_, _ = c.Writer.Write(sent.Bytes) // an error means that the client has disconnected
	}
}
