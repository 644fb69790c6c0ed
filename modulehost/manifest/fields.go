package manifest

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/Masterminds/semver/v3"
)

// field is one value and its place: pointer for machines, label for sentences.
type field struct {
	node    *node
	pointer string
	label   string
}

// object is a JSON object whose member names have been checked.
type object struct {
	report *report
	at     field
	values map[string]*node
}

// open checks that the field is an object, and reports every member that is not in known or appears twice.
func (r *report) open(f field, known ...string) (object, bool) {
	if f.node.kind != kindObject {
		r.invalid(f, "must be an object.")
		return object{}, false
	}
	o := object{report: r, at: f, values: make(map[string]*node, len(known))}
	for _, m := range f.node.members {
		at := field{pointer: f.pointer, label: f.label}
		if plainName().MatchString(m.name) {
			at.pointer += "/" + m.name
		}
		if !slices.Contains(known, m.name) {
			r.invalid(at, "%s", unknownName(m.name, known))
			continue
		}
		if _, twice := o.values[m.name]; twice {
			r.invalid(at, "must not name a field twice.")
			continue
		}
		o.values[m.name] = m.value
	}
	return o, true
}

func unknownName(name string, known []string) string {
	for _, right := range known {
		if strings.EqualFold(name, right) {
			return "has a field that must be spelled " + right + "."
		}
	}
	if right := Nearest(name, known); right != "" {
		return "has a field " + quoted(name) + "; did you mean " + right + "?"
	}
	return "has a field " + quoted(name) + " that manifest version " + strconv.Itoa(Version) + " does not know."
}

// optional returns the member, and whether it is present.
func (o object) optional(name string) (field, bool) {
	f := field{node: o.values[name], pointer: o.at.pointer + "/" + name, label: name}
	if o.at.pointer != "" {
		f.label = o.at.label + "." + name
	}
	return f, f.node != nil
}

// required returns the member, and reports a finding when it is missing.
func (o object) required(name string) (field, bool) {
	f, ok := o.optional(name)
	if !ok {
		f.pointer = o.at.pointer // a missing member has no pointer of its own
		o.report.invalid(f, "is required.")
	}
	return f, ok
}

// list returns the elements of an optional array, and none of an array with more than max.
func (o object) list(name string, max int) []field {
	f, ok := o.optional(name)
	if !ok {
		return nil
	}
	if f.node.kind != kindArray {
		o.report.invalid(f, "must be an array.")
		return nil
	}
	if len(f.node.elements) > max {
		o.report.invalid(f, "must not have more than %d entries.", max)
		return nil
	}
	elements := make([]field, len(f.node.elements))
	for i, n := range f.node.elements {
		elements[i] = field{node: n, pointer: f.pointer + "/" + strconv.Itoa(i), label: f.label + "[]"}
	}
	return elements
}

// text returns a required string.
func (o object) text(name string) (string, field, bool) {
	f, ok := o.required(name)
	if !ok {
		return "", f, false
	}
	value, ok := o.report.text(f)
	return value, f, ok
}

func (r *report) text(f field) (string, bool) {
	if f.node.kind != kindString {
		r.invalid(f, "must be a string.")
		return "", false
	}
	return f.node.text, true
}

// printableText returns a string of min to max characters (code points). It refuses characters that hide or
// reorder others, because they could forge a line of output.
func (r *report) printableText(f field, min, max int) (string, bool) {
	value, ok := r.text(f)
	if !ok {
		return "", false
	}
	if n := utf8.RuneCountInString(value); n < min || n > max {
		r.invalid(f, "must have %d to %d characters.", min, max)
		return "", false
	}
	if strings.ContainsFunc(value, isHiddenInWords) {
		r.invalid(f, "must not hold control or invisible characters.")
		return "", false
	}
	return value, true
}

// description returns an optional text, "" when there is none.
func (o object) description(max int) string {
	f, ok := o.optional("description")
	if !ok {
		return ""
	}
	value, _ := o.report.printableText(f, 0, max)
	return value
}

func (r *report) boolean(f field) (bool, bool) {
	if f.node.kind != kindTrue && f.node.kind != kindFalse {
		r.invalid(f, "must be true or false.")
		return false, false
	}
	return f.node.kind == kindTrue, true
}

func (r *report) integer(f field) (int64, bool) {
	value, ok := f.node.integer()
	if !ok {
		r.invalid(f, "must be an integer between -2^53 and 2^53, without fraction or exponent.")
	}
	return value, ok
}

func (n *node) integer() (int64, bool) {
	if n.kind != kindNumber {
		return 0, false
	}
	value, err := strconv.ParseInt(n.text, 10, 64)
	return value, err == nil && -maxInteger <= value && value <= maxInteger
}

// version returns a required strict semantic version.
func (o object) version(name string) *semver.Version {
	value, f, ok := o.text(name)
	if !ok {
		return nil
	}
	version, err := semver.StrictNewVersion(value)
	if err != nil || len(value) > maxVersionLength {
		o.report.invalid(f, "must be a complete semantic version of at most %d characters, such as 1.4.0.",
			maxVersionLength)
		return nil
	}
	return version
}

// versions returns a required version range.
func (o object) versions(name string) *semver.Constraints {
	value, f, ok := o.text(name)
	if !ok {
		return nil
	}
	const rule = "must be a version range of at most %d characters, such as ^1.4.0."
	lone := strings.Contains(strings.ReplaceAll(value, "||", ""), "|") // the library would read it as a digit
	if len(value) > maxRangeLength || strings.TrimSpace(value) == "" || lone {
		o.report.invalid(f, rule, maxRangeLength)
		return nil
	}
	versions, err := semver.NewConstraint(value)
	if err != nil {
		o.report.invalid(f, rule, maxRangeLength)
		return nil
	}
	return versions
}
