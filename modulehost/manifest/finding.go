package manifest

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// MaxFindings limits what one manifest can report. A longer list ends with one more finding about that.
const MaxFindings = 100

// Finding is one broken rule. It names field and rule, and quotes no value of the file.
type Finding struct {
	Module  string `json:"module"`  // module id as far as it is known, else ""
	Pointer string `json:"pointer"` // JSON pointer (RFC 6901) into module.json; "" is the whole file
	Code    Error  `json:"code"`
	Message string `json:"message"` // one sentence
}

// Error returns the finding on one line: `CODE: module <id> at <pointer>: sentence`.
func (f Finding) Error() string {
	var where strings.Builder
	if f.Module != "" {
		where.WriteString("module " + f.Module)
	} else {
		where.WriteString("module")
	}
	if f.Pointer != "" {
		where.WriteString(" at " + f.Pointer)
	}
	return fmt.Sprintf("%s: %s: %s", f.Code, where.String(), f.Message)
}

// Unwrap returns the code, so that errors.Is finds it.
func (f Finding) Unwrap() error { return f.Code }

// report collects the findings of one manifest, in the order of the rules.
type report struct{ findings []Finding }

func (r *report) add(code Error, pointer, format string, args ...any) {
	switch {
	case len(r.findings) > MaxFindings:
	case len(r.findings) == MaxFindings:
		r.findings = append(r.findings, Finding{Code: ErrInvalid,
			Message: fmt.Sprintf("%s breaks more than %d rules; the rest is not listed.", FileName, MaxFindings)})
	default:
		r.findings = append(r.findings, Finding{Pointer: pointer, Code: code,
			Message: fmt.Sprintf(format, args...)})
	}
}

// invalid reports that the field breaks a rule. format is the rest of the sentence that begins with the
// field's label.
func (r *report) invalid(f field, format string, args ...any) {
	r.add(ErrInvalid, f.pointer, "%s", f.label+" "+fmt.Sprintf(format, args...))
}

var plainName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
})

// printable cuts a pointer before the first name that could forge a line of output.
func printable(pointer string) string {
	var safe strings.Builder
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if !plainName().MatchString(token) {
			break
		}
		safe.WriteString("/" + token)
	}
	return safe.String()
}
