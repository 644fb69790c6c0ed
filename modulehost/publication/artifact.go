package publication

import (
	"encoding/hex"
	"net/http"
	"strconv"

	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// artifact is one script, ready to be sent. All responses share its header values, which nobody changes.
type artifact struct {
	bytes  []byte
	etag   []string
	length []string
}

var (
	scriptType = []string{"text/javascript; charset=utf-8"}
	revalidate = []string{"no-cache"}
)

// newArtifact returns nil for nil.
func newArtifact(script *manifest.Artifact) *artifact {
	if script == nil {
		return nil
	}
	return &artifact{
		bytes:  script.Bytes,
		etag:   []string{`"` + hex.EncodeToString(script.SHA256[:]) + `"`},
		length: []string{strconv.Itoa(len(script.Bytes))},
	}
}

// send responds to a GET or HEAD with the script, or with 304 when the client has it. Browsers revalidate on
// every load: the bytes cannot change while this process runs, but another build may be installed under the
// same version.
func (a *artifact) send(c *httpapi.Call) {
	header := c.Writer.Header()
	header["Cache-Control"] = revalidate
	header["Etag"] = a.etag
	if httpapi.Matches(c.Request, a.etag[0]) {
		c.Writer.WriteHeader(http.StatusNotModified)
		return
	}
	header["Content-Type"] = scriptType
	header["Content-Length"] = a.length
	c.Writer.WriteHeader(http.StatusOK)
	if c.Request.Method != http.MethodHead {
		_, _ = c.Writer.Write(a.bytes) // an error means that the client has gone
	}
}
