package httpapi

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Query reads the query parameters of a listing: each must be allowed, not empty, and sent once. Everything
// else is ErrRequest. The map contains the parameters that were sent.
func Query(rawQuery string, allowed ...string) (map[string]string, error) {
	sent, _, err := QueryRepeating("", 0, rawQuery, allowed...)
	return sent, err
}

// QueryRepeating is Query for a listing with one parameter that may be sent up to limit times, each time not
// empty. Its values are in repeated, in the order in which they were sent.
func QueryRepeating(name string, limit int, rawQuery string, allowed ...string) (
	sent map[string]string, repeated []string, err error,
) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return nil, nil, ErrRequest
	}
	if limit > 0 {
		repeated = values[name]
		delete(values, name)
	}
	if len(repeated) > limit || slices.Contains(repeated, "") {
		return nil, nil, ErrRequest
	}
	sent = make(map[string]string, len(values))
	for name, all := range values {
		if !slices.Contains(allowed, name) || len(all) != 1 || all[0] == "" {
			return nil, nil, ErrRequest
		}
		sent[name] = all[0]
	}
	return sent, repeated, nil
}

// The size of one page of a listing.
const (
	defaultPage = 50
	maxPage     = 200
)

// PageLimit reads a limit parameter: 1 to 200 in decimal digits without a leading zero, and 50 when it is
// absent. Anything else is ErrRequest.
func PageLimit(sent string) (int, error) {
	if sent == "" {
		return defaultPage, nil
	}
	limit, err := strconv.Atoi(sent)
	if err != nil || limit < 1 || limit > maxPage || strings.HasPrefix(sent, "0") ||
		strings.HasPrefix(sent, "+") {
		return 0, ErrRequest
	}
	return limit, nil
}
