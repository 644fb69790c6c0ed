package script

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// failure is what a script threw: the text with its places in the source, and the platform's error or the
// refusal that it was made from.
type failure struct {
	text  string
	cause error // nil: the script's own
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.cause }

// held keeps a Go error in an object of the script, which can do nothing with it.
type held struct{ err error }

// errorValue makes what a script catches of an error of the platform.
func (e *engine) errorValue(err error) goja.Value {
	if own := (*thrownValue)(nil); errors.As(err, &own) {
		return own.value
	}
	if ex := (*goja.Exception)(nil); errors.As(err, &ex) {
		return ex.Value()
	}
	code, state, constraint := "", "", ""
	coded := sdk.Error("")
	refusal := sdk.Refusal{}
	said := (*sdk.DatabaseError)(nil)
	switch {
	case errors.As(err, &said):
		code, state, constraint = "DATABASE_ERROR", said.SQLState, said.Constraint
	case errors.As(err, &refusal):
		code = refusal.Code()
	case errors.As(err, &coded):
		code = coded.Code()
	}
	made, failed := e.prelude.makeError(goja.Undefined(), e.vm.ToValue(err.Error()), e.vm.ToValue(code),
		e.vm.ToValue(state), e.vm.ToValue(constraint))
	if failed != nil {
		return e.vm.NewGoError(err)
	}
	_ = made.ToObject(e.vm).SetSymbol(e.hidden, e.vm.ToValue(&held{err}))
	return made
}

// thrownValue carries a value of the script through Go code that returns an error.
type thrownValue struct{ value goja.Value }

func (*thrownValue) Error() string { return "thrown by the script" }

// thrown makes an error of what a script threw.
func (e *engine) thrown(reason goja.Value) error {
	object, is := reason.(*goja.Object)
	if !is {
		return &failure{text: "the script threw " + short(reason.String()) + ", which has no place; throw an Error"}
	}
	made := &failure{}
	if hidden := object.GetSymbol(e.hidden); hidden != nil {
		if own, is := hidden.Export().(*held); is {
			made.cause = own.err
		}
	}
	if e.vm.Try(func() { made.text = e.described(object) }) != nil {
		made.text = "the script threw an object that cannot be read"
	}
	return made
}

// described returns an error's stack, which begins with its text.
func (e *engine) described(thrown *goja.Object) string {
	text := thrown.String()
	if stack := thrown.Get("stack"); stack != nil && !goja.IsUndefined(stack) {
		if said := stack.String(); strings.Contains(said, "\tat ") {
			text = said
		}
	}
	return e.places(text)
}

// failureOf makes an error of a failed turn.
func (e *engine) failureOf(err error) error {
	interrupted, deep := (*goja.InterruptedError)(nil), (*goja.StackOverflowError)(nil)
	ex := (*goja.Exception)(nil)
	switch {
	case errors.As(err, &interrupted):
		return &failure{text: e.places(interrupted.String())}
	case errors.As(err, &deep):
		return &failure{text: e.places("the script's functions call each other more than 4,000 deep\n" +
			deep.String())}
	case errors.As(err, &ex):
		return e.thrown(ex.Value())
	}
	return err
}

// mostPlaces bounds the lines of a stack.
const mostPlaces = 8

// places leaves out of a stack what only the engine's author understands: its own functions and counters.
func (e *engine) places(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	kept, at := lines[:0], 0
	for _, line := range lines {
		if !strings.HasPrefix(line, "\tat ") {
			kept = append(kept, line)
			continue
		}
		if strings.Contains(line, ownFiles) || strings.HasSuffix(line, "(native)") ||
			strings.HasSuffix(line, "at native") {
			continue
		}
		if at++; at <= mostPlaces {
			kept = append(kept, e.place(line))
		}
	}
	return strings.Join(kept, "\n")
}

// place leaves out the instruction's number behind a place. The source map counts columns from 0, and
// everybody else from 1.
func (e *engine) place(line string) string {
	return placePattern().ReplaceAllStringFunc(line, func(found string) string {
		parts := placePattern().FindStringSubmatch(found)
		column, err := strconv.Atoi(parts[3])
		if err == nil && parts[1] != e.name {
			column++
		}
		return parts[1] + ":" + parts[2] + ":" + strconv.Itoa(column)
	})
}

// placePattern matches a file, a line, a column and the number of an instruction.
func placePattern() *regexp.Regexp { return regexp.MustCompile(`([^\s(]+):(\d+):(\d+)\(\d+\)`) }

func short(text string) string {
	const most = 200
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}
