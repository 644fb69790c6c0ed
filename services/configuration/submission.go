package configuration

import (
	"mime"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// decode reads {values: {...}} as strictly as httpapi.Decode, but for null: among the values it is a wrong value, not a malformed
// body.
func decode(c *httpapi.Call) (map[string]jsontext.Value, error) {
	media, _, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return nil, httpapi.ErrRequest
	}
	var body struct {
		Values map[string]jsontext.Value `json:"values"`
	}
	if err := json.Unmarshal(c.Body, &body, json.RejectUnknownMembers(true)); err != nil || body.Values == nil {
		return nil, httpapi.ErrRequest
	}
	return body.Values, nil
}

// check judges what was submitted by what is declared and answers the texts to store. Whatever the order of the keys, one that is
// not declared is told before a secret, and a secret before an invalid value. A key that was omitted is no fault.
func check(declared []manifest.Declaration, values map[string]jsontext.Value) (map[string]string, error) {
	texts := make(map[string]string, len(values))
	found, secret, invalid := 0, false, false
	for _, d := range declared {
		sent, submitted := values[d.Key]
		if !submitted {
			continue
		}
		found++
		value := scalar(sent)
		switch {
		case d.Type == manifest.TypeSecret:
			secret = true
		case !d.Accepts(value):
			invalid = true
		default:
			texts[d.Key] = d.Text(value)
		}
	}
	switch {
	case found < len(values):
		return nil, ErrKeyUndeclared
	case secret:
		return nil, ErrSecretNotWritable
	case invalid:
		return nil, ErrValueInvalid
	}
	return texts, nil
}

// scalar answers the string, bool or int64 that a valid JSON value is, and nil for everything that no configuration value can be.
// Only the plain notation makes an integer: 1.0 and 1e2 are none.
func scalar(sent jsontext.Value) any {
	switch sent.Kind() {
	case '"':
		var text string
		if json.Unmarshal(sent, &text) == nil {
			return text
		}
	case 't', 'f':
		return sent.Kind() == 't'
	case '0':
		if n, err := strconv.ParseInt(string(sent), 10, 64); err == nil {
			return n
		}
	}
	return nil
}
