package sdktest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

func TestMain(m *testing.M) { sdktest.Main(m) }

// seats is a module that uses most parts of the SDK.
type seats struct {
	host     *sdk.Host
	register func(*sdk.Registry)
	started  error
	stopped  int
}

func (s *seats) Register(r *sdk.Registry) error {
	r.Handle("GET /about", "seats.read", sdk.NoBody, s.about)
	r.Handle("POST /seats", "seats.write", sdk.Buffered(64), func(w http.ResponseWriter, r *http.Request) {
		var seat struct{ Name string }
		if err := json.NewDecoder(r.Body).Decode(&seat); err != nil {
			panic(err)
		}
		if _, err := s.host.DB.Exec(r.Context(), `INSERT INTO seats (name) VALUES ($1)`, seat.Name); err != nil {
			panic(err)
		}
		w.WriteHeader(http.StatusCreated)
	})
	r.Handle("POST /plan", "seats.write", sdk.Streamed(1<<20), func(w http.ResponseWriter, r *http.Request) {
		plan, err := io.ReadAll(r.Body)
		if err != nil {
			panic(err)
		}
		_, _ = w.Write(plan)
	})
	r.Handle("GET /panic", "seats.read", sdk.NoBody,
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	r.Provide("seats.free", sdk.Methods{
		"count": sdk.Func(func(ctx context.Context, of string) (map[string]any, error) {
			var count int
			err := s.host.DB.QueryRow(ctx, `SELECT count(*) FROM seats WHERE name <> $1`, of).Scan(&count)
			return map[string]any{"count": count, "for": sdk.CallingModule(ctx)}, err
		}),
	})
	if s.register != nil {
		s.register(r)
	}
	return nil
}

func (s *seats) Start(_ context.Context, h *sdk.Host) error {
	s.host = h
	return s.started
}

func (s *seats) Stop(context.Context) error {
	s.stopped++
	return nil
}

// about responds with the caller and the module's settings.
func (s *seats) about(w http.ResponseWriter, r *http.Request) {
	token, err := s.host.Secret(r.Context(), "apiToken")
	if err != nil {
		panic(err)
	}
	writes, err := s.host.Can(r.Context(), "seats.write")
	if err != nil {
		panic(err)
	}
	s.host.Log.Warn("asked", "rows", s.host.Config.Integer("rows"))
	_ = json.NewEncoder(w).Encode([]any{sdk.Principal(r.Context()), writes, s.host.Config.String("title"),
		s.host.Config.Integer("rows"), token})
}

func options() sdktest.Options {
	return sdktest.Options{
		Folder:        "testdata/seats",
		Configuration: map[string]any{"title": "Nave"},
		Secrets:       map[string]string{"apiToken": "marked"},
	}
}

// whoIs is a sdk.Caller without a link, as JSON.
func whoIs(kind, userID, deviceID string) string {
	return fmt.Sprintf(`{"Kind":%q,"UserID":%q,"DeviceID":%q,"LinkID":"","Subject":""}`, kind, userID, deviceID)
}

func TestCallers(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &seats{}, options())
	for _, c := range []struct {
		name   string
		caller *sdktest.Caller
		want   string
	}{
		{"a person", m.Person(), `200 [` + whoIs("authenticated", "person-0", "") + `,false,"Nave",7,"marked"]`},
		{"a person with a grant", m.Person("seats.write"),
			`200 [` + whoIs("authenticated", "person-1", "") + `,true,"Nave",7,"marked"]`},
		{"the owner", m.Owner(), `200 [` + whoIs("authenticated", "owner-2", "") + `,true,"Nave",7,"marked"]`},
		{"a screen", m.Device("seats.read"),
			`200 [` + whoIs("device", "", "device-3") + `,false,"Nave",7,"marked"]`},
		{"a screen without a grant", m.Device(), `403 {"code":"PERMISSION_DENIED"}`},
		{"nobody", m.Visitor(), `401 {"code":"AUTHENTICATION_REQUIRED"}`},
	} {
		if got := strings.TrimSpace(c.caller.Do("GET", "/about", nil).String()); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := m.Logs(); len(got) != 4 || got[0].String() != "warn asked map[rows:7]" {
		t.Errorf("Logs: number of got %v, want %v; want got[0].String() to be %v",
			len(got), 4, "warn asked map[rows:7]")
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &seats{}, options())
	office := m.Person("seats.write")
	long := strings.Repeat("x", 1<<20)
	foreign := office.Request("POST", "/seats", strings.NewReader(`{}`))
	foreign.Header.Set("Origin", "https://elsewhere.example.org")
	for _, c := range []struct {
		name string
		got  *sdktest.Response
		want string
	}{
		{"a value", office.Do("POST", "/seats", map[string]string{"name": "a"}), "201 "},
		{"text", office.Do("POST", "/seats", `{"name":"b"}`), "201 "},
		{"too long", office.Do("POST", "/seats", strings.Repeat("x", 65)), `413 {"code":"REQUEST_BODY_TOO_LARGE"}`},
		{"another page's", office.Send(foreign), `403 {"code":"ORIGIN_NOT_TRUSTED"}`},
		{"a streamed body there and back", office.Do("POST", "/plan", long), "200 " + long},
		{"a panic", office.Do("GET", "/panic", nil), `500 {"code":"MODULE_HANDLER_FAILED"}`},
		{"no route", office.Do("GET", "/nothing", nil), `404 {"code":"NOT_FOUND"}`},
	} {
		if got := c.got.String(); got != c.want {
			t.Errorf("%s: %.200s, want %.200s", c.name, got, c.want)
		}
	}
	var free struct {
		Count int
		For   string
	}
	if err := m.Ask("stage", "seats.free", "count", "b", &free); err != nil || free.Count != 1 ||
		free.For != "stage" {
		t.Errorf("Ask: error %v, want none; count %v, want %v; for %.200q, want %.200q",
			err, free.Count, 1, free.For, "stage")
	}
	if err := m.Ask("stage", "seats.free", "more", nil, nil); !errors.Is(err, sdk.ErrCapabilityFailed) {
		t.Errorf("Ask: error %v, want %v", err, sdk.ErrCapabilityFailed)
	}
}

// TestDependencies: stand-ins are called by the same rules as real modules.
func TestDependencies(t *testing.T) {
	t.Parallel()
	module, with := &seats{}, options()
	with.Capabilities = map[string]sdk.Methods{
		"stage.services": {"next": sdk.Func(func(_ context.Context, after string) (string,
			error) {
			return "after " + after, nil
		})},
		"base.anything": {"next": sdk.Func(func(context.Context, any) (any, error) { return nil, nil })},
	}
	sdktest.Start(t, module, with)
	var next string
	for capability, want := range map[string]error{
		"stage.services": nil, "mailing.lists": sdk.ErrCapabilityAbsent, "base.anything": sdk.ErrCapabilityFailed,
	} {
		if err := module.host.Capability(capability).Call(t.Context(), "next", "noon", &next); !errors.Is(err,
			want) {
			t.Errorf("Call: error %v, want %v; capability %v", err, want, capability)
		}
	}
	if next != "after noon" {
		t.Error(next)
	}
}

// recordingT is a testing.TB that records the message with which it is failed.
type recordingT struct {
	testing.TB
	words chan string
}

func (r recordingT) Helper() {}
func (r recordingT) Fatal(args ...any) {
	r.words <- fmt.Sprint(args...)
	panic(r)
}
func (r recordingT) Fatalf(format string, args ...any) {
	r.Fatal(fmt.Sprintf(format, args...))
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		alter  func(*seats, *sdktest.Options)
		wanted string
	}{
		{"no manifest", func(_ *seats, o *sdktest.Options) { o.Folder = "testdata" }, "MANIFEST_MISSING"},
		{"a key that is missing", func(_ *seats, o *sdktest.Options) { o.Configuration = nil },
			"title is required"},
		{"a value out of range", func(_ *seats, o *sdktest.Options) { o.Configuration["rows"] = 100 },
			"does not accept 100"},
		{"a key that is misspelt", func(_ *seats, o *sdktest.Options) { o.Configuration["tittle"] = "x" },
			"has tittle"},
		{"a secret among the settings", func(_ *seats, o *sdktest.Options) { o.Configuration["apiToken"] = "x" },
			"has apiToken"},
		{"an undeclared permission", func(s *seats, _ *sdktest.Options) {
			s.register = func(r *sdk.Registry) { r.Handle("GET /x", "seats.other", sdk.NoBody, s.about) }
		}, "MODULE_REGISTER_FAILED: route GET /x"},
		{"an undeclared capability", func(s *seats, _ *sdktest.Options) {
			s.register = func(r *sdk.Registry) { r.Provide("seats.other", nil) }
		}, `MODULE_REGISTER_FAILED: capability "seats.other"`},
		{"one twice", func(s *seats, _ *sdktest.Options) {
			s.register = func(r *sdk.Registry) { r.Provide("seats.free", nil) }
		}, "METHOD_REGISTER failed: FAILED"},
		{"a failed start", func(s *seats, _ *sdktest.Options) { s.started = errors.New("no") },
			"METHOD_START failed: FAILED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			module, with := &seats{}, options()
			c.alter(module, &with)
			r := recordingT{t, make(chan string, 1)}
			func() {
				defer func() { _ = recover() }()
				sdktest.Start(r, module, with)
			}()
			close(r.words) // no message: the module was accepted
			if got := <-r.words; !strings.Contains(got, c.wanted) {
				t.Errorf("Start failed the test with %q, want it to contain %q", got, c.wanted)
			}
		})
	}
}

// TestCallsAtOnce: eight calls to other modules run at once, the ninth waits in the module, and the database
// can be used meanwhile.
func TestCallsAtOnce(t *testing.T) {
	t.Parallel()
	const most = 8
	var running atomic.Int32
	entered, leave := make(chan int32, 4*most), make(chan struct{})
	module, with := &seats{}, options()
	with.Capabilities = map[string]sdk.Methods{"stage.services": {"wait": func(context.Context, []byte) (any,
		error) {
		entered <- running.Add(1)
		<-leave
		running.Add(-1)
		return nil, nil
	}}}
	sdktest.Start(t, module, with)
	ended := make(chan error, 3*most)
	for range 3 * most {
		go func() { ended <- module.host.Capability("stage.services").Call(t.Context(), "wait", nil, nil) }()
	}
	for range most {
		<-entered
	}
	if _, err := module.host.DB.Exec(t.Context(), `INSERT INTO seats (name) VALUES ('a')`); err != nil {
		t.Error(err)
	}
	close(leave)
	for range 3 * most {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	close(entered)
	for at := range entered {
		if at > most {
			t.Errorf("%d calls at once, want at most %d", at, most)
		}
	}
}

// TestCallEnds: when the caller's context ends, the provider's call ends too, and the caller gets its
// context's error.
func TestCallEnds(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	module, with := &seats{}, options()
	with.Capabilities = map[string]sdk.Methods{"stage.services": {"wait": func(ctx context.Context,
		_ []byte) (any, error) {
		leave()
		<-ctx.Done()
		left <- ctx.Err()
		return nil, ctx.Err()
	}}}
	sdktest.Start(t, module, with)
	if err := module.host.Capability("stage.services").Call(ctx, "wait", nil, nil); !errors.Is(err,
		context.Canceled) {
		t.Errorf("Call: error %v, want %v", err, context.Canceled)
	}
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Error("it was held to its end: ", err)
	}
}

// TestCallSizes: 256 KiB of JSON in each direction are accepted and no more.
func TestCallSizes(t *testing.T) {
	t.Parallel()
	const most = 256<<10 - 2 // and two quotation marks
	module, with := &seats{}, options()
	with.Capabilities = map[string]sdk.Methods{"stage.services": {
		"length": sdk.Func(func(_ context.Context, in string) (int, error) { return len(in), nil }),
		"make": sdk.Func(func(_ context.Context, length int) (string, error) {
			return strings.Repeat("x", length),
				nil
		}),
	}}
	sdktest.Start(t, module, with)
	stage := module.host.Capability("stage.services")
	var length int
	if err := stage.Call(t.Context(), "length", strings.Repeat("x", most), &length); err != nil ||
		length != most {
		t.Errorf("stage.Call: error %v, want none; length %v, want %v", err, length, most)
	}
	var made string
	if err := stage.Call(t.Context(), "make", most, &made); err != nil || len(made) != most {
		t.Errorf("stage.Call: error %v, want none; number of made %v, want %v", err, len(made), most)
	}
	for method, in := range map[string]any{
		"length": strings.Repeat("x", most+1), "make": most + 1, "nothing": nil,
	} {
		if err := stage.Call(t.Context(), method, in, nil); !errors.Is(err, sdk.ErrCapabilityFailed) {
			t.Errorf("%v: stage.Call: error %v, want %v", method, err, sdk.ErrCapabilityFailed)
		}
	}
	if err := stage.Call(t.Context(), "make", 1, &length); !errors.Is(err, sdk.ErrCapabilityFailed) {
		t.Error("a string was decoded into a number: ", err)
	}
	if err := stage.Call(t.Context(), "length", func() {}, nil); !errors.Is(err, sdk.ErrCapabilityFailed) {
		t.Error("a function was sent: ", err)
	}
}
