package script

import (
	"context"
	"embed"
	"fmt"
	"io"
	"reflect"
	"sync/atomic"

	"github.com/dop251/goja"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// mostCalls bounds how deep functions call each other. A built-in function that calls the script back needs
// about 2 KiB of the process's stack for each level.
const mostCalls = 4000

// engine is a script's interpreter and what belongs to it. Only turns of its loop use it, but for do and
// post.
type engine struct {
	output   io.Writer // for the author
	name     string    // of the script's file
	vm       *goja.Runtime
	loop     *loop
	watchdog *watchdog
	prelude  prelude
	stacks   []reflect.Value // see unwind
	hidden   *goja.Symbol    // under which an error of the script keeps the platform's
	host     *sdk.Host       // nil before Start
	house    atomic.Pointer[sdk.House]

	current   *call          // whose turn it is
	module    *call          // of turns that belong to no other
	active    map[*call]bool // not settled
	unhandled []*goja.Promise
	timers    map[int64]func() (stopped bool)
	lastTimer int64
	started   []goja.Value // the start hooks
}

//go:embed js/*.js
var sources embed.FS

// newEngine makes an engine with the global names of a script and nothing else.
func newEngine(name string, output io.Writer) (*engine, error) {
	e := &engine{
		output: output,
		name:   name,
		vm:     goja.New(),
		loop:   newLoop(),
		hidden: goja.NewSymbol("platform error"),
		active: make(map[*call]bool),
		timers: make(map[int64]func() bool),
	}
	e.module = newCall(context.Background(), "the script")
	e.watchdog = newWatchdog(func(err error) { e.vm.Interrupt(err) })
	e.vm.SetMaxCallStackSize(mostCalls)
	e.vm.SetAsyncContextTracker(tracker{e})
	e.vm.SetPromiseRejectionTracker(e.rejected)
	var err error
	if e.stacks, err = stacks(e.vm); err != nil {
		return nil, err
	}
	e.onLoop(func() { err = e.prepare() })
	if err != nil {
		e.loop.close()
		return nil, fmt.Errorf("the engine could not be prepared: %w", err)
	}
	return e, nil
}

// prepare runs the prelude, which takes away what makes code of text and adds what a script may use.
func (e *engine) prepare() error {
	natives := e.natives()
	web, err := e.evaluate("web", natives)
	if err != nil {
		return err
	}
	if _, err := e.evaluate("intl", natives); err != nil {
		return err
	}
	shape, err := e.evaluate("shape")
	if err != nil {
		return err
	}
	made, err := e.evaluate("prelude", natives, web, shape)
	if err != nil {
		return err
	}
	return e.prelude.read(e.vm, made)
}

// evaluate returns the function of a file of js, or what it returns for the arguments.
func (e *engine) evaluate(name string, arguments ...goja.Value) (goja.Value, error) {
	source, err := sources.ReadFile("js/" + name + ".js")
	if err != nil {
		return nil, err
	}
	function, err := e.vm.RunScript(ownFiles+name+".js", string(source))
	if err != nil || len(arguments) == 0 {
		return function, err
	}
	call, _ := goja.AssertFunction(function)
	return call(goja.Undefined(), arguments...)
}

// ownFiles begins the names of the engine's own files in stacks, which authors do not see.
const ownFiles = "narthex:"

// onLoop runs f in the loop and waits for it.
func (e *engine) onLoop(f func()) {
	done := make(chan struct{})
	e.loop.post(func() {
		defer close(done)
		f()
	})
	<-done
}

// post runs f in a later turn of a call.
func (e *engine) post(c *call, f func() error) {
	e.loop.post(func() { e.turn(c, f) })
}

// turn runs f and the promises' reactions that follow it, and interrupts them after a second. Its error,
// which is an interruption, a stack that is too deep or an exception that nobody caught, ends the call whose
// turn it was then.
func (e *engine) turn(c *call, f func() error) {
	e.current = c
	e.watchdog.begin()
	err := f()
	e.watchdog.end()
	e.vm.ClearInterrupt()
	if err != nil {
		e.unwind()
		e.abandon(err)
	}
	e.current = nil
	e.reportUnhandled()
}

// abandon ends the call whose turn has failed, and those whose reactions were lost with the turn: they wait
// for nothing of the platform.
func (e *engine) abandon(err error) {
	failed := e.current
	if failed == nil {
		failed = e.module
	}
	err = e.failureOf(err)
	if !e.active[failed] {
		e.report("error", failed.what, err)
		go failed.releaseAll()
	}
	for c := range e.active {
		if c == failed || c.waiting == 0 {
			c.settle(nil, err)
			delete(e.active, c)
		}
	}
}

// do lets the script work for the platform, and waits for its result. begin starts the work in a turn, with
// the two functions to call at its end; take reads the result, also in a turn.
func (e *engine) do(ctx context.Context, what string, begin func(ok, bad goja.Value) error,
	take func(goja.Value) (any, error)) (any, error) {
	c := newCall(ctx, what)
	e.lookAtHouse(ctx)
	e.post(c, func() error {
		e.active[c] = true
		return begin(
			e.vm.ToValue(func(result goja.FunctionCall) goja.Value {
				value, err := take(result.Argument(0))
				e.settle(c, value, err)
				return goja.Undefined()
			}),
			e.vm.ToValue(func(reason goja.FunctionCall) goja.Value {
				e.settle(c, nil, e.thrown(reason.Argument(0)))
				return goja.Undefined()
			}))
	})
	value, err := c.wait()
	e.loop.post(func() { delete(e.active, c) })
	return value, err
}

// lookAtHouse keeps what Intl writes by. In a request it asks the platform only after a change of the house.
// The house that was known before does when the platform does not answer.
func (e *engine) lookAtHouse(ctx context.Context) {
	if e.host == nil {
		return
	}
	if house, err := e.host.House(ctx); err == nil {
		e.house.Store(&house)
	}
}

func (e *engine) settle(c *call, value any, err error) {
	c.settle(value, err)
	delete(e.active, c)
}

// tracker lets a turn know which call it continues.
type tracker struct{ *engine }

func (t tracker) Grab() any { return t.current }

func (t tracker) Resumed(c any) { t.current, _ = c.(*call) }

func (t tracker) Exited() { t.current = nil }

// calling returns the call of this turn.
func (e *engine) calling() *call {
	if e.current == nil {
		return e.module
	}
	return e.current
}

// rejected keeps promises that were rejected without anybody to handle that.
func (e *engine) rejected(p *goja.Promise, operation goja.PromiseRejectionOperation) {
	if operation == goja.PromiseRejectionReject {
		e.unhandled = append(e.unhandled, p)
		return
	}
	for n, one := range e.unhandled {
		if one == p {
			e.unhandled = append(e.unhandled[:n], e.unhandled[n+1:]...)
			return
		}
	}
}

func (e *engine) reportUnhandled() {
	for _, p := range e.unhandled {
		e.report("error", "unhandled rejection", e.thrown(p.Result()))
	}
	e.unhandled = nil
}

// mostReport bounds the text of one error, in bytes, of which the platform keeps the last 64 KiB.
const mostReport = 4 << 10

// report tells the author, as the SDK does.
func (e *engine) report(word, where string, err error) {
	text := err.Error()
	if len(text) > mostReport {
		text = text[:mostReport] + "..."
	}
	fmt.Fprintf(e.output, "%s: %s: %s\n", word, where, text)
}
