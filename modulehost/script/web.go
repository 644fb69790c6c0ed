package script

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// mostTimers bounds the timers that have not expired.
const mostTimers = 1000

// mostRandom bounds the bytes of one call for random ones, as in browsers.
const mostRandom = 64 << 10

var (
	errTimers = errors.New("a script has at most 1,000 timers at once")
	errRandom = errors.New("at most 65,536 random bytes are given at once")
	errUTF8   = errors.New("the bytes are not UTF-8")
	errDigest = errors.New("a digest is SHA-1, SHA-256, SHA-384 or SHA-512")
)

// webNatives are what scripts know from browsers: timers, random bytes, digests, text in UTF-8.
func (e *engine) webNatives() map[string]any {
	return map[string]any{
		"setTimer":   e.direct(e.setTimer),
		"clearTimer": e.direct(e.clearTimer),
		"uuid":       e.direct(func(arguments) (goja.Value, error) { return e.vm.ToValue(newUUID()), nil }),
		"random": e.direct(func(a arguments) (goja.Value, error) {
			count := a.number(0, 0)
			if count < 0 || count > mostRandom {
				return nil, errRandom
			}
			data := make([]byte, count)
			_, _ = rand.Read(data) // never fails
			return e.byteArray(data)
		}),
		"digest": e.direct(func(a arguments) (goja.Value, error) {
			sum, err := digest(a.text(0, "the name of a digest"), a.bytes(1, "the data"))
			if err != nil {
				return nil, err
			}
			return e.vm.ToValue(e.vm.NewArrayBuffer(sum)), nil
		}),
		"encode": e.direct(func(a arguments) (goja.Value, error) { return e.byteArray([]byte(a.at(0).String())) }),
		"decode": e.direct(func(a arguments) (goja.Value, error) {
			data := a.bytes(0, "the bytes")
			if !utf8.Valid(data) {
				return nil, errUTF8
			}
			return e.vm.ToValue(string(data)), nil
		}),
		"hide": e.hide(),
	}
}

// hide makes an object of the prelude out of what native code has thrown: refusals.
func (e *engine) hide() native {
	return e.direct(func(a arguments) (goja.Value, error) {
		err, failed := refusal(a.number(1, 0), a.text(2, "the code of a refusal"), a.at(3))
		if failed != nil {
			return nil, failed
		}
		return nil, a.at(0).ToObject(e.vm).SetSymbol(e.hidden, e.vm.ToValue(&held{err}))
	})
}

// setTimer calls a function after a number of milliseconds, in a turn of the call that set it.
func (e *engine) setTimer(a arguments) (goja.Value, error) {
	f, is := goja.AssertFunction(a.at(0))
	if !is {
		panic(e.vm.NewTypeError("setTimeout calls a function, not a text"))
	}
	if len(e.timers) >= mostTimers {
		return nil, errTimers
	}
	after := time.Duration(min(max(a.number(1, 0), 0), int64(24*time.Hour/time.Millisecond))) * time.Millisecond
	c, id := e.calling(), e.lastTimer+1
	e.lastTimer = id
	c.waiting++
	timer := time.AfterFunc(after, func() {
		e.post(c, func() error {
			if !e.forgetTimer(id) {
				return nil
			}
			_, err := f(goja.Undefined())
			return err
		})
	})
	e.timers[id] = func() bool { c.waiting--; return timer.Stop() }
	return e.vm.ToValue(id), nil
}

func (e *engine) clearTimer(a arguments) (goja.Value, error) {
	if !missing(a.at(0)) {
		e.forgetTimer(a.number(0, 0))
	}
	return nil, nil
}

// forgetTimer stops a timer, and reports whether it had neither expired nor been stopped before.
func (e *engine) forgetTimer(id int64) bool {
	stop, found := e.timers[id]
	if found {
		delete(e.timers, id)
		stop()
	}
	return found
}

func newUUID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

func digest(name string, data []byte) ([]byte, error) {
	switch name {
	case "SHA-1":
		sum := sha1.Sum(data)
		return sum[:], nil
	case "SHA-256":
		sum := sha256.Sum256(data)
		return sum[:], nil
	case "SHA-384":
		sum := sha512.Sum384(data)
		return sum[:], nil
	case "SHA-512":
		sum := sha512.Sum512(data)
		return sum[:], nil
	}
	return nil, errDigest
}
