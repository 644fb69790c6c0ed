package authorization

import (
	"net/url"
	"time"

	"github.com/narthex-platform/narthex/services/store"
)

// Statements are prepared by a test against the migrated schema.
func Statements() []string {
	statements := []string{
		selectHoldings, selectGrant, lockPerson, lockPersonOfGrant, insertGrant, updateRevoked,
		shareActive, selectCoreEnds, selectOutlives, revokeAllOf,
	}
	for _, userID := range []string{"", "a"} {
		for _, permissionID := range []string{"", "a"} {
			for _, at := range []*time.Time{nil, {}} {
				sql, _ := query{userID: userID, permissionID: permissionID, at: at}.statement()
				statements = append(statements, sql)
			}
		}
	}
	return statements
}

// The statements whose plans a test reads.
const (
	SelectHoldings = selectHoldings
	InsertGrant    = insertGrant
	UpdateRevoked  = updateRevoked
	SelectCoreEnds = selectCoreEnds
)

// WithLongTimeout gives a store a timeout that passes only in case of a fault, even on a loaded machine.
func WithLongTimeout(s *Store) *Store {
	s.timeout = 2 * time.Minute
	return s
}

// ListStatement returns the statement that the store would run for the query string.
func ListStatement(raw string) (sql string, args []any, err error) {
	q, err := parseQuery(raw)
	if err != nil {
		return "", nil, err
	}
	sql, args = q.statement()
	return sql, args, nil
}

// CursorAt returns the cursor of a position.
func CursorAt(at time.Time, id string) string {
	parsed, _ := parseID(id)
	return store.Place{At: at, ID: parsed}.Cursor(cursorVersion)
}

// Reencoded decodes a cursor and encodes its position again.
func Reencoded(text string) (string, error) {
	q, err := parseQuery("cursor=" + url.QueryEscape(text))
	return q.below.Cursor(cursorVersion), err
}

// The parsers, for fuzzing.
func ParseID(text string) bool    { _, ok := parseID(text); return ok }
func ParseQuery(raw string) error { _, err := parseQuery(raw); return err }
