package authorization_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/httpapi"
)

var (
	canonicalID = regexp.MustCompile(`\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\z`)
	timeShape   = regexp.MustCompile(`\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\z`)
	cursorShape = regexp.MustCompile(`\A[A-Za-z0-9_-]{34}\z`)
)

func FuzzID(f *testing.F) {
	for _, seed := range []string{
		unknownID, "ffffffff-ffff-ffff-ffff-ffffffffffff", "FFFFFFFF-ffff-ffff-ffff-ffffffffffff",
		"00000000000040008000000000000000",
		"{00000000-0000-4000-8000-000000000000}", "urn:uuid:00000000-0000-4000-8000-000000000000", "",
		"00000000-0000-4000-8000-00000000000\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := authorization.ParseID(text), canonicalID.MatchString(text); got != want {
			t.Errorf("ParseID(%q): %v, want %v", text, got, want)
		}
	})
}

func FuzzTime(f *testing.F) {
	for _, seed := range []string{
		"2026-01-02T03:04:05.678Z", "2024-02-29T23:59:59.999Z", "2023-02-29T00:00:00.000Z",
		"0000-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z",
		"9999-12-31T23:59:59.999Z", "2026-01-02T24:00:00.000Z", "2026-01-02T03:04:60.000Z",
		"2026-01-02T03:04:05,678Z", "2026-01-02T03:04:05Z", "2026-13-01T00:00:00.000Z",
		"2026-01-02T03:04:05.678+00:00", "2026-00-00T00:00:00.000Z", "1900-02-29T00:00:00.000Z",
		"2000-02-29T00:00:00.000Z",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, ok := httpapi.ParseTime(text)
		if want := timeShape.MatchString(text) && isDate(text); ok != want {
			t.Fatalf("ParseTime(%q): %v, want %v", text, ok, want)
		}
		if ok && at.Format("2006-01-02T15:04:05.000Z07:00") != text {
			t.Errorf("ParseTime(%q): %v, want the same instant in the same format", text, at)
		}
	})
}

// isDate checks the date with independent code. text has the format of a time.
func isDate(text string) bool {
	number := func(from, to int) (n int) {
		for _, digit := range text[from:to] {
			n = 10*n + int(digit-'0')
		}
		return n
	}
	year, month, day := number(0, 4), number(5, 7), number(8, 10)
	if year == 0 || month < 1 || month > 12 || number(11, 13) > 23 || number(14, 16) > 59 ||
		number(17, 19) > 59 {
		return false
	}
	days := []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
	if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		days = 29
	}
	return day >= 1 && day <= days
}

func FuzzCursor(f *testing.F) {
	good := authorization.CursorAt(time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC), unknownID)
	for _, seed := range []string{good, good + "=", good + "\n", good[1:], "", "AQ", good[:33] + "_"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		again, err := authorization.Reencoded(text)
		if err == nil && (again != text || !cursorShape.MatchString(text)) {
			t.Errorf("%q and %q are one position", text, again)
		}
		if err != nil && err.Error() != "REQUEST_INVALID" {
			t.Errorf("cursor %q: error %v, want REQUEST_INVALID", text, err)
		}
	})
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"", "limit=50", "userId=" + unknownID + "&permissionId=a.b", "cursor=AQ", "limit=1&limit=2", "a;b", "%zz",
		"permissionId=%FF",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if err := authorization.ParseQuery(raw); err != nil && err.Error() != "REQUEST_INVALID" {
			t.Errorf("query %q: error %v, want none or REQUEST_INVALID", raw, err)
		}
	})
}

// A cursor keeps its position to the microsecond.
func TestCursorRoundTrip(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	seen := make(map[string]bool)
	for i := range 3 {
		for _, id := range []string{unknownID, "ffffffff-ffff-4fff-8fff-ffffffffffff"} {
			cursor := authorization.CursorAt(at.Add(time.Duration(i)*time.Microsecond), id)
			again, err := authorization.Reencoded(cursor)
			if err != nil || again != cursor || seen[cursor] {
				t.Errorf("cursor %s: read and written again %s, want the same, and one of its own; error %v",
					cursor, again, err)
			}
			seen[cursor] = true
		}
	}
}
