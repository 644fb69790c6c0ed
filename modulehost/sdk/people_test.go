package sdk_test

import (
	"context"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// TestPeopleAreDeclaredOnce: both functions are registered, and declaring one twice is an error.
func TestPeopleAreDeclaredOnce(t *testing.T) {
	forget := func(context.Context, string) error { return nil }
	export := func(context.Context, string) (any, error) { return strings.Repeat("x", 3<<20), nil }
	p := serve(t, &module{register: func(r *sdk.Registry) {
		r.PersonErased(forget)
		r.PersonExport(export)
	}})
	var got abi.RegisterResponse
	if err := p.call(abi.Method_METHOD_REGISTER, &abi.RegisterRequest{}, &got); err != nil ||
		!got.GetPersonErased() || !got.GetPersonExport() {
		t.Errorf("registered %v, error %v, want both", &got, err)
	}
	// The SDK keeps at most four exports open, so that a platform that abandons them cannot fill its memory.
	for n := range 5 {
		var piece abi.PersonExportResponse
		err := p.call(abi.Method_METHOD_PERSON_EXPORT, &abi.PersonExportRequest{UserId: "anna"}, &piece)
		begun := err == nil && piece.GetExport() != 0 && len(piece.GetData()) == 1<<20
		if begun != (n < 4) {
			t.Errorf("export %d: %d bytes, number %d, error %v", n+1, len(piece.GetData()), piece.GetExport(), err)
		}
	}
	if err := p.call(abi.Method_METHOD_PERSON_EXPORT, &abi.PersonExportRequest{UserId: "anna", Export: 9},
		&abi.PersonExportResponse{}); err == nil {
		t.Errorf("an export that was never begun goes on")
	}
	for _, twice := range []func(r *sdk.Registry){
		func(r *sdk.Registry) { r.PersonErased(forget); r.PersonErased(forget) },
		func(r *sdk.Registry) { r.PersonExport(export); r.PersonExport(export) },
	} {
		p := serve(t, &module{register: twice})
		if err := p.call(abi.Method_METHOD_REGISTER, &abi.RegisterRequest{}, &got); err == nil {
			t.Errorf("a second declaration is accepted")
		}
	}
	p = serve(t, &module{register: func(*sdk.Registry) {}})
	if err := p.call(abi.Method_METHOD_PERSON_ERASED, &abi.PersonErasedRequest{UserId: "anna"},
		&abi.PersonErasedResponse{}); err == nil {
		t.Errorf("a module that declared nothing forgets a person")
	}
}
