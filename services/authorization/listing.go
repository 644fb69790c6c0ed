package authorization

import (
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
)

const maxPermissionLength = 200 // characters; no declared id is longer

// query is the request of GET /api/v1/grants.
type query struct {
	userID       string     // empty: everybody
	permissionID string     // empty: every permission
	at           *time.Time // nil: all; otherwise the grants in force at this millisecond
	limit        int
	below        store.Place
}

const cursorVersion = 1

// top is above every grant, and the database can still represent it.
func top() store.Place { return store.Place{At: time.UnixMicro(math.MaxInt64), ID: uuid.Max} }

// page is the response.
type page struct {
	Grants     []grant `json:"grants"`
	NextCursor *string `json:"nextCursor"`
}

// parseQuery refuses unknown, repeated, empty and malformed parameters. It accepts a permission that no
// module declares now, because grants outlive modules.
func parseQuery(raw string) (query, error) {
	q := query{below: top()}
	sent, err := httpapi.Query(raw, "userId", "permissionId", "at", "limit", "cursor")
	if err != nil {
		return q, err
	}
	if q.limit, err = httpapi.PageLimit(sent["limit"]); err != nil {
		return q, err
	}
	q.userID, q.permissionID = sent["userId"], sent["permissionId"]
	if _, ok := parseID(q.userID); q.userID != "" && !ok {
		return q, httpapi.ErrRequest
	}
	if q.permissionID != "" && !plausiblePermission(q.permissionID) {
		return q, httpapi.ErrRequest
	}
	if text := sent["at"]; text != "" {
		at, ok := httpapi.ParseTime(text)
		if !ok {
			return q, httpapi.ErrRequest
		}
		q.at = &at
	}
	if cursor := sent["cursor"]; cursor != "" {
		var ok bool
		if q.below, ok = store.ParsePlace(cursorVersion, cursor); !ok {
			return q, httpapi.ErrRequest
		}
	}
	return q, nil
}

func plausiblePermission(id string) bool {
	return utf8.ValidString(id) && utf8.RuneCountInString(id) <= maxPermissionLength &&
		!strings.ContainsFunc(id, unicode.IsControl)
}

// pageOf makes a page from the grants that the store found. If there is a next page, the store returns one
// grant more than limit.
func pageOf(found []grant, limit int) page {
	if len(found) <= limit {
		return page{Grants: found}
	}
	found = found[:limit]
	last := found[limit-1]
	id, _ := parseID(last.ID)
	next := store.Place{At: time.Time(last.CreatedAt), ID: id}.Cursor(cursorVersion)
	return page{found, &next}
}
