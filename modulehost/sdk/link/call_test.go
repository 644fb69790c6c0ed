package link_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

func TestCallsInParallelGetTheirOwnResponses(t *testing.T) {
	c := connect(t, 16, echo)
	ctx := testContext(t)
	var callers sync.WaitGroup
	for caller := range 40 {
		callers.Go(func() {
			for i := range 50 {
				want := bytes.Repeat([]byte{byte(caller), byte(i)}, 1+caller*i*3)
				var got wrapperspb.BytesValue
				if err := c.Call(ctx, 1, raw(want), &got); err != nil {
					t.Error(err)
				} else if !bytes.Equal(got.Value, want) {
					t.Errorf("caller %d call %d got another's answer", caller, i)
				}
			}
		})
	}
	callers.Wait()
}

func TestHandlerSeesMethodAndRequest(t *testing.T) {
	c := connect(t, 1, func(_ context.Context, m link.Method, payload []byte) (proto.Message, error) {
		var in wrapperspb.StringValue
		err := proto.Unmarshal(payload, &in)
		return text(fmt.Sprint(m, in.Value)), err
	})
	var got wrapperspb.StringValue
	if err := c.Call(testContext(t), 200, text("hello"), &got); err != nil || got.Value != "200hello" {
		t.Fatalf("Call: error %v, want none; value %.200q, want %.200q", err, got.Value, "200hello")
	}
	// an empty request, and the response is dropped
	if err := c.Call(testContext(t), 200, nil, nil); err != nil {
		t.Fatal(err)
	}
}

type coded string

func (c coded) Error() string { return "secret text" }
func (c coded) Code() string  { return string(c) }

func TestHandlerErrorsCrossAsCodes(t *testing.T) {
	refusal := &link.Failure{CodeText: "DATABASE_FAILED", Detail: []byte{1, 2, 0}}
	for name, row := range map[string]struct {
		handler func() (proto.Message, error)
		code    string
		detail  []byte
	}{
		"failure": {func() (proto.Message, error) { return nil, refusal }, "DATABASE_FAILED",
			[]byte{1, 2, 0}},
		"wrapped failure": {func() (proto.Message, error) { return nil, fmt.Errorf("x: %w", refusal) },
			"DATABASE_FAILED", []byte{1, 2, 0}},
		"error with a code": {func() (proto.Message, error) {
			return nil,
				fmt.Errorf("x: %w", coded("NOT_FOUND_2"))
		}, "NOT_FOUND_2", nil},
		"error without": {func() (proto.Message, error) { return nil, errors.New("secret text") }, "FAILED",
			nil},
		"code that is text": {func() (proto.Message, error) { return nil, coded("secret text") }, "FAILED", nil},
		"code without end": {func() (proto.Message, error) { return nil, coded(strings.Repeat("A", 65)) },
			"FAILED", nil},
		"panic": {func() (proto.Message, error) { panic("secret text") }, "HANDLER_PANICKED", nil},
		"ended goroutine": {func() (proto.Message, error) { runtime.Goexit(); return nil, nil },
			"HANDLER_PANICKED", nil},
		"answer not UTF-8": {func() (proto.Message, error) { return text("\xff"), nil }, "FAILED", nil},
		"answer too large": {func() (proto.Message, error) { return raw(make([]byte, link.MaxMessage)), nil },
			"MESSAGE_TOO_LARGE", nil},
		"detail too large": {func() (proto.Message, error) {
			return nil,
				&link.Failure{"X", make([]byte, link.MaxMessage)}
		}, "MESSAGE_TOO_LARGE", nil},
		"answer and an error": {func() (proto.Message, error) { return text("half"), coded("NO") }, "NO", nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, 1, func(_ context.Context, m link.Method, _ []byte) (proto.Message, error) {
				if m == 2 {
					return text("alive"), nil
				}
				return row.handler()
			})
			var failure *link.Failure
			err := c.Call(testContext(t), 1, nil, &wrapperspb.StringValue{})
			if !errors.As(err, &failure) || failure.Code() != row.code || !bytes.Equal(failure.Detail, row.detail) {
				t.Fatalf("Call: %#v, want a *link.Failure of code %v and detail %.100q", err, row.code, row.detail)
			}
			if strings.Contains(fmt.Sprintf("%+v", err), "secret") {
				t.Fatal("the error's text crossed the link")
			}
			var alive wrapperspb.StringValue
			if err := c.Call(testContext(t), 2, nil, &alive); err != nil || alive.Value != "alive" {
				t.Fatal("the link did not stay up:", err)
			}
		})
	}
}

func TestCallsThatAreRefusedLocally(t *testing.T) {
	c := connect(t, 1, echo)
	if err := c.Call(context.Background(), 1, nil, nil); !errors.Is(err, link.ErrNoDeadline) {
		t.Error("without a deadline:", err)
	}
	if err := c.Ping(context.Background()); !errors.Is(err, link.ErrNoDeadline) {
		t.Error("ping without a deadline:", err)
	}
	err := c.Call(testContext(t), 1, raw(make([]byte, link.MaxMessage)), nil)
	if !errors.Is(err, link.ErrTooLarge) {
		t.Error("too large:", err)
	}
	if err := c.Call(testContext(t), 1, text("\xff"), nil); !errors.Is(err, link.ErrUnencodable) {
		t.Error("not UTF-8:", err)
	}
	ended, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	if err := c.Call(ended, 1, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error("late:", err)
	}
	// The largest message that fits: four bytes are protobuf's tag and length.
	largest := raw(make([]byte, link.MaxMessage-4))
	if size := proto.Size(largest); size != link.MaxMessage {
		t.Fatalf("proto.Size: size %v, want %v", size, link.MaxMessage)
	}
	var got wrapperspb.BytesValue
	if err := c.Call(testContext(t), 1, largest, &got); err != nil || len(got.Value) != len(largest.Value) {
		t.Error("the largest message:", err)
	}
}
