package configuration

import (
	"mime"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// submission is the body of a replacement.
type submission struct {
	Values map[string]jsontext.Value
	Rev    *int64 // nil: not sent
}

// decode reads {values: {...}, rev?} as strictly as httpapi.Decode, except for null: a null among the values
// is an invalid value, not a malformed body.
func decode(c *httpapi.Call) (body submission, err error) {
	if _, err := httpapi.Query(c.Request.URL.RawQuery); err != nil {
		return body, err
	}
	media, _, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return body, httpapi.ErrRequest
	}
	var sent struct {
		Values map[string]jsontext.Value `json:"values"`
		Rev    jsontext.Value            `json:"rev"`
	}
	if err := json.Unmarshal(c.Body, &sent, json.RejectUnknownMembers(true)); err != nil ||
		sent.Values == nil {
		return body, httpapi.ErrRequest
	}
	body.Values = sent.Values
	if sent.Rev != nil {
		rev, ok := scalar(sent.Rev).(int64)
		if !ok || rev < 0 {
			return body, httpapi.ErrRequest
		}
		body.Rev = &rev
	}
	return body, nil
}

// check compares the submitted values with the declaration and returns the texts to store. Whatever the order
// of the keys, an undeclared key is reported before a secret, and a secret before an invalid value. Keys may
// be omitted.
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

// scalar returns a string, bool or int64, and nil for every JSON value that cannot be a configuration value.
// Only plain digits make an integer: 1.0 and 1e2 do not.
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
