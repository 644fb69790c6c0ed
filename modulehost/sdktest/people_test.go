package sdktest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// choir stores the voices of people.
type choir struct {
	posters
	voices map[string]string
	broken bool
}

func (c *choir) Register(r *sdk.Registry) error {
	r.PersonErased(func(_ context.Context, userID string) error {
		if c.broken {
			return errors.New("not now")
		}
		delete(c.voices, userID)
		return nil
	})
	r.PersonExport(func(_ context.Context, userID string) (any, error) { return c.voices[userID], nil })
	return c.posters.Register(r)
}

func TestEraseAndExport(t *testing.T) {
	t.Parallel()
	c := &choir{voices: map[string]string{}, broken: true}
	m := sdktest.Start(t, c, sdktest.Options{Folder: "testdata/posters"})
	const piece = 1 << 20
	for _, length := range []int{0, 1, piece - 2, piece - 1, 3*piece - 2, 8*piece - 2} { // JSON adds 2
		c.voices["anna"] = strings.Repeat("x", length)
		var got string
		if err := m.Export("anna", &got); err != nil || got != c.voices["anna"] {
			t.Errorf("export of %d bytes: %d bytes, error %v, want the same and none", length, len(got), err)
		}
	}
	for _, length := range []int{8*piece - 1, 20 * piece} {
		c.voices["anna"] = strings.Repeat("x", length)
		var got string
		if err := m.Export("anna", &got); err == nil {
			t.Errorf("export of %d bytes: %d bytes, want an error: the platform takes 8 MiB", length, len(got))
		}
	}
	c.voices["anna"] = "bass"
	if err := m.Erase("anna"); err == nil || c.voices["anna"] == "" {
		t.Errorf("Erase by a module that fails: error %v, keeps %q, want an error and the voice", err,
			c.voices["anna"])
	}
	c.broken = false
	for range 2 { // the platform may notify it twice
		if err := m.Erase("anna"); err != nil || c.voices["anna"] != "" {
			t.Errorf("Erase: error %v, keeps %q, want neither", err, c.voices["anna"])
		}
	}
}

func TestEraseOfAModuleThatDidNotAsk(t *testing.T) {
	t.Parallel()
	for _, do := range []func(m *sdktest.Module){
		func(m *sdktest.Module) { _ = m.Erase("anna") },
		func(m *sdktest.Module) { _ = m.Export("anna", nil) },
	} {
		got := failure(t, func(t testing.TB) {
			_, m := startPosters(t)
			do(m)
		})
		if !strings.Contains(got, "the module did not declare Person") {
			t.Errorf("the test failed with %q, want that the module did not declare it", got)
		}
	}
}
