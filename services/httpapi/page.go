package httpapi

import (
	"strconv"
	"strings"
)

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
