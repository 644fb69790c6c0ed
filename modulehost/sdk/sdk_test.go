package sdk_test

import (
	"errors"
	"net/http"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// TestRegistration: the registration does not depend on the order of the declarations, because the platform
// refuses a process whose registration differs from the first one's.
func TestRegistration(t *testing.T) {
	nothing := func(http.ResponseWriter, *http.Request) {}
	declarations := []func(r *sdk.Registry){
		func(r *sdk.Registry) { r.Handle("GET /slides/{id}", "seats.read", sdk.NoBody, nothing) },
		func(r *sdk.Registry) { r.Handle("POST /slides", "seats.write", sdk.Buffered(16<<10), nothing) },
		func(r *sdk.Registry) { r.Handle("GET /slides", "seats.read", sdk.NoBody, nothing) },
	}
	want := &abi.RegisterResponse{Abi: abi.Version, SdkVersion: sdk.Version, Routes: []*abi.Route{
		{Method: "GET", Path: "/slides", Permission: "seats.read", AnyBytes: true},
		{Method: "POST", Path: "/slides", Permission: "seats.write", MaxBodyBytes: 16 << 10, AnyBytes: true},
		{Method: "GET", Path: "/slides/{id}", Permission: "seats.read", AnyBytes: true},
	}}
	for range declarations {
		p := serve(t, &module{register: func(r *sdk.Registry) {
			for _, declare := range declarations {
				declare(r)
			}
		}})
		var got abi.RegisterResponse
		if err := p.call(abi.Method_METHOD_REGISTER, &abi.RegisterRequest{}, &got); err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(&got, want) {
			t.Errorf("registered %v, want %v", &got, want)
		}
		declarations = append(declarations[1:], declarations[0])
	}
}

func TestVersionsAreOne(t *testing.T) {
	if sdk.Version != abi.PlatformVersion {
		t.Errorf("SDK version %s, want the platform's %s", sdk.Version, abi.PlatformVersion)
	}
}

func TestConfiguration(t *testing.T) {
	m := &module{}
	serve(t, m).started()
	got := m.host.Config
	if got.String("title") != "Foyer" || got.Integer("seconds") != 1<<53 || !got.Boolean("loud") ||
		got.Boolean("quiet") {
		t.Errorf("configuration %v, want title Foyer, seconds 2^53, loud and not quiet", got)
	}
	if !got.Has("quiet") || got.Has("unset") || got.String("unset") != "" || got.Integer("unset") != 0 ||
		got.Boolean("unset") {
		t.Error("a key without a value")
	}
	defer func() {
		if recover() == nil {
			t.Error("a value of another type was answered")
		}
	}()
	got.Integer("title")
}

func TestBadPatternFailsTheRegistration(t *testing.T) {
	p := serve(t, &module{register: func(r *sdk.Registry) {
		r.Handle("/slides", "seats.read", sdk.NoBody,
			nil)
	}})
	if err := p.call(abi.Method_METHOD_REGISTER, &abi.RegisterRequest{}, &abi.RegisterResponse{}); err == nil {
		t.Error("accepted")
	}
}

// TestProbe: the probe marks its route, declared before or after it; a probe that is no route, or a second
// one, fails the registration.
func TestProbe(t *testing.T) {
	nothing := func(http.ResponseWriter, *http.Request) {}
	for _, row := range []struct {
		probes []string
		marked bool
	}{
		{nil, false},
		{[]string{"GET /slides"}, true},
		{[]string{"GET /slide"}, false},
		{[]string{"GET /slides", "GET /slides"}, false},
	} {
		p := serve(t, &module{register: func(r *sdk.Registry) {
			for _, probe := range row.probes {
				r.Probe(probe)
			}
			r.Handle("GET /slides", "seats.read", sdk.NoBody, nothing)
		}})
		var got abi.RegisterResponse
		err := p.call(abi.Method_METHOD_REGISTER, &abi.RegisterRequest{}, &got)
		if accepted := row.marked || row.probes == nil; (err == nil) != accepted {
			t.Errorf("probes %q: error %v, accepted %v wanted", row.probes, err, accepted)
		} else if err == nil && got.GetRoutes()[0].GetProbe() != row.marked {
			t.Errorf("probes %q: registered %v, want the route marked: %v", row.probes, &got, row.marked)
		}
	}
}

func TestCanOutsideARequest(t *testing.T) {
	m := &module{}
	serve(t, m).started()
	if _, err := m.host.Can(t.Context(), "seats.read"); !errors.Is(err, sdk.ErrOutsideRequest) {
		t.Errorf("Can: error %v, want %v", err, sdk.ErrOutsideRequest)
	}
}

func TestStopThenHangUpEndsServe(t *testing.T) {
	m := &module{}
	p := serve(t, m).started()
	if err := p.call(abi.Method_METHOD_STOP, &abi.StopRequest{}, &abi.StopResponse{}); err != nil {
		t.Fatal(err)
	}
	_ = p.client.Close()
	if err := <-p.served; err != nil || m.stopped != 1 {
		t.Errorf("Serve: error %v, want none; stopped %d times, want once", err, m.stopped)
	}
}
