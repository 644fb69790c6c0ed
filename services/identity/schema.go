package identity

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// input is a request body that has passed its schema.
type input map[string]any

func (in input) text(name string) string {
	text, _ := in[name].(string)
	return text
}

func (in input) flag(name string, absent bool) bool {
	if flag, ok := in[name].(bool); ok {
		return flag
	}
	return absent
}

// field is one member of a schema; kind is JSON's name for its type. fault, if it is set, returns what is
// wrong with a text, or "".
type field struct {
	name     string
	kind     string
	optional bool
	fault    func(text string) string
}

// emailField is an address that parseAddress accepts. Sign-in does not use it, because it responds to a bad
// address with a code of its own.
func emailField() field {
	return field{name: "email", kind: "string", fault: func(text string) string {
		if _, ok := parseAddress(text); !ok {
			return "Invalid email address"
		}
		return ""
	}}
}

// checkSchema reports all faults at once, in the schema's order.
func checkSchema(body any, schema []field) (input, error) {
	object, ok := body.(map[string]any)
	if !ok {
		return nil, invalid("[body] " + expected("object", kindOf(body)))
	}
	var faults []string
	for _, f := range schema {
		value, present := object[f.name]
		switch {
		case !present && f.optional:
		case !present:
			faults = append(faults, "[body."+f.name+"] "+expected(f.kind, "undefined"))
		case kindOf(value) != f.kind:
			faults = append(faults, "[body."+f.name+"] "+expected(f.kind, kindOf(value)))
		case f.fault != nil:
			if fault := f.fault(object[f.name].(string)); fault != "" {
				faults = append(faults, "[body."+f.name+"] "+fault)
			}
		}
	}
	if len(faults) > 0 {
		return nil, invalid(strings.Join(faults, "; "))
	}
	return object, nil
}

func invalid(message string) error {
	return refusal{status: http.StatusBadRequest, code: "VALIDATION_ERROR", message: message}
}

func expected(want, got string) string {
	return "Invalid input: expected " + want + ", received " + got
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// checkCallbacks checks the type of the callback fields and nothing else: the platform never makes a link
// or a redirect from them. An empty value counts as absent, as it does in JavaScript.
func checkCallbacks(body any, rawQuery string) error {
	object, _ := body.(map[string]any)
	callback := object["callbackURL"]
	if isEmpty(callback) && rawQuery != "" {
		query, _ := url.ParseQuery(rawQuery)
		if len(query["callbackURL"]) > 1 {
			callback = []any{}
		}
	}
	for _, c := range []struct {
		value any
		label string
	}{
		{callback, "callbackURL"},
		{object["redirectTo"], "redirectURL"},
		{object["errorCallbackURL"], "errorCallbackURL"},
		{object["newUserCallbackURL"], "newUserCallbackURL"},
	} {
		if _, isText := c.value.(string); !isText && !isEmpty(c.value) {
			return refusal{status: http.StatusBadRequest, message: "Invalid " + c.label + ": expected a string"}
		}
	}
	return nil
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case json.Number:
		number, err := v.Float64()
		return err == nil && number == 0
	}
	return false
}
