package script

import (
	"errors"
	"reflect"

	"github.com/dop251/goja"
)

// unwound are the fields of the engine that an interruption leaves as they were inside the interrupted
// function. When that is an async function or a generator, the engine keeps its frames, believes from then on
// that a function is running, and calls no promise's reaction any more. TestInterrupted would notice, and so
// it would if a newer engine no longer needed this.
func unwound() []string { return []string{"callStack", "tryStack", "iterStack", "refStack"} }

var errEngineChanged = errors.New("the engine is not the one that unwind was written for")

// stacks returns the engine's fields that unwind resets.
func stacks(vm *goja.Runtime) (fields []reflect.Value, err error) {
	inner := reflect.ValueOf(vm).Elem().FieldByName("vm")
	if inner.Kind() != reflect.Pointer {
		return nil, errEngineChanged
	}
	for _, name := range unwound() {
		field := inner.Elem().FieldByName(name)
		if field.Kind() != reflect.Slice {
			return nil, errEngineChanged
		}
		fields = append(fields, reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem())
	}
	return fields, nil
}

// unwind forgets what an interrupted turn was doing.
func (e *engine) unwind() {
	for _, field := range e.stacks {
		field.SetLen(0)
	}
	e.vm.ClearInterrupt()
}
