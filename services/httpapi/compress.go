package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// compressFrom is the length, in bytes, from which a response is compressed. A shorter one fits a few packets
// anyway.
const compressFrom = 4 << 10

// Compressor returns a writer that compresses a response's body for its client, or nil if the body goes out
// as it is. Call it when the headers are complete and before they are sent; it changes those that follow from
// the coding. The caller closes the writer after the body.
//
// Compressed are successful JSON responses to GET of a known length, for pages of this house: what leaks by
// the length of a compressed response (CRIME, BREACH) needs somebody else who sends the request and chooses a
// part of it (docs/security.md). A response with an entity tag keeps the bytes that the tag stands for.
func (c *Call) Compressor(status int) *gzip.Writer {
	header, r := c.Writer.Header(), c.Request
	length := header["Content-Length"]
	if status != http.StatusOK || len(length) == 0 || len(length[0]) < 4 || !isJSON(header) ||
		header["Etag"] != nil || header["Content-Range"] != nil ||
		r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil
	}
	if n, err := strconv.ParseUint(length[0], 10, 64); err != nil || n < compressFrom {
		return nil
	}
	header["Vary"] = []string{strings.Join(append(slices.Clone(header["Vary"]), "Accept-Encoding"), ", ")}
	accepted := r.Header["Accept-Encoding"]
	if len(accepted) == 0 || !fromOwnPage(r, header) || weightOf(Gzip, accepted) == 0 {
		return nil
	}
	delete(header, "Content-Length")
	header["Content-Encoding"] = gzipCoding
	// Stateless: it keeps no memory and takes half the time of the next level, for a fortieth of the length.
	w, err := gzip.NewWriterLevel(c.Writer, gzip.StatelessCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}

var gzipCoding = []string{Gzip}

func isJSON(header http.Header) bool {
	kind := header["Content-Type"]
	if len(kind) != 1 {
		return false
	}
	name, _, _ := strings.Cut(kind[0], ";")
	return strings.EqualFold(strings.TrimSpace(name), "application/json")
}

// fromOwnPage reports whether a page of this house sends the request: one of the same origin, as the browser
// says, which no page can forge, or one of an origin that CORS allows.
func fromOwnPage(r *http.Request, header http.Header) bool {
	site := r.Header["Sec-Fetch-Site"]
	return len(site) == 1 && site[0] == "same-origin" || header["Access-Control-Allow-Origin"] != nil
}
