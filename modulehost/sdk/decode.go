package sdk

import (
	"bytes"
	"cmp"
	"encoding"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrRequestInvalid means that the request breaks the route's rules: 400 REQUEST_INVALID.
const ErrRequestInvalid = Error("REQUEST_INVALID")

// Decode decodes the body of a request into a T, a struct with json tags, by the platform's own rules: the
// body is one application/json object in valid UTF-8 with nothing after it. Every member is known, is spelled
// exactly as in its tag, and occurs once. A field is required and not null, at every depth, unless
//
//   - it is a pointer, an any or a raw JSON value: it may be absent or null;
//   - its tag says omitzero or omitempty: it may be absent, but not null.
//
// A time.Time has the format 2006-01-02T15:04:05.000Z and no other. For a T without fields an empty body
// without a Content-Type counts as {}. Everything else is ErrRequestInvalid. When the body is longer than the
// route's limit or its sender aborts it, Decode returns an error to which the platform responds itself:
// return it from the handler.
func Decode[T any](r *http.Request) (T, error) {
	var into T
	shape := reflect.TypeFor[T]()
	if shape.Kind() == reflect.Struct && shape.NumField() == 0 && r.Header.Get("Content-Type") == "" {
		if body, err := io.ReadAll(r.Body); err != nil || len(body) == 0 {
			return into, err
		}
	}
	body, err := jsonBody(r)
	if err != nil {
		return into, err
	}
	return decodeObject[T](body, incoming)
}

// jsonBody reads the body of a request that has to be JSON.
func jsonBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	contentType := r.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(contentType); err != nil || media != "application/json" {
		return nil, invalid("the Content-Type is %.60q, and must be application/json", contentType)
	}
	return body, nil
}

// decodeObject decodes data, which must be exactly one object.
func decodeObject[T any](data []byte, options json.Options) (T, error) {
	var into, zero T
	if err := decodeInto(data, &into, options); err != nil {
		return zero, err
	}
	return into, nil
}

// decodeInto decodes data, which must be exactly one object, into what a pointer points to.
func decodeInto(data []byte, into any, options json.Options) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(data))
	if decoder.PeekKind() != '{' {
		return invalid("the JSON is not an object")
	}
	if err := checkValue(decoder, reflect.TypeOf(into).Elem()); err != nil {
		return invalid("%.200s", err)
	}
	if _, err := decoder.ReadToken(); err != io.EOF {
		return invalid("something follows the JSON object")
	}
	if err := json.Unmarshal(data, into, options); err != nil {
		return invalid("%.200s", err)
	}
	return nil
}

// checkValue checks one value for what package json accepts and Decode does not: null, and missing members.
func checkValue(decoder *jsontext.Decoder, t reflect.Type) error {
	kind := decoder.PeekKind()
	if mayBeNull(t) && kind == 'n' {
		return decoder.SkipValue()
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case kind == 'n':
		return fmt.Errorf("%.80s is null, and a value is required", decoder.StackPointer())
	case readsItself(t):
		return decoder.SkipValue()
	case t.Kind() == reflect.Struct && kind == '{':
		return checkStruct(decoder, t)
	case t.Kind() == reflect.Map && kind == '{':
		return checkElements(decoder, t.Elem(), true)
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && kind == '[':
		return checkElements(decoder, t.Elem(), false)
	}
	return decoder.SkipValue() // json.Unmarshal refuses a wrong type later
}

var (
	rawValue        = reflect.TypeFor[jsontext.Value]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

func mayBeNull(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface || isRaw(t)
}

// isRaw reports whether t is a json.RawMessage, of the standard library or of the package json imported here.
func isRaw(t reflect.Type) bool {
	return t == rawValue || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 &&
		t.Name() == "RawMessage"
}

// readsItself reports whether t has its own JSON decoding, as time.Time has.
func readsItself(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	return t.Kind() == reflect.Interface || isRaw(t) || pointer.Implements(textUnmarshaler) ||
		pointer.Implements(jsonUnmarshaler)
}

// checkElements checks the elements of an array, or the members of a map.
func checkElements(decoder *jsontext.Decoder, element reflect.Type, named bool) error {
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	for kind := decoder.PeekKind(); kind != ']' && kind != '}'; kind = decoder.PeekKind() {
		if named {
			if _, err := decoder.ReadToken(); err != nil {
				return err
			}
		}
		if err := checkValue(decoder, element); err != nil {
			return err
		}
	}
	_, err := decoder.ReadToken()
	return err
}

func checkStruct(decoder *jsontext.Decoder, t reflect.Type) error {
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	fields := members(t)
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			return err
		}
		field, known := fields[name.String()]
		if !known {
			return fmt.Errorf("%.80s is not a member that the route knows; it knows %s", decoder.StackPointer(),
				strings.Join(slices.Sorted(maps.Keys(members(t))), ", "))
		}
		delete(fields, name.String())
		if err := checkValue(decoder, field.of); err != nil {
			return err
		}
	}
	_, err := decoder.ReadToken()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if err == nil && fields[name].required {
			err = fmt.Errorf("the member %q is missing in %s", name,
				cmp.Or(string(decoder.StackPointer()), "the body"))
		}
	}
	return err
}

// member is a field of a struct, as JSON sees it.
type member struct {
	of       reflect.Type
	required bool
}

// members returns the fields of a struct by their JSON names, including those of embedded structs.
func members(t reflect.Type) map[string]member {
	fields := make(map[string]member, t.NumField())
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		embedded := field.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		switch {
		case field.Anonymous && name == "" && embedded.Kind() == reflect.Struct:
			for name, inner := range members(embedded) {
				fields[name] = inner
			}
			continue
		case !field.IsExported() || name == "-":
			continue
		case name == "":
			name = field.Name
		}
		optional := mayBeNull(field.Type) || strings.Contains(options, "omit")
		fields[name] = member{field.Type, !optional}
	}
	return fields
}
