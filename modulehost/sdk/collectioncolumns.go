package sdk

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// column is a field of a collection's row.
type column struct {
	name     string // in JSON
	sql      string // in the table
	index    []int  // of the field
	tag      reflect.StructTag
	field    reflect.Type
	kind     reflect.Kind // behind a pointer: String, Int64, Float64, Bool; Struct: a time; Map: other JSON
	nullable bool
	fixed    bool // no client sends it
	optional bool // it may be absent in a request

	least, most float64
	bounded     bool
	lines       bool
	day         bool
	oneOf       []string
	search      bool
	sort, desc  bool
	key         bool
	headings    []string
}

// The bounds of texts without bounds of their own.
const (
	maxLine  = 200
	maxLines = 4000
)

// compile reads T's tags. Its errors say what to write instead.
func (c *Collection[T]) compile() error {
	shape := c.Shape
	if shape == nil {
		shape = reflect.TypeFor[T]()
	}
	if shape.Kind() != reflect.Struct {
		return fmt.Errorf("%s is no struct", shape)
	}
	_, c.name, _ = strings.Cut(c.Path, "/")
	c.name = c.name[strings.LastIndexByte(c.name, '/')+1:]
	if c.name == "" || strings.Trim(c.name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return errors.New(`its path is a slash and words in lower case, as in "/books"`)
	}
	if c.One == "" {
		c.One = strings.TrimSuffix(c.name, "s")
	}
	if c.Table == "" {
		c.Table = strings.ReplaceAll(c.name, "-", "_")
	}
	var problems []error
	c.columns = nil
	for _, field := range reflect.VisibleFields(shape) {
		if field.Anonymous && field.Type.Kind() == reflect.Struct || !field.IsExported() ||
			field.Tag.Get("json") == "-" {
			continue
		}
		column, err := columnOf(field)
		if err != nil {
			problems = append(problems, fmt.Errorf("the field %s: %w", field.Name, err))
			continue
		}
		c.columns = append(c.columns, column)
	}
	if len(problems) == 0 {
		problems = append(problems, c.assign(shape))
	}
	return errors.Join(append(problems, c.checkHandlers())...)
}

// assign finds the columns with a part of their own, and makes the draft: what clients send.
func (c *Collection[T]) assign(shape reflect.Type) error {
	c.id, c.rev, c.position, c.order, c.key = nil, nil, nil, nil, nil
	var draft []reflect.StructField
	for n, one := range c.columns {
		switch one.name {
		case "id":
			c.id, one.fixed = one, true
		case "rev":
			c.rev, one.fixed = one, true
		case "position":
			c.position, one.fixed = one, true
		}
		if one.sort {
			c.order = one
		}
		if one.key {
			c.key = one
		}
		if !one.fixed {
			of := one.field
			if one.mayLack() {
				of = reflect.PointerTo(of)
			}
			draft = append(draft, reflect.StructField{Name: "F" + strconv.Itoa(n), Type: of, Tag: one.tag})
		}
	}
	switch {
	case c.id == nil || c.id.nullable || c.id.kind != reflect.String && c.id.kind != reflect.Int64:
		return fmt.Errorf("%s needs ID string `json:\"id\"` for UUIDs, or ID int64 for numbers", shape)
	case c.rev == nil || c.rev.nullable || c.rev.kind != reflect.Int64:
		return fmt.Errorf("%s needs Rev int64 `json:\"rev\"`, which counts the edits of a row", shape)
	case len(draft) == 0:
		return fmt.Errorf("%s has no field that a client sends", shape)
	case c.Whole && c.Max == 0:
		return errors.New("a list that is answered as a whole needs a Max")
	case c.Channel != "" && c.Change != nil:
		return errors.New("with a Change of its own it cannot tell the Channel; publish there")
	}
	if c.position != nil {
		c.order = c.position
	}
	c.draft = reflect.StructOf(draft)
	return nil
}

func (c *Collection[T]) checkHandlers() error {
	for _, name := range slices.Concat(c.Only, sortedKeys(c.Replace)) {
		if !slices.Contains(handlersOfCollections, name) {
			return fmt.Errorf("it has no handler %q; there are %s", name, strings.Join(handlersOfCollections, ", "))
		}
	}
	return nil
}

func sortedKeys(of map[string]HandlerFunc) (keys []string) {
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// columnOf reads the tags of one field.
func columnOf(field reflect.StructField) (*column, error) {
	one := &column{index: field.Index, field: field.Type, tag: field.Tag}
	one.name, _, _ = strings.Cut(field.Tag.Get("json"), ",")
	if one.name == "" {
		return nil, errors.New("it has no json tag; write its name in requests and responses, or json:\"-\"")
	}
	of := field.Type
	if one.nullable = of.Kind() == reflect.Pointer; one.nullable {
		of = of.Elem()
	}
	switch of.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		one.kind = reflect.Int64
	case reflect.Float32, reflect.Float64:
		one.kind = reflect.Float64
	case reflect.String, reflect.Bool:
		one.kind = of.Kind()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Chan, reflect.Func,
		reflect.Complex64, reflect.Complex128:
		return nil, fmt.Errorf("the database has no %s; use int64", of)
	default:
		if one.kind = reflect.Map; of == timeType {
			one.kind = reflect.Struct
		}
	}
	one.sql = snakeCase(one.name)
	text := field.Tag.Get("collection")
	for word := range strings.SplitSeq(text, ",") {
		if err := one.take(word); word != "" && err != nil {
			return nil, err
		}
	}
	return one, one.check(of)
}

// take reads one word of the tag.
func (one *column) take(word string) error {
	name, value, _ := strings.Cut(word, "=")
	least, most, bounds := strings.Cut(word, "..")
	var err, err2 error
	switch {
	case bounds:
		one.least, err = strconv.ParseFloat(least, 64)
		one.most, err2 = strconv.ParseFloat(most, 64)
		if one.bounded = true; err != nil || err2 != nil || one.least > one.most {
			return fmt.Errorf("%q is not two numbers, as in 1..80", word)
		}
	case word == "lines":
		one.lines = true
	case word == "date":
		one.day = true
	case word == "search":
		one.search = true
	case word == "sort":
		one.sort = true
	case word == "desc":
		one.desc = true
	case word == "key":
		one.key = true
	case word == "read":
		one.fixed = true
	case word == "optional":
		one.optional = true
	case name == "oneof" && value != "":
		one.oneOf = strings.Split(value, "|")
	case name == "heading" && value != "":
		one.headings = strings.Split(value, "|")
	case name == "column" && value != "" && strings.Trim(value, columnLetters) == "":
		one.sql = value
	default:
		return fmt.Errorf("its collection tag has %q; the words are N..M, lines, date, oneof=a|b, search, sort, "+
			"desc, key, optional, heading=a|b, column=name, read", word)
	}
	return nil
}

const columnLetters = "abcdefghijklmnopqrstuvwxyz0123456789_"

// check refuses words that the field's type does not take.
func (one *column) check(of reflect.Type) error {
	text := one.kind == reflect.String
	switch {
	case !text && (one.lines || one.day || one.oneOf != nil || one.search || one.key):
		return fmt.Errorf("lines, date, oneof, search and key are for texts, and it is a %s", of)
	case one.bounded && (one.kind == reflect.Bool || one.kind == reflect.Struct || one.day || one.oneOf != nil):
		return errors.New("it has no number of characters, so N..M says nothing")
	case one.sort && (one.nullable || one.kind == reflect.Bool || one.kind == reflect.Map):
		return errors.New("a list is sorted by a text, a number or a time that is no pointer")
	case one.key && one.nullable:
		return errors.New("a key is no pointer")
	}
	if text && !one.bounded {
		one.bounded, one.most = true, maxLine
		if one.lines {
			one.most = maxLines
		}
	}
	return nil
}

// mayLack reports whether the draft has a pointer where the row has a value.
func (one *column) mayLack() bool { return one.optional && !mayBeNull(one.field) }

// of returns the column's field in a row. row is a pointer to a struct, or to an any that has such a pointer.
func (one *column) of(row any) reflect.Value {
	value := reflect.ValueOf(row).Elem()
	if value.Kind() == reflect.Interface {
		value = value.Elem().Elem()
	}
	return value.FieldByIndex(one.index)
}

// copied returns a copy of a row; nil: an empty row.
func (c *Collection[T]) copied(row *T) (made T) {
	if c.Shape != nil {
		fresh := reflect.New(c.Shape)
		if row != nil {
			fresh.Elem().Set(reflect.ValueOf(row).Elem().Elem().Elem())
		}
		return fresh.Interface().(T)
	}
	if row != nil {
		made = *row
	}
	return made
}

// selected is the column in a SELECT about "row".
func (one *column) selected() string {
	if one.kind == reflect.String { // a UUID or a day is read as a text, too
		return "row." + one.sql + "::text"
	}
	return "row." + one.sql
}

// sortedBy is the column in an ORDER BY.
func (one *column) sortedBy() string {
	if one.kind == reflect.String && !one.day && one.name != "id" {
		return `row.` + one.sql + ` COLLATE "und-x-icu"`
	}
	return "row." + one.sql
}

// sqlType is the type of the column in a migration that fits.
func (one *column) sqlType() string {
	switch {
	case one.name == "id" && one.kind == reflect.String:
		return "uuid"
	case one.day:
		return "date"
	}
	return map[reflect.Kind]string{reflect.String: "text", reflect.Int64: "bigint", reflect.Bool: "boolean",
		reflect.Float64: "double precision", reflect.Struct: "timestamptz", reflect.Map: "jsonb"}[one.kind]
}

// parameter is a parameter of a statement that is compared with an id.
func (c *Collection[T]) parameter(n int) string { return fmt.Sprintf("$%d::%s", n, c.id.sqlType()) }

// argument is the column's value for a statement.
func (one *column) argument(row any) (any, error) {
	value := one.of(row)
	if one.kind != reflect.Map {
		return value.Interface(), nil
	}
	if one.nullable && value.IsNil() {
		return nil, nil
	}
	data, err := encode(value.Interface())
	return string(data), err
}

// snakeCase returns the name of a column: firstDay becomes first_day.
func snakeCase(name string) string {
	var text strings.Builder
	for _, letter := range name {
		if unicode.IsUpper(letter) {
			text.WriteByte('_')
		}
		text.WriteRune(unicode.ToLower(letter))
	}
	return text.String()
}

// isDay reports whether a text is a day as 2027-01-31.
func isDay(text string) bool {
	day, err := time.Parse(time.DateOnly, text)
	return err == nil && day.Year() > 0
}
