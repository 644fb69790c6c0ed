package scripttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// kit answers what a test asks (modulehost/script/js/tests.js).
type kit struct {
	tb     *tb
	under  *sdktest.Module
	module func() sdk.Module

	mu      sync.Mutex
	callers []*sdktest.Caller
	readers []*sdktest.Subscription
	counted chan sdktest.Calls
	enough  chan struct{}
}

// errEnded: the test kit has ended the test, which has its failure already.
var errEnded = errors.New("the test has failed")

// Ask answers one question. What the test kit refuses to do fails the test where it was asked.
func (k *kit) Ask(ctx context.Context, what string, given []byte) (answer []byte, err error) {
	do, known := questions[what]
	if !known {
		return nil, fmt.Errorf("the test kit has no %s", what)
	}
	var arguments []json.RawMessage
	if err := json.Unmarshal(given, &arguments); err != nil {
		return nil, err
	}
	var value any
	if k.tb.guarded(func() { value, err = do(k, &reader{given: arguments}) }) {
		return nil, errEnded
	}
	if err != nil || value == nil {
		return nil, err
	}
	return json.Marshal(value)
}

// reader reads arguments in their order. A mistake in one is an error of the question, which ends the test.
type reader struct {
	given []json.RawMessage
	at    int
}

func (r *reader) into(value any) {
	if r.at >= len(r.given) {
		return
	}
	text := r.given[r.at]
	r.at++
	if err := json.Unmarshal(text, value); err != nil {
		panic(over{})
	}
}

func read[T any](r *reader) (value T) {
	r.into(&value)
	return value
}

type question func(k *kit, r *reader) (any, error)

// told makes a question without an answer.
func told(f func(k *kit, r *reader)) question {
	return func(k *kit, r *reader) (any, error) {
		f(k, r)
		return nil, nil
	}
}

var questions = map[string]question{
	"caller":    (*kit).caller,
	"send":      (*kit).send,
	"subscribe": (*kit).subscribe,
	"next":      (*kit).next,
	"revoke":    told(func(k *kit, r *reader) { k.numbered(r).Revoke(read[[]string](r)...) }),
	"named":     told(func(k *kit, r *reader) { k.numbered(r).Named(read[string](r)) }),

	"advance": func(k *kit, r *reader) (any, error) {
		return nil, k.under.Advance(time.Duration(read[float64](r) * float64(time.Second)))
	},
	"sent": (*kit).sent,
	"logs": (*kit).logs,
	"ask": func(k *kit, r *reader) (any, error) {
		var answer json.RawMessage
		caller, capability, method := read[string](r), read[string](r), read[string](r)
		err := k.under.Ask(caller, capability, method, read[json.RawMessage](r), &answer)
		return answer, err
	},
	"erase": func(k *kit, r *reader) (any, error) { return nil, k.under.Erase(read[string](r)) },
	"export": func(k *kit, r *reader) (any, error) {
		var answer json.RawMessage
		err := k.under.Export(read[string](r), &answer)
		return answer, err
	},
	"setTimeZone": told(func(k *kit, r *reader) { k.under.SetTimeZone(read[string](r)) }),
	"countBegin":  told((*kit).countBegin),
	"countEnd":    (*kit).countEnd,

	"loseDatabase": (*kit).loseDatabase,
	"failMail":     told(func(k *kit, r *reader) { k.under.FailMail(read[[]sdk.SendResult](r)...) }),
	"failStorage":  told(func(k *kit, r *reader) { k.under.FailStorage(read[[]sdk.Error](r)...) }),
	"slowStorage": told(func(k *kit, r *reader) {
		k.under.SlowStorage(time.Duration(read[int64](r)) * time.Millisecond)
	}),
	"cutObjects": told(func(k *kit, r *reader) { k.under.CutObjects(read[int64](r)) }),
	"failCapability": told(func(k *kit, r *reader) {
		k.under.FailCapability(read[string](r), read[[]sdk.Error](r)...)
	}),
	"failNames":       told(func(k *kit, r *reader) { k.under.FailNames(read[int](r)) }),
	"failPermissions": told(func(k *kit, r *reader) { k.under.FailPermissions(read[int](r)) }),
	"overload":        told(func(k *kit, r *reader) { k.under.Overload(read[int](r)) }),
	"restart":         told(func(k *kit, _ *reader) { k.under.Restart(k.module()) }),
}

// caller makes somebody who sends requests, and returns their number and their id.
func (k *kit) caller(r *reader) (any, error) {
	kind, given := read[string](r), read[[]string](r)
	var made *sdktest.Caller
	switch kind {
	case "owner":
		made = k.under.Owner()
	case "device":
		made = k.under.Device(given...)
	case "visitor":
		made = k.under.Visitor()
	case "link":
		made = k.under.Link(strings.Join(given, ""))
	default:
		made = k.under.Person(given...)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.callers = append(k.callers, made)
	return []any{len(k.callers) - 1, made.ID}, nil
}

// reply is a response in the form that tests get.
type reply struct {
	Status  int               `json:"status"`
	Body    any               `json:"body"`
	Headers map[string]string `json:"headers"`
}

func replyOf(got *sdktest.Response) reply {
	made := reply{Status: got.Status, Body: got.Body, Headers: map[string]string{}}
	if json.Valid([]byte(got.Body)) {
		made.Body = json.RawMessage(got.Body)
	}
	for name := range got.Header {
		made.Headers[strings.ToLower(name)] = got.Header.Get(name)
	}
	return made
}

// numbered returns the caller whose number is the next argument.
func (k *kit) numbered(r *reader) *sdktest.Caller {
	number := read[int](r)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.callers[number]
}

func (k *kit) send(r *reader) (any, error) {
	caller := k.numbered(r)
	method, path := read[string](r), read[string](r)
	var body any
	if text := read[*string](r); text != nil {
		body = *text
	}
	return replyOf(caller.Do(method, path, body)), nil
}

func (k *kit) subscribe(r *reader) (any, error) {
	subscription := k.numbered(r).Subscribe(read[string](r))
	k.mu.Lock()
	defer k.mu.Unlock()
	k.readers = append(k.readers, subscription)
	return map[string]any{"reader": len(k.readers) - 1, "reply": replyOf(&subscription.Response)}, nil
}

// next waits for the next update of a channel.
func (k *kit) next(r *reader) (any, error) {
	number := read[int](r)
	k.mu.Lock()
	subscription := k.readers[number]
	k.mu.Unlock()
	return json.RawMessage(subscription.Update()), nil
}

func (k *kit) sent(*reader) (any, error) {
	mails := []any{}
	for _, one := range k.under.Sent() {
		var to []string
		for _, address := range one.To {
			to = append(to, address.Address)
		}
		mails = append(mails, map[string]any{"to": to, "subject": one.Subject, "text": one.Text, "html": one.HTML})
	}
	return mails, nil
}

func (k *kit) logs(*reader) (any, error) {
	lines := []any{}
	for _, one := range k.under.Logs() {
		lines = append(lines, map[string]any{"level": one.Level, "text": one.Text, "attributes": one.Attributes})
	}
	return lines, nil
}

var losses = map[string]sdktest.DatabaseLoss{"beforeStatement": sdktest.BeforeStatement,
	"beforeCommit": sdktest.BeforeCommit, "afterCommit": sdktest.AfterCommit}

func (k *kit) loseDatabase(r *reader) (any, error) {
	when := read[string](r)
	loss, known := losses[when]
	if !known {
		return nil, fmt.Errorf("a database is lost beforeStatement, beforeCommit or afterCommit, and not %s", when)
	}
	k.under.LoseDatabase(loss)
	return nil, nil
}

// countBegin counts until countEnd.
func (k *kit) countBegin(*reader) {
	k.counted, k.enough = make(chan sdktest.Calls, 1), make(chan struct{})
	begun := make(chan struct{})
	go func() {
		k.counted <- k.under.Count(func() {
			close(begun)
			<-k.enough
		})
	}()
	<-begun
}

func (k *kit) countEnd(*reader) (any, error) {
	close(k.enough)
	calls := <-k.counted
	return map[string]int{"statements": calls.Statements, "exchanges": calls.Exchanges}, nil
}
