package authorization

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	defaultLimit = 50
	maxLimit     = 200

	maxPermissionLength = 200 // characters of a filter; no declared id is longer
)

// query is what GET /api/v1/grants was asked.
type query struct {
	userID       string // empty: of everybody
	permissionID string // empty: every permission
	limit        int
	below        position
}

// page is its answer.
type page struct {
	Grants     []grant `json:"grants"`
	NextCursor *string `json:"nextCursor"`
}

// parseQuery refuses unknown, repeated, empty and malformed parameters. A permission that nobody declares is no error: the history
// outlives the module.
func parseQuery(raw string) (query, error) {
	q := query{limit: defaultLimit, below: top()}
	parameters, err := url.ParseQuery(raw)
	if err != nil {
		return q, httpapi.ErrRequest
	}
	for name, values := range parameters {
		if len(values) != 1 || !q.set(name, values[0]) {
			return q, httpapi.ErrRequest
		}
	}
	return q, nil
}

func (q *query) set(name, value string) (ok bool) {
	switch name {
	case "userId":
		q.userID = value
		_, ok = parseID(value)
	case "permissionId":
		q.permissionID = value
		ok = plausiblePermission(value)
	case "limit":
		n, err := strconv.Atoi(value)
		q.limit = n
		ok = err == nil && strconv.Itoa(n) == value && n >= 1 && n <= maxLimit
	case "cursor":
		below, err := parseCursor(value)
		q.below = below
		ok = err == nil
	}
	return ok
}

func plausiblePermission(id string) bool {
	return id != "" && utf8.ValidString(id) && utf8.RuneCountInString(id) <= maxPermissionLength && !strings.ContainsFunc(id, unicode.IsControl)
}

// cut makes a page of what the store found, which is one grant more than the page holds if there is a next one.
func cut(found []grant, limit int) page {
	if len(found) <= limit {
		return page{Grants: found}
	}
	found = found[:limit]
	last := found[limit-1]
	id, _ := parseID(last.ID)
	next := position{time.Time(last.CreatedAt), id}.cursor()
	return page{found, &next}
}
