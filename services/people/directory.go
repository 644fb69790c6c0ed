package people

import (
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
)

const (
	maxSearch = 100 // characters
	maxIDs    = 200
)

// listedPerson is a person as the directory shows it.
type listedPerson struct {
	UserID        string  `json:"userId"`
	Email         *string `json:"email"` // nil: erased (the same for the name)
	Name          *string `json:"name"`
	EmailVerified bool    `json:"emailVerified"`
	Owner         bool    `json:"owner"`
	CreatedAt     string  `json:"createdAt"`
	DeactivatedAt *string `json:"deactivatedAt"`
	ErasedAt      *string `json:"erasedAt"`
	HasPasskey    bool    `json:"hasPasskey"`
	LastSeenAt    *string `json:"lastSeenAt"` // exact to ten minutes; nil: signed in nowhere
	// ErasurePending are the modules that have not yet deleted their data about the person.
	ErasurePending []string `json:"erasurePending"`
}

func (p foundPerson) listed() listedPerson {
	listed := listedPerson{
		UserID: p.UserID, Email: p.Email, Name: &p.Name, EmailVerified: p.EmailVerified, Owner: p.Owner,
		CreatedAt: httpapi.Time(p.CreatedAt), DeactivatedAt: optionalTime(p.DeactivatedAt),
		ErasedAt: optionalTime(p.ErasedAt), HasPasskey: p.HasPasskey,
		LastSeenAt: optionalTime(p.LastSeenAt), ErasurePending: p.ErasurePending,
	}
	if p.ErasedAt != nil {
		listed.Name = nil
	}
	return listed
}

func optionalTime(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return new(httpapi.Time(*t))
}

type page struct {
	People     []listedPerson `json:"people"`
	NextCursor *string        `json:"nextCursor"`
}

// list is GET /api/v1/people, sorted by name, then id, and erased people last. query matches people who have,
// for each of its words, a word of the name or of the address that begins with it, or a complete id. userId
// selects only these people, for a screen that
// names the holders of a page of grants; an unknown id is left out.
func (s *Service) list(c *httpapi.Call) error {
	wanted, err := parseSearch(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	found, err := s.store.list(c.Request.Context(), wanted)
	if err != nil {
		return store.Unavailable(err)
	}
	limit := wanted.limit - 1
	listed := page{People: []listedPerson{}}
	for i, p := range found {
		if i == limit {
			next := found[limit-1].position().String()
			listed.NextCursor = &next
			break
		}
		listed.People = append(listed.People, p.listed())
	}
	return c.JSON(http.StatusOK, listed)
}

// parseSearch requests one person more than fit on a page. If that person exists, there is a next page.
func parseSearch(rawQuery string) (search, error) {
	sent, ids, err := httpapi.QueryRepeating("userId", maxIDs, rawQuery, "query", "limit", "cursor")
	if err != nil {
		return search{}, err
	}
	limit, err := httpapi.PageLimit(sent["limit"])
	if err != nil {
		return search{}, err
	}
	after, ok := parsePosition(sent["cursor"])
	if !ok || !searchFits(sent["query"]) || slices.ContainsFunc(ids, isNotUUID) ||
		len(ids) > 0 && sent["query"] != "" {
		return search{}, httpapi.ErrRequest
	}
	return search{text: sent["query"], ids: ids, after: after, limit: limit + 1}, nil
}

// isNotUUID reports whether text is not a UUID in its standard form. Other forms of a UUID are refused too.
func isNotUUID(text string) bool {
	id, err := uuid.Parse(text)
	return err != nil || id.String() != text
}

func searchFits(text string) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= maxSearch &&
		!strings.ContainsFunc(text, unicode.IsControl)
}

// position is the last person of a page. The zero position comes before everybody.
type position struct {
	key string // the name in the form that is sorted by
	id  uuid.UUID
}

const cursorVersion = 3 // the keys of version 1 did not sort erased people last, those of 2 were lower case

// String returns the cursor.
func (p position) String() string { return store.Cursor(cursorVersion, append(p.id[:], p.key...)) }

func parsePosition(cursor string) (position, bool) {
	if cursor == "" {
		return position{}, true
	}
	const id = len(uuid.UUID{})
	raw, ok := store.ParseCursor(cursorVersion, cursor)
	if !ok || len(raw) < id {
		return position{}, false
	}
	p := position{key: string(raw[id:]), id: uuid.UUID(raw[:id])}
	return p, utf8.ValidString(p.key) && !strings.Contains(p.key, "\x00")
}
