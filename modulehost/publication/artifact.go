package publication

import (
	"net/http"
	"sync/atomic"

	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// artifact is one script, ready to be sent. All responses share its header values, so they must not be
// modified.
type artifact struct {
	plain *httpapi.Representation
	coded atomic.Pointer[[]*httpapi.Representation] // nil until the encoder has compressed it
}

var (
	scriptType = []string{"text/javascript; charset=utf-8"}
	revalidate = []string{"no-cache"}
	varies     = []string{"Origin, Accept-Encoding"}
)

// newArtifact returns nil for nil.
func newArtifact(script *manifest.Artifact) *artifact {
	if script == nil {
		return nil
	}
	return &artifact{plain: httpapi.NewRepresentation(script.Bytes, "")}
}

// encode compresses the script into the other encodings.
func (a *artifact) encode() error {
	coded, err := httpapi.EncodeAll(a.plain.Bytes)
	if err != nil {
		return err
	}
	a.coded.Store(&coded)
	return nil
}

// send responds to a GET or HEAD with the script, or with 304 if the client has it. Browsers revalidate at
// every load. The bytes cannot change while this process runs, but another build may be installed under the
// same version.
func (a *artifact) send(c *httpapi.Call) {
	sent := a.plain
	if coded := a.coded.Load(); coded != nil {
		sent = httpapi.Choose(c.Request, a.plain, *coded)
	}
	header := c.Writer.Header()
	header["Cache-Control"] = revalidate
	header["Vary"] = varies
	header["Etag"] = sent.ETag
	if httpapi.Matches(c.Request, sent.ETag[0]) {
		c.Writer.WriteHeader(http.StatusNotModified)
		return
	}
	header["Content-Type"] = scriptType
	header["Content-Length"] = sent.Length
	if sent.Coding != nil {
		header["Content-Encoding"] = sent.Coding
	}
	c.Writer.WriteHeader(http.StatusOK)
	if c.Request.Method != http.MethodHead {
		_, _ = c.Writer.Write(sent.Bytes) // an error means that the client has disconnected
	}
}
