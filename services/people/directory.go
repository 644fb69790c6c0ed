package people

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const maxSearch = 254 // characters; no address is longer

// listedPerson is a person as the directory shows it.
type listedPerson struct {
	UserID        string `json:"userId"`
	Email         string `json:"email"`
	Name          string `json:"name"`
	EmailVerified bool   `json:"emailVerified"`
	Owner         bool   `json:"owner"`
	CreatedAt     string `json:"createdAt"`
}

type page struct {
	People     []listedPerson `json:"people"`
	NextCursor *string        `json:"nextCursor"`
}

// list is GET /api/v1/people, sorted by name, then id. query matches the beginning of a name, the beginning
// of an address, or a complete id.
func (s *Service) list(c *httpapi.Call) error {
	sent, err := httpapi.Query(c.Request.URL.RawQuery, "query", "limit", "cursor")
	if err != nil {
		return err
	}
	limit, err := httpapi.PageLimit(sent["limit"])
	if err != nil {
		return err
	}
	after, ok := parsePosition(sent["cursor"])
	if !ok || !searchFits(sent["query"]) {
		return httpapi.ErrRequest
	}
	found, err := s.store.list(
		c.Request.Context(),
		search{prefix: sent["query"], after: after, limit: limit + 1},
	)
	if err != nil {
		return unavailable(err)
	}
	listed := page{People: []listedPerson{}}
	for i, p := range found {
		if i == limit {
			next := found[limit-1].position().String()
			listed.NextCursor = &next
			break
		}
		listed.People = append(listed.People, listedPerson{
			UserID: p.UserID, Email: p.Email, Name: p.Name,
			EmailVerified: p.EmailVerified, Owner: p.Owner, CreatedAt: httpapi.Time(p.CreatedAt),
		})
	}
	return c.JSON(http.StatusOK, listed)
}

func searchFits(text string) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= maxSearch &&
		!strings.ContainsFunc(text, unicode.IsControl)
}

// position is the last person of a page. The zero position comes before everybody.
type position struct {
	key string // the name as it is sorted
	id  uuid.UUID
}

const cursorVersion = 1

// String returns the cursor: base64url of version, id and key. It is not signed, because it holds nothing
// that its page did not show.
func (p position) String() string {
	raw := append([]byte{cursorVersion}, p.id[:]...)
	return base64.RawURLEncoding.EncodeToString(append(raw, p.key...))
}

func parsePosition(cursor string) (position, bool) {
	if cursor == "" {
		return position{}, true
	}
	const head = 1 + len(uuid.UUID{})
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < head || raw[0] != cursorVersion {
		return position{}, false
	}
	key := string(raw[head:])
	return position{
			key: key,
			id:  uuid.UUID(raw[1:head]),
		}, utf8.ValidString(key) &&
			!strings.Contains(key, "\x00")
}
