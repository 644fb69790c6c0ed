package store_test

import (
	"bytes"
	"encoding/base64"
	"math"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/store"
)

// TestPlaceKeepsItsMicrosecond checks the limits of times and that no cursor of another version is accepted.
func TestPlaceKeepsItsMicrosecond(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("0198c0de-0000-7000-8000-00000000abcd")
	for at, want := range map[time.Time]bool{
		time.Date(2026, 11, 27, 3, 0, 0, 123_456_000, time.UTC):         true,
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC):                        true,
		time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC):      true,
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Microsecond): false,
		time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC):                   false,
		time.UnixMicro(math.MaxInt64):                                   false,
	} {
		cursor := store.Place{At: at, ID: id}.Cursor(1)
		if place, ok := store.ParsePlace(1, cursor); ok != want || ok && (place.At != at || place.ID != id) {
			t.Errorf("ParsePlace of a cursor at %v: %v, %v, want the same and %v", at, place, ok, want)
		}
		if _, ok := store.ParsePlace(2, cursor); ok {
			t.Errorf("a cursor of version 1 is accepted as one of version 2")
		}
	}
	for name, text := range map[string]string{"": "", "no base64": "!", "a version alone": "AQ",
		"too long": store.Cursor(1, make([]byte, 25)), "too short": store.Cursor(1, make([]byte, 23))} {
		if _, ok := store.ParsePlace(1, text); ok {
			t.Errorf("ParsePlace of %s: accepted, want it refused", name)
		}
	}
}

// FuzzCursor: a position has one cursor.
func FuzzCursor(f *testing.F) {
	f.Add(store.Cursor(1, []byte("position")))
	f.Add(store.Cursor(1, nil) + "\n")
	f.Add(base64.URLEncoding.EncodeToString([]byte{1, 2}))
	f.Fuzz(func(t *testing.T, text string) {
		position, ok := store.ParseCursor(1, text)
		if ok && store.Cursor(1, position) != text {
			t.Errorf("%q is accepted although its position has the cursor %q", text, store.Cursor(1, position))
		}
		again, ok := store.ParseCursor(1, store.Cursor(1, []byte(text)))
		if !ok || !bytes.Equal(again, []byte(text)) {
			t.Errorf("the position %q comes back as %q, %v", text, again, ok)
		}
	})
}
