package httpapi

import (
	"net/url"
	"slices"
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
