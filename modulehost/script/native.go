package script

import (
	"context"
	"errors"

	"github.com/dop251/goja"
)

// work is a call to the platform. It runs in a goroutine of its own and returns how the engine makes its
// result, in a later turn.
type work func(ctx context.Context, c *call) (result, error)

// result makes the value of a finished work; nil is undefined.
type result func() (goja.Value, error)

// prelude is what js/prelude.js gives the engine: functions that are simpler in the language itself.
type prelude struct {
	run       goja.Callable // a handler, its arguments, how its result is packed, and whom to tell
	register  goja.Callable // the default export, and the functions that declare
	parseJSON goja.Callable
	makeError goja.Callable // of a message, a code, an SQLSTATE and a constraint
}

func (p *prelude) read(vm *goja.Runtime, made goja.Value) error {
	object := made.ToObject(vm)
	for name, into := range map[string]*goja.Callable{"run": &p.run, "register": &p.register,
		"parseJSON": &p.parseJSON, "makeError": &p.makeError} {
		found := false
		if *into, found = goja.AssertFunction(object.Get(name)); !found {
			return errors.New("the prelude lacks " + name)
		}
	}
	return nil
}

// natives returns the object of everything that the files in js are made of.
func (e *engine) natives() *goja.Object {
	all := e.vm.NewObject()
	for _, group := range []map[string]any{e.databaseNatives(), e.platformNatives(), e.storageNatives(),
		e.requestNatives(), e.webNatives(), e.intlNatives()} {
		for name, native := range group {
			_ = all.Set(name, native) // of a plain object
		}
	}
	return all
}

// arguments are those of a call of a native.
type arguments struct {
	*engine
	values []goja.Value
}

func (a arguments) at(n int) goja.Value {
	if n < len(a.values) {
		return a.values[n]
	}
	return goja.Undefined()
}

// text returns an argument that has to be a string.
func (a arguments) text(n int, what string) string {
	value, is := a.at(n).Export().(string)
	if !is {
		panic(a.vm.NewTypeError("%s must be a string", what))
	}
	return value
}

// number returns a whole number; otherwise for undefined and null.
func (a arguments) number(n int, otherwise int64) int64 {
	if missing(a.at(n)) {
		return otherwise
	}
	return a.at(n).ToInteger()
}

func missing(v goja.Value) bool { return v == nil || goja.IsUndefined(v) || goja.IsNull(v) }

type native = func(goja.FunctionCall) goja.Value

// direct makes a native that returns at once. Its error is thrown.
func (e *engine) direct(f func(a arguments) (goja.Value, error)) native {
	return func(call goja.FunctionCall) goja.Value {
		value, err := f(arguments{e, call.Arguments})
		if err != nil {
			panic(e.errorValue(err))
		}
		if value == nil {
			return goja.Undefined()
		}
		return value
	}
}

var errNotStarted = errors.New("the platform can be called when the module has started: in a handler, " +
	"or in m.start")

// promised makes a native that returns a promise. prepare reads the arguments; what it returns belongs to the
// call of this turn.
func (e *engine) promised(prepare func(a arguments) work) native {
	return e.asked(func(a arguments) work {
		do := prepare(a)
		if e.host == nil {
			return func(context.Context, *call) (result, error) { return nil, errNotStarted }
		}
		return do
	})
}

// asked is promised for what needs no platform.
func (e *engine) asked(prepare func(a arguments) work) native {
	return func(fc goja.FunctionCall) goja.Value {
		do := prepare(arguments{e, fc.Arguments})
		promise, resolve, reject := e.vm.NewPromise()
		c := e.calling()
		c.waiting++
		go func() {
			made, err := do(c.ctx, c)
			e.post(c, func() error {
				c.waiting--
				value := goja.Undefined()
				if err == nil && made != nil {
					value, err = made()
				}
				if err != nil {
					return reject(e.errorValue(err))
				}
				return resolve(value)
			})
		}()
		return e.vm.ToValue(promise)
	}
}

// valued is the result of a work that is a plain Go value.
func (e *engine) valued(value any) result {
	return func() (goja.Value, error) { return e.vm.ToValue(value), nil }
}

// object makes a plain object.
func (e *engine) object(members map[string]any) *goja.Object {
	made := e.vm.NewObject()
	for name, value := range members {
		_ = made.Set(name, value)
	}
	return made
}
