package manifest

import "strconv"

// Text is how a value that the declaration accepts is stored (spec.md § Module configuration view): as it
// is, an integer in decimal, a boolean as true or false.
func (d Declaration) Text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// ParseText reads a stored value; ok is false for what the declaration does not accept, or what Text would
// have written otherwise.
func (d Declaration) ParseText(text string) (value any, ok bool) {
	switch d.Type {
	case TypeInteger:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, false
		}
		value = n
	case TypeBoolean:
		value = text == "true"
	default:
		value = text
	}
	return value, d.Accepts(value) && d.Text(value) == text
}
