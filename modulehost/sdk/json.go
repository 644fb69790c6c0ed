package sdk

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// timeFormat is the platform's one format of a time: UTC, in milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z"

// outgoing and incoming write and read every time.Time in the platform's one format. They are variables
// because package json caches type information by options.
var (
	outgoing = json.JoinOptions(json.Deterministic(true), jsontext.AllowInvalidUTF8(true),
		json.WithMarshalers(json.MarshalToFunc(writeTime)))
	incoming = json.JoinOptions(json.RejectUnknownMembers(true),
		json.WithUnmarshalers(json.UnmarshalFromFunc(readTime)))
)

// encode returns the JSON of everything that the SDK sends: responses, snapshots, updates, exports and the
// input of other modules' methods. The members of a map are sorted; a nil slice is [], a nil map {}, and a
// time.Time has the platform's format, 2006-01-02T15:04:05.000Z. Bytes of a string that are not UTF-8 become
// U+FFFD: a path or a header that a handler repeats may have some.
func encode(value any) ([]byte, error) {
	data, err := json.Marshal(value, outgoing)
	if err != nil {
		return nil, fmt.Errorf("a %T cannot be sent as JSON: %w", value, sameWords(err))
	}
	return data, nil
}

// sameWords returns what package json found in words that are the same in each process. The package's own are
// chosen at random.
func sameWords(err error) error {
	found := (*json.SemanticError)(nil)
	if !errors.As(err, &found) || found.GoType == nil {
		return err
	}
	words := fmt.Errorf("there is no JSON for the %s at %q", found.GoType, found.JSONPointer)
	if found.Err != nil {
		return fmt.Errorf("%w: %w", words, found.Err)
	}
	return words
}

// decodeOfModule decodes JSON of another module, which may be newer and send unknown members.
func decodeOfModule(data []byte, into any) error {
	return json.Unmarshal(data, into, json.MatchCaseInsensitiveNames(true))
}

func writeTime(encoder *jsontext.Encoder, t time.Time) error {
	return encoder.WriteToken(jsontext.String(t.UTC().Format(timeFormat)))
}

var errTime = errors.New("a time has the format " + timeFormat)

// readTime accepts only the platform's format.
func readTime(decoder *jsontext.Decoder, t *time.Time) error {
	token, err := decoder.ReadToken()
	if err != nil {
		return err
	}
	parsed, err := time.Parse(timeFormat, token.String())
	if err != nil || token.Kind() != '"' || parsed.Format(timeFormat) != token.String() {
		return errTime
	}
	*t = parsed
	return nil
}
