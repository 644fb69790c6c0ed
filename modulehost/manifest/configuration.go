package manifest

import "slices"

// Type is the type of a configuration value.
type Type string

// The six types.
const (
	TypeString  Type = "string"
	TypeInteger Type = "integer"
	TypeBoolean Type = "boolean"
	TypeEnum    Type = "enum"
	TypeURL     Type = "url"    // absolute, http or https
	TypeSecret  Type = "secret" // supplied by the deployment: never stored, returned or defaulted
)

// Declaration is one configuration key of a module. Constraints that were not declared are nil.
type Declaration struct {
	Key         string
	Type        Type
	Required    bool
	Default     any // string, int64 or bool as Type wants; nil = none
	Description string
	MinLength   *int64 // string, in characters (code points)
	MaxLength   *int64
	Minimum     *int64 // integer
	Maximum     *int64
	Values      []string // enum
}

// constraints lists the constraints that belong to one type only.
var constraints = []struct {
	name string
	fits Type
}{
	{"minLength", TypeString}, {"maxLength", TypeString},
	{"minimum", TypeInteger}, {"maximum", TypeInteger},
	{"values", TypeEnum},
}

func (r *reader) configuration(o object, m *Manifest) {
	keys, variables := make(map[string]bool), make(map[string]bool)
	for _, f := range o.list("configuration", maxDeclarations) {
		c, ok := r.open(f, "key", "type", "required", "default", "description", "minLength", "maxLength", "minimum",
			"maximum", "values")
		if !ok {
			continue
		}
		key, at, ok := c.text("key")
		variable := upperSnake(key)
		switch {
		case !ok:
		case len(key) > maxKeyLength || !keyPattern().MatchString(key):
			r.invalid(at, "must begin with a lower-case letter and have 1 to %d letters and digits.", maxKeyLength)
		case keys[key]:
			r.invalid(at, "must not repeat a key.")
		case variables[variable]:
			r.invalid(at, "must differ from the other keys also as the name of a secret's variable.")
		}
		keys[key], variables[variable] = true, true
		m.Configuration = append(m.Configuration, r.declaration(c, key))
	}
}

func (r *reader) declaration(c object, key string) Declaration {
	d := Declaration{Key: key}
	kind, at, typed := c.text("type")
	d.Type = Type(kind)
	if typed && !slices.Contains([]Type{TypeString, TypeInteger, TypeBoolean, TypeEnum, TypeURL, TypeSecret},
		d.Type) {
		r.invalid(at, "must be string, integer, boolean, enum, url or secret.")
		typed = false
	}
	if f, ok := c.optional("required"); ok {
		d.Required, _ = r.boolean(f)
	}
	d.Description = c.description(maxConfigurationText)
	if !typed {
		return d
	}
	for _, constraint := range constraints {
		if f, ok := c.optional(constraint.name); ok && constraint.fits != d.Type {
			r.invalid(f, "is for type %s only.", constraint.fits)
		}
	}
	before := len(r.findings)
	switch d.Type {
	case TypeString:
		d.MinLength, d.MaxLength = r.bounds(c, "minLength", "maxLength", 0)
	case TypeInteger:
		d.Minimum, d.Maximum = r.bounds(c, "minimum", "maximum", -maxInteger)
	case TypeEnum:
		d.Values = r.values(c)
	}
	if f, ok := c.optional("default"); ok {
		d.Default = r.defaultValue(f, d, len(r.findings) == before)
	}
	return d
}

// defaultValue returns the declared default. When the constraints themselves are broken, the default is not
// checked against them.
func (r *reader) defaultValue(f field, d Declaration, constraintsHold bool) any {
	value := f.node.scalar()
	switch {
	case d.Type == TypeSecret:
		r.invalid(f, "is not for a secret, which only the deployment supplies.")
	case value == nil, constraintsHold && !d.Accepts(value):
		r.invalid(f, "must be a value that its own declaration accepts.")
	}
	return value
}

func (r *reader) bounds(c object, low, high string, least int64) (lowest, highest *int64) {
	bound := func(name string) (*int64, field) {
		f, ok := c.optional(name)
		if !ok {
			return nil, f
		}
		n, ok := r.integer(f)
		if !ok {
			return nil, f
		}
		if n < least {
			r.invalid(f, "must not be negative.")
			return nil, f
		}
		return &n, f
	}
	lowest, _ = bound(low)
	highest, at := bound(high)
	if lowest != nil && highest != nil && *highest < *lowest {
		r.invalid(at, "must not be less than %s.", low)
	}
	return lowest, highest
}

func (r *reader) values(c object) []string {
	f, ok := c.required("values")
	if !ok {
		return nil
	}
	fields := c.list("values", maxEnumValues)
	if f.node.kind == kindArray && len(f.node.elements) == 0 {
		r.invalid(f, "must have at least one entry.")
	}
	var values []string
	for _, f := range fields {
		value, ok := r.printableText(f, 1, maxEnumValueLength)
		if ok && slices.Contains(values, value) {
			r.invalid(f, "must not repeat a value.")
		}
		values = append(values, value)
	}
	return values
}

// scalar returns a string, int64 or bool, and nil for every JSON value that cannot be a configuration value.
func (n *node) scalar() any {
	switch n.kind {
	case kindString:
		return n.text
	case kindTrue, kindFalse:
		return n.kind == kindTrue
	}
	if value, ok := n.integer(); ok {
		return value
	}
	return nil
}
