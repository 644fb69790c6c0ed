package sdk_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// slow is a statement that runs until its call is cancelled.
const slow = "SELECT pg_sleep(60)"

// slowDatabase runs slow until its call is cancelled, and every other statement at once.
func slowDatabase(ctx context.Context, method link.Method, payload []byte) (proto.Message, error) {
	var request abi.ExecRequest
	if method != link.Method(abi.Method_METHOD_EXEC) {
		return nil, errors.New("this host has statements only")
	}
	if err := proto.Unmarshal(payload, &request); err != nil {
		return nil, err
	}
	if request.GetSql() == slow {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &abi.ExecResponse{}, nil
}

// TestHandlerOutlivesItsCallsAndItsContext: a call to the platform that hangs ends 3 s, and the handler's
// context 2 s before the platform stops waiting for the response.
func TestHandlerOutlivesItsCallsAndItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		assertAfter := func(what string, want time.Duration) {
			t.Helper()
			if took := time.Since(began).Truncate(10 * time.Millisecond); took != want {
				t.Errorf("%s after %v, want it after %v", what, took, want)
			}
		}
		m := &module{}
		m.register = func(r *sdk.Registry) {
			r.Handle("GET /slow", "seats.read", sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
				ctx := r.Context()
				if _, err := m.host.DB.Exec(ctx, slow); !errors.Is(err, context.DeadlineExceeded) ||
					ctx.Err() != nil {
					t.Errorf("the statement ended with %v, the context with %v; want %v and nil", err, ctx.Err(),
						context.DeadlineExceeded)
				}
				assertAfter("the statement ended", 27*time.Second)
				if err := m.host.DB.InTx(ctx, func(*sdk.Tx) error { return nil }); !errors.Is(err,
					context.DeadlineExceeded) {
					t.Errorf("a further call: %v, want %v", err, context.DeadlineExceeded)
				}
				detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
				defer cancel()
				if _, err := m.host.DB.Exec(detached, "SELECT 1"); err != nil {
					t.Errorf("a call that does not belong to the request: %v, want nil", err)
				}
				<-ctx.Done()
				if ctx.Err() != context.DeadlineExceeded {
					t.Errorf("the context ended with %v, want %v", ctx.Err(), context.DeadlineExceeded)
				}
				assertAfter("the context ended", 28*time.Second)
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = io.WriteString(w, "busy")
			})
		}
		p := serveWith(t, m, inBubble(slowDatabase)).started()
		began = time.Now()
		var response abi.HandleResponse
		if err := p.call(abi.Method_METHOD_HANDLE, &abi.HandleRequest{Method: "GET", Path: []byte("/slow")},
			&response); err != nil {
			t.Fatal(err)
		}
		if response.GetStatus() != http.StatusServiceUnavailable || string(response.GetBody()) != "busy" {
			t.Errorf("answered %d %q, want the handler's own 503", response.GetStatus(), response.GetBody())
		}
	})
}

// TestDeadlineMovesWithEachPiece: each piece of a long response restarts the handler's deadline.
func TestDeadlineMovesWithEachPiece(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pieces, pause = 6, 27 * time.Second
		m := &module{register: func(r *sdk.Registry) {
			r.Handle("GET /long", "seats.read", sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
				for range pieces {
					select {
					case <-r.Context().Done():
						t.Errorf("the context ended with %v while the response went out", r.Context().Err())
						return
					case <-time.After(pause):
					}
					_, _ = io.WriteString(w, "piece")
					w.(http.Flusher).Flush()
				}
			})
		}}
		p := serveWith(t, m, inBubble(nil)).started()
		x, err := p.client.Begin(t.Context(), link.Outgoing{
			Method:  link.Method(abi.Method_METHOD_HANDLE),
			Request: &abi.HandleRequest{Method: "GET", Path: []byte("/long")}, Response: &abi.HandleResponse{},
			Within: time.Minute, Pause: time.Minute, Bodies: p.bodies,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if err := x.AwaitResponse(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if err := x.OpenBody(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(x); len(got) != pieces*len("piece") || err != nil {
			t.Errorf("%q, %v, want %d pieces", got, err, pieces)
		}
	})
}

// TestMethodsAndSnapshotsEndInTime: capability methods and snapshots, too, can respond after their context
// has ended, 2 s before the platform's timeout of 10 s.
func TestMethodsAndSnapshotsEndInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 2)
		m := &module{register: func(r *sdk.Registry) {
			r.Provide("seats.count", sdk.Methods{"count": sdk.Func(func(ctx context.Context, _ struct{}) (int, error) {
				<-ctx.Done()
				ended <- ctx.Err()
				return 7, nil
			})})
			r.Channel("board", "seats.read", func(ctx context.Context) (any, error) {
				<-ctx.Done()
				ended <- ctx.Err()
				return 7, nil
			})
		}}
		p := serveWith(t, m, inBubble(nil)).started()
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var provided abi.ProvideResponse
		if err := p.client.Call(ctx, link.Method(abi.Method_METHOD_PROVIDE),
			&abi.ProvideRequest{Capability: "seats.count", Method: "count", Input: []byte("{}")},
			&provided); err != nil || string(provided.GetOutput()) != "7" {
			t.Errorf("the method answered %s, %v, want 7", provided.GetOutput(), err)
		}
		var snapshot abi.SnapshotResponse
		if err := p.client.Call(ctx, link.Method(abi.Method_METHOD_SNAPSHOT),
			&abi.SnapshotRequest{Channel: "board"}, &snapshot); err != nil ||
			string(snapshot.GetData()) != "7" {
			t.Errorf("the snapshot answered %s, %v, want 7", snapshot.GetData(), err)
		}
		if took := time.Since(began).Truncate(10 * time.Millisecond); took != 2*8*time.Second {
			t.Errorf("both together took %v, want 8 s each", took)
		}
		for range 2 {
			if err := <-ended; err != context.DeadlineExceeded {
				t.Errorf("the context ended with %v, want %v", err, context.DeadlineExceeded)
			}
		}
	})
}
