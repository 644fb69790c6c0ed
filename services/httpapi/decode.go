package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads the body of a WholeBody route into a T, a struct with json tags. The body is one
// application/json object in valid UTF-8, with nothing after it. Every member is known, spelled exactly as
// in its tag, present once, and not null. A field is required unless its tag says omitzero. Everything else
// is ErrRequest.
func Decode[T any](c *Call) (T, error) { return DecodeNullable[T](c) }

// DecodeNullable is Decode, except that the members named may be null. Their fields are pointers. They are
// required like all others.
func DecodeNullable[T any](c *Call, nullable ...string) (T, error) {
	var into T
	media, _, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return into, ErrRequest
	}
	members, err := membersOf(c.Body, nullable)
	if err != nil {
		return into, ErrRequest
	}
	for _, name := range required(reflect.TypeFor[T]()) {
		if !members[name] {
			return into, ErrRequest
		}
	}
	if err := json.Unmarshal(c.Body, &into, json.RejectUnknownMembers(true)); err != nil {
		return into, ErrRequest
	}
	return into, nil
}

// DecodeEmpty accepts the body of a write that takes no parameters: {}, or no body and no Content-Type.
func DecodeEmpty(c *Call) error {
	if len(c.Body) == 0 && c.Request.Header.Get("Content-Type") == "" {
		return nil
	}
	_, err := Decode[struct{}](c)
	return err
}

var errNotAnObject = errors.New("not one object without null")

// membersOf returns the member names of one object. It refuses null at any depth, because the decoder would
// read it as a zero value, except as the value of the nullable members.
func membersOf(body []byte, nullable []string) (map[string]bool, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body))
	if decoder.PeekKind() != '{' {
		return nil, errNotAnObject
	}
	members := make(map[string]bool)
	var member string // the last one at the top level
	for {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			return members, nil
		}
		switch {
		case err != nil:
			return nil, err
		case token.Kind() == 'n':
			if decoder.StackDepth() != 1 || !slices.Contains(nullable, member) {
				return nil, errNotAnObject
			}
		case token.Kind() == '"' && decoder.StackDepth() == 1 && isName(decoder):
			member = token.String()
			members[member] = true
		}
	}
}

// isName reports whether the string just read at the top level is a member's name: then the number of
// tokens is odd.
func isName(decoder *jsontext.Decoder) bool {
	_, length := decoder.StackIndex(1)
	return length%2 == 1
}

func required(t reflect.Type) (names []string) {
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !strings.Contains(options, "omitzero") {
			names = append(names, name)
		}
	}
	return names
}
