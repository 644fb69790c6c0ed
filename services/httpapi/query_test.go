package httpapi_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
)

func TestQuery(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]map[string]string{
		"":                    {},
		"query=a%20b":         {"query": "a b"},
		"limit=5&query=x":     {"limit": "5", "query": "x"},
		"query=":              nil,
		"query":               nil,
		"query=a&query=a":     nil,
		"Query=a":             nil,
		"query=%zz":           nil,
		"query=a;limit=5":     nil,
		"query=a&unknown=b":   nil,
		"query=a&limit=5&x=1": nil,
	} {
		got, err := httpapi.Query(raw, "query", "limit")
		if (want == nil) != errors.Is(err, httpapi.ErrRequest) || !maps.Equal(got, want) {
			t.Errorf("Query(%q): got %v, %v; want %v", raw, got, err, want)
		}
	}
}

func TestQueryRepeating(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][]string{
		"":                    {},
		"id=b&limit=5&id=a":   {"b", "a"},
		"id=a&id=a&id=c":      {"a", "a", "c"},
		"id=a&id=b&id=c&id=d": nil, // one too many
		"id=":                 nil,
		"id=a&id":             nil,
		"id=a&limit=5&limit=": nil,
		"id=a&unknown=b":      nil,
		"ID=a":                nil,
	} {
		sent, got, err := httpapi.QueryRepeating("id", 3, raw, "limit")
		if (want == nil) != errors.Is(err, httpapi.ErrRequest) || want != nil && !slices.Equal(got, want) ||
			sent["id"] != "" {
			t.Errorf("QueryRepeating(%q): got %v, %v, %v; want %v", raw, sent, got, err, want)
		}
	}
}

func TestPageLimit(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]int{"": 50, "1": 1, "200": 200, "0": 0, "201": 0, "-1": 0, "+5": 0,
		"05": 0, "5.0": 0, " 5": 0, "x": 0} {
		if got, err := httpapi.PageLimit(sent); got != want || (want == 0) != errors.Is(err, httpapi.ErrRequest) {
			t.Errorf("PageLimit(%q): got %d, %v; want %d", sent, got, err, want)
		}
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 2*60*60)
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_999_999, zone)
	if got := httpapi.Time(at); got != "2026-01-02T01:04:05.678Z" {
		t.Errorf("Time: got %s, want 2026-01-02T01:04:05.678Z", got)
	}
}
