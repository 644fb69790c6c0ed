package identity

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const allowedType = "application/json"

// parseBody is as lenient as JSON.parse in a browser, because these routes speak the dialect of the
// identity client's library: unknown keys pass, the last of repeated keys wins, a byte-order mark is
// skipped, and broken UTF-8 becomes U+FFFD. encoding/json does all of that; the platform's own strict
// decoder does not.
func parseBody(c *httpapi.Call, optional bool) (any, error) {
	mediaType := c.Request.Header.Get("Content-Type")
	if optional && mediaType == "" && len(c.Body) == 0 {
		return map[string]any{}, nil
	}
	if err := checkMediaType(mediaType); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(c.Body, []byte("\ufeff"))))
	decoder.UseNumber() // a number of any size parses
	var body any
	if decoder.Decode(&body) != nil {
		return nil, errInvalidJSON
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errInvalidJSON
	}
	return body, nil
}

// checkMediaType ignores case and parameters. A type that merely contains the allowed one passes, because
// the client's library has always accepted that. None of the types that an HTML form can send passes.
func checkMediaType(sent string) error {
	message := `Content-Type "` + strings.ToValidUTF8(
		sent,
		"\ufffd",
	) + `" is not allowed. Allowed types: ` + allowedType
	if sent == "" {
		message = "Content-Type is required. Allowed types: " + allowedType
	}
	essence, _, _ := strings.Cut(sent, ";")
	if strings.Contains(strings.ToLower(essence), allowedType) {
		return nil
	}
	return refusal{status: http.StatusUnsupportedMediaType, code: "UNSUPPORTED_MEDIA_TYPE", message: message}
}
