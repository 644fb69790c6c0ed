package main

import (
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestReadsAskLittle counts what the list and a screen's snapshot ask for.
func TestReadsAskLittle(t *testing.T) {
	t.Parallel()
	a := &announcements{}
	m := sdktest.Start(t, a, sdktest.Options{})
	office := m.Person(manageSlides)
	office.Do("POST", "/slides", `{"title":"Shared lunch"}`)
	for name, read := range map[string]func(){
		"the list of an office": func() { office.Do("GET", "/slides", nil) },
		"the list of a reader":  func() { m.Person().Do("GET", "/slides", nil) },
		"a tile":                func() { office.Do("GET", "/latest", nil) },
		"a screen": func() {
			if _, err := a.snapshot(t.Context()); err != nil {
				t.Error(err)
			}
		},
	} {
		calls := m.Count(read)
		if calls.Statements == 0 || calls.Statements > 2 || calls.Exchanges != 1 || len(calls.Capabilities) != 0 {
			t.Errorf("%s asked for %+v, want two statements in one exchange", name, calls)
		}
	}
}
