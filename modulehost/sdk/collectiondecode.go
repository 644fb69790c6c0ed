package sdk

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// pathID returns the id of the path. One in another format does not exist.
func (c *Collection[T]) pathID(r *http.Request) (any, error) {
	if c.id.kind == reflect.String {
		return PathID(r, c.refuse(http.StatusNotFound, "NOT_FOUND"))
	}
	text := r.PathValue("id")
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 || strconv.FormatInt(id, 10) != text {
		return nil, c.refuse(http.StatusNotFound, "NOT_FOUND")
	}
	return id, nil
}

// idOf returns the id of a row.
func (c *Collection[T]) idOf(row *T) any {
	if id := c.id.of(row); c.id.kind == reflect.Int64 {
		return id.Int()
	} else {
		return id.String()
	}
}

// decode reads the body of a create, or of an edit, which has a rev.
func (c *Collection[T]) decode(r *http.Request, edit bool) (row T, err error) {
	body, err := jsonBody(r)
	if err != nil {
		return row, err
	}
	shape := c.draft
	if edit {
		fields := make([]reflect.StructField, 0, shape.NumField()+1)
		for field := range shape.Fields() {
			fields = append(fields, field)
		}
		shape = reflect.StructOf(append(fields, reflect.StructField{Name: "Rev", Type: reflect.TypeFor[int64](),
			Tag: `json:"rev"`}))
	}
	row = c.copied(nil)
	sent := reflect.New(shape)
	if err := decodeInto(body, sent.Interface(), incoming); err != nil {
		return row, err
	}
	if edit {
		c.rev.of(&row).SetInt(sent.Elem().FieldByName("Rev").Int())
	}
	_, err = c.take(sent.Elem(), &row)
	return row, err
}

// take moves a draft into a row, and checks it. wrong is the name of a field that is wrong, if one alone is.
func (c *Collection[T]) take(sent reflect.Value, row *T) (wrong string, err error) {
	for n, one := range c.columns {
		if one.fixed {
			continue
		}
		value, given := one.of(row), sent.FieldByName("F"+strconv.Itoa(n))
		if (one.nullable || one.mayLack()) && given.IsNil() {
			value.SetZero()
			continue
		}
		switch {
		case one.nullable:
			value.Set(reflect.New(value.Type().Elem()))
			value = value.Elem()
			value.Set(given.Elem())
		case one.mayLack():
			value.Set(given.Elem())
		default:
			value.Set(given)
		}
		if one.kind == reflect.String {
			value.SetString(strings.TrimSpace(value.String()))
		}
		if problem := one.problem(value); problem != "" {
			return one.name, OfField(one.name, invalid("the member %q %s", one.name, problem))
		}
	}
	if c.Check != nil {
		return "", c.Check(row)
	}
	return "", nil
}

// problem says what is wrong with a value; "": nothing.
func (one *column) problem(value reflect.Value) string {
	size, unit := 0.0, ""
	switch one.kind {
	case reflect.String:
		if problem := one.textProblem(value.String()); problem != "" || one.day || one.oneOf != nil {
			return problem
		}
		size, unit = float64(utf8.RuneCountInString(value.String())), " characters"
	case reflect.Int64:
		size = float64(value.Int())
	case reflect.Float64:
		size = value.Float()
	case reflect.Map:
		if k := value.Kind(); k != reflect.Slice && k != reflect.Map && k != reflect.Array {
			return ""
		}
		size, unit = float64(value.Len()), " elements"
	}
	if one.bounded && (size < one.least || size > one.most) {
		return fmt.Sprintf("is %v%s, and may be %v to %v", size, unit, one.least, one.most)
	}
	return ""
}

func (one *column) textProblem(text string) string {
	switch {
	case one.day && !isDay(text):
		return "is not a day as 2027-01-31"
	case one.oneOf != nil && !slices.Contains(one.oneOf, text):
		return "is not one of " + strings.Join(one.oneOf, ", ")
	case strings.ContainsRune(text, 0) || !utf8.ValidString(text):
		return "has a NUL or is not UTF-8"
	case !one.lines && strings.ContainsFunc(text, breaks):
		return "has several lines or control characters, and its tag does not say lines"
	}
	return ""
}

// refuse returns a refusal with a code of the collection, like BOOK_NOT_FOUND.
func (c *Collection[T]) refuse(status int, what string) Refusal {
	return Refuse(status, upper(c.One)+"_"+what)
}

// upper returns a word as codes have it: firstDay and first-day become FIRST_DAY.
func upper(word string) string {
	return strings.ToUpper(strings.ReplaceAll(snakeCase(word), "-", "_"))
}

// written returns the refusal for a row that the database did not take.
func (c *Collection[T]) written(err error) error {
	said := (*DatabaseError)(nil)
	if !errors.As(err, &said) {
		return err
	}
	switch said.SQLState {
	case "23505": // unique
		for _, one := range c.columns {
			if name := c.Table + "_" + one.sql; said.Constraint == name || said.Constraint == name+"_key" {
				return OfField(one.name, c.refuse(http.StatusConflict, upper(one.name)+"_TAKEN"))
			}
		}
		return c.refuse(http.StatusConflict, "TAKEN")
	case "23503": // what it refers to is gone
		return errCollectionConflict
	case "23502", "23514", "22001", "22003", "22007", "22008", "22P02": // empty, checked, too long, no value
		return invalid("the database refused the row: %.200s", said.Error())
	}
	return err
}

var errCollectionConflict = Refuse(http.StatusConflict, "CONFLICT")

// sameJSON reports whether two rows have the same content, but for their rev.
func (c *Collection[T]) sameJSON(a, b T) bool {
	a, b = c.copied(&a), c.copied(&b)
	c.rev.of(&a).SetInt(0)
	c.rev.of(&b).SetInt(0)
	first, err := encode(a)
	second, err2 := encode(b)
	return err == nil && err2 == nil && bytes.Equal(first, second)
}
