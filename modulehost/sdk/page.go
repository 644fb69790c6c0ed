package sdk

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// Query reads the query parameters of a route. Each must be among allowed, not empty, UTF-8, and occur once;
// everything else is ErrRequestInvalid. The map contains the parameters of the request.
func Query(r *http.Request, allowed ...string) (map[string]string, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, invalid("the query cannot be read: %.100s", err)
	}
	sent := make(map[string]string, len(values))
	for name, all := range values {
		switch {
		case !slices.Contains(allowed, name):
			return nil, invalid("the route does not know the query parameter %.60q; it knows %s", name,
				cmp.Or(strings.Join(allowed, ", "), "none"))
		case len(all) != 1:
			return nil, invalid("the query parameter %q occurs %d times", name, len(all))
		case all[0] == "" || !utf8.ValidString(all[0]):
			return nil, invalid("the query parameter %q is empty or not UTF-8", name)
		}
		sent[name] = all[0]
	}
	return sent, nil
}

// The size of one page of a list.
const (
	defaultPage = 50
	maxPage     = 200
)

// PageOf describes the part of a list that a caller requests. P is a position in the list's order: a struct
// with json tags of exactly the columns of its ORDER BY.
type PageOf[P any] struct {
	Limit int               // 1 to 200; 50 by default
	After *P                // the last row of the previous page; nil: the beginning
	Query map[string]string // the further parameters of the request
}

// ReadPage reads limit, cursor and the further parameters of a list, by the platform's own rules: an unknown
// parameter is ErrRequestInvalid, and so is a cursor that was made for another P. A cursor is not signed, and
// a forged one selects another page of the same list. So the list itself must check what its reader may see.
//
//	type position struct {
//		At time.Time `json:"at"`
//		ID int64     `json:"id"`
//	}
//
//	page, err := sdk.ReadPage[position](r)
//	// ORDER BY at DESC, id DESC LIMIT page.Limit + 1, WHERE (at, id) < ($1, $2) if page.After is not nil
//	notes, next, err := sdk.CutPage(page, notes, func(n note) position { return position{n.At, n.ID} })
//	return map[string]any{"notes": notes, "nextCursor": next}, err
func ReadPage[P any](r *http.Request, further ...string) (PageOf[P], error) {
	sent, err := Query(r, append([]string{"limit", "cursor"}, further...)...)
	if err != nil {
		return PageOf[P]{}, err
	}
	page := PageOf[P]{Limit: defaultPage, Query: sent}
	if text, found := sent["limit"]; found {
		page.Limit, err = strconv.Atoi(text)
		if err != nil || page.Limit < 1 || page.Limit > maxPage || text[0] == '0' || text[0] == '+' {
			return PageOf[P]{}, invalid("limit is not a number from 1 to %d", maxPage)
		}
	}
	if text, found := sent["cursor"]; found {
		after, err := readCursor[P](text)
		if err != nil {
			return PageOf[P]{}, err
		}
		page.After = &after
	}
	delete(sent, "limit")
	delete(sent, "cursor")
	return page, nil
}

// CutPage expects up to page.Limit + 1 rows in the list's order. It returns the rows of the page and the
// cursor of the next page, which is nil at the end of the list. Its error is one of encoding a position.
func CutPage[T, P any](page PageOf[P], rows []T, position func(T) P) ([]T, *string, error) {
	if len(rows) <= page.Limit {
		return rows, nil, nil
	}
	rows = rows[:page.Limit]
	next, err := writeCursor(position(rows[len(rows)-1]))
	return rows, &next, err
}

// A cursor is cursorVersion and the position's JSON, in base64url. Its times have microseconds, unlike those
// of a response: a list ordered by time would otherwise repeat or skip rows.
const cursorVersion = "1"

const maxCursor = 1 << 10 // bytes

func writeCursor[P any](position P) (string, error) {
	text, err := json.Marshal(position)
	return base64.RawURLEncoding.EncodeToString(append([]byte(cursorVersion), text...)), err
}

func readCursor[P any](text string) (position P, err error) {
	if len(text) > maxCursor {
		return position, invalid("cursor is longer than %d bytes", maxCursor)
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	rest, known := strings.CutPrefix(string(data), cursorVersion)
	if err != nil || !known || strings.ContainsAny(text, "\r\n") { // the decoder skips line breaks
		return position, invalid("cursor was not made by CutPage")
	}
	if position, err = decodeObject[P]([]byte(rest), json.RejectUnknownMembers(true)); err != nil {
		return position, invalid("cursor was made for another list or another position: %.200s", err)
	}
	return position, nil
}
