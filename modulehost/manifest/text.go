package manifest

import "strconv"

// Text returns the text that is stored for an accepted value: a string as it is, an integer in decimal, a
// boolean as true or false.
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

// ParseText reads a stored value. ok is false when the declaration does not accept it, or when Text would
// write it differently.
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
