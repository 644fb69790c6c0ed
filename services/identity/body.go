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

// parseBody is as lenient as the browser's JSON.parse, because these routes speak the identity library's
// dialect and not the platform's strict one: unknown keys pass, the last of repeated keys wins, a
// byte-order mark is skipped, broken UTF-8 becomes U+FFFD. encoding/json reads exactly like that.
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

// checkMediaType ignores case and parameters. A type that merely contains the allowed one passes, as it
// always has with this client; none of the types that a form can send does.
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
