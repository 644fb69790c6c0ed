package script

import (
	"context"
	"errors"
	"time"

	"github.com/dop251/goja"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// register evaluates the program and lets its default export declare what the module offers.
func (e *engine) register(program *goja.Program, r *sdk.Registry) (err error) {
	declare := &declarations{engine: e, registry: r}
	e.onLoop(func() {
		e.turn(e.module, func() error {
			var exported goja.Value
			if exported, err = e.vm.RunProgram(program); err == nil {
				_, err = e.prelude.register(goja.Undefined(), exported, declare.natives())
			}
			if err != nil {
				err = e.failureOf(err)
			}
			return nil
		})
		declare.registry = nil
	})
	return err
}

// declarations are the functions with which a script declares, until register returns.
type declarations struct {
	*engine
	registry *sdk.Registry
}

var errDeclared = errors.New("a module declares only in the function that it gives to defineModule, before " +
	"that returns; without await")

// native makes one of the functions.
func (d *declarations) native(f func(a arguments) error) native {
	return d.direct(func(a arguments) (goja.Value, error) {
		if d.registry == nil {
			return nil, errDeclared
		}
		return nil, f(a)
	})
}

// handler is a function of the script that returns a promise of what the platform gets.
func (a arguments) handler(n int) goja.Value {
	if _, is := goja.AssertFunction(a.at(n)); !is {
		panic(a.vm.NewTypeError("a handler must be a function"))
	}
	return a.at(n)
}

func (d *declarations) natives() *goja.Object {
	return d.object(map[string]any{
		"route":      d.native(d.route),
		"collection": d.native(d.collection),
		"feed":       d.native(d.feed),
		"probe": d.native(func(a arguments) error {
			d.registry.Probe("GET " + a.text(0, "a path"))
			return nil
		}),
		"channel":      d.native(d.channel),
		"every":        d.native(d.every),
		"provide":      d.native(d.provide),
		"personErased": d.native(d.personErased),
		"personExport": d.native(d.personExport),
		"start":        d.native(d.start),
	})
}

// channel declares a name, a permission, whether only the latest values count, and the snapshot.
func (d *declarations) channel(a arguments) error {
	name, permission, snapshot := a.text(0, "a channel"), a.text(1, "a permission"), a.handler(3)
	declare := d.registry.Channel
	if a.at(2).ToBoolean() {
		declare = d.registry.LatestChannel
	}
	declare(name, permission, func(ctx context.Context) (any, error) {
		return d.call(ctx, "the snapshot of channel "+name, snapshot, nil, d.takeJSON)
	})
	return nil
}

// every declares a name, an interval in seconds, and what is run.
func (d *declarations) every(a arguments) error {
	name, seconds, run := a.text(0, "the name of a schedule"), a.number(1, 0), a.handler(2)
	d.registry.Every(name, time.Duration(min(seconds, 1<<31))*time.Second, func(ctx context.Context) error {
		_, err := d.call(ctx, "Every "+name, run, nil, nothing)
		return err
	})
	return nil
}

// provide declares a capability and an object of its methods.
func (d *declarations) provide(a arguments) error {
	capability, object := a.text(0, "a capability"), a.at(1).ToObject(d.vm)
	methods := make(sdk.Methods)
	for _, name := range object.Keys() {
		method := arguments{d.engine, []goja.Value{object.Get(name)}}.handler(0)
		methods[name] = func(ctx context.Context, input []byte) (any, error) {
			return d.call(ctx, "Provide "+capability, method, func() []any {
				return []any{string(input), sdk.CallingModule(ctx)}
			}, d.takeJSON)
		}
	}
	d.registry.Provide(capability, methods)
	return nil
}

func (d *declarations) personErased(a arguments) error {
	forget := a.handler(0)
	d.registry.PersonErased(func(ctx context.Context, userID string) error {
		_, err := d.call(ctx, "PersonErased", forget, func() []any { return []any{userID} }, nothing)
		return err
	})
	return nil
}

func (d *declarations) personExport(a arguments) error {
	export := a.handler(0)
	d.registry.PersonExport(func(ctx context.Context, userID string) (any, error) {
		return d.call(ctx, "PersonExport", export, func() []any { return []any{userID} }, d.takeJSON)
	})
	return nil
}

func (d *declarations) start(a arguments) error {
	d.started = append(d.started, a.handler(0))
	return nil
}

// begin gives the script the platform, and runs its start hooks.
func (e *engine) begin(ctx context.Context, h *sdk.Host) error {
	e.onLoop(func() { e.host = h })
	for _, hook := range e.started {
		if _, err := e.call(ctx, "m.start", hook, nil, nothing); err != nil {
			return err
		}
	}
	return nil
}

// call calls a handler of the script, and waits for the result of its promise. made returns the handler's
// arguments, in the loop; nil: there are none.
func (e *engine) call(ctx context.Context, what string, handler goja.Value, made func() []any,
	take func(goja.Value) (any, error)) (any, error) {
	return e.do(ctx, what, func(ok, bad goja.Value) error {
		list := []goja.Value{handler, ok, bad}
		if made != nil {
			for _, argument := range made() {
				list = append(list, e.vm.ToValue(argument))
			}
		}
		_, err := e.prelude.run(goja.Undefined(), list...)
		return err
	}, take)
}

func nothing(goja.Value) (any, error) { return nil, nil }

// takeJSON reads the JSON that a handler of the prelude has made of the script's result.
func (e *engine) takeJSON(value goja.Value) (any, error) {
	text, is := value.Export().(string)
	if !is {
		return nil, nil
	}
	return jsontext.Value(text), nil
}
