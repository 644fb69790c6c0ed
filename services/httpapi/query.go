package httpapi

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Query reads the query parameters of a listing: each at most once, none that is not allowed, none empty, all valid. Everything else is
// ErrRequest (contract.md §3). The map has what was sent.
func Query(rawQuery string, allowed ...string) (map[string]string, error) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return nil, ErrRequest
	}
	sent := make(map[string]string, len(values))
	for name, all := range values {
		if !slices.Contains(allowed, name) || len(all) != 1 || all[0] == "" {
			return nil, ErrRequest
		}
		sent[name] = all[0]
	}
	return sent, nil
}

// The size of a page of a listing (contract.md §3).
const (
	defaultPage = 50
	maxPage     = 200
)

// PageLimit reads a limit parameter: 1 to 200 in plain digits, 50 when it was not sent. Else ErrRequest.
func PageLimit(sent string) (int, error) {
	if sent == "" {
		return defaultPage, nil
	}
	limit, err := strconv.Atoi(sent)
	if err != nil || limit < 1 || limit > maxPage || strings.HasPrefix(sent, "0") || strings.HasPrefix(sent, "+") {
		return 0, ErrRequest
	}
	return limit, nil
}
