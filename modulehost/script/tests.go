package script

import (
	"context"
	"io"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// Kit is what the tests of a script ask: the test kit, with arguments and answers as JSON.
type Kit interface {
	Ask(ctx context.Context, what string, arguments []byte) (answer []byte, err error)
}

// Tests are the tests of one file. They run in an engine of their own, which is no module's.
type Tests struct {
	engine *engine
	kit    Kit
	all    []Test
}

// Test is one test: its name, its options as JSON, and its functions.
type Test struct {
	Name    string
	Options []byte
	run     goja.Value
	stand   goja.Value
}

// NewTests evaluates a bundled file of tests, which is a script without exports. Errors are for the author.
func NewTests(name string, source []byte, output io.Writer) (*Tests, error) {
	parsed, err := goja.Parse(name, string(source), parser.WithSourceMapLoader(
		func(string) ([]byte, error) { return nil, errMapFile }))
	if err != nil {
		return nil, err
	}
	program, err := goja.CompileAST(parsed, true)
	if err != nil {
		return nil, err
	}
	t := &Tests{}
	if t.engine, err = newEngine(name, output); err != nil {
		return nil, err
	}
	e := t.engine
	e.onLoop(func() {
		e.turn(e.module, func() error {
			if _, err = e.evaluate("tests", t.natives()); err == nil {
				_, err = e.vm.RunProgram(program)
			}
			if err != nil {
				err = e.failureOf(err)
			}
			return nil
		})
	})
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

func (t *Tests) natives() *goja.Object {
	e := t.engine
	return e.object(map[string]any{
		"declare": e.direct(func(a arguments) (goja.Value, error) {
			t.all = append(t.all, Test{Name: a.text(0, "a name"), Options: []byte(a.text(1, "the options")),
				run: a.handler(2), stand: a.handler(3)})
			return nil, nil
		}),
		"ask": e.asked(func(a arguments) work {
			what, given := a.text(0, "what"), []byte(a.text(1, "the arguments"))
			return func(ctx context.Context, _ *call) (result, error) {
				answer, err := t.kit.Ask(ctx, what, given)
				return e.valued(string(answer)), err
			}
		}),
	})
}

// All returns the declared tests in their order.
func (t *Tests) All() []Test { return t.all }

// Run runs one test, whose module is that of the kit. Its error has places in the author's sources.
func (t *Tests) Run(ctx context.Context, test Test, kit Kit) error {
	t.kit = kit
	_, err := t.engine.do(ctx, test.Name, func(ok, bad goja.Value) error {
		_, err := t.engine.prelude.run(goja.Undefined(), test.run, ok, bad)
		return err
	}, func(goja.Value) (any, error) { return nil, nil })
	return err
}

// Stand calls a stand-in that a test has given for another module, with input and output as JSON.
func (t *Tests) Stand(ctx context.Context, test Test, capability, method string, input []byte,
) ([]byte, error) {
	e := t.engine
	output, err := e.do(ctx, capability+" "+method, func(ok, bad goja.Value) error {
		_, err := e.prelude.run(goja.Undefined(), test.stand, ok, bad, e.vm.ToValue(capability),
			e.vm.ToValue(method), e.vm.ToValue(string(input)))
		return err
	}, func(v goja.Value) (any, error) { return []byte(v.String()), nil })
	if err != nil {
		return nil, err
	}
	return output.([]byte), nil
}

// Close ends the engine.
func (t *Tests) Close() { t.engine.loop.close() }
