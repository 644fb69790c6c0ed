package identity

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// manageGrants is who may see people: whoever gives permissions has to pick somebody (contract.md §3).
const manageGrants = "core.authorization.grants.manage"

const maxSearch = 254 // characters; no address is longer

// listedPerson is a person as the one listing shows it.
type listedPerson struct {
	UserID        string `json:"userId"`
	Email         string `json:"email"`
	Name          string `json:"name"`
	EmailVerified bool   `json:"emailVerified"`
	Owner         bool   `json:"owner"`
	CreatedAt     string `json:"createdAt"`
}

type peoplePage struct {
	People     []listedPerson `json:"people"`
	NextCursor *string        `json:"nextCursor"`
}

// people is GET /api/v1/people: by name, then id; query finds the beginning of a name or an address, or a whole id.
func (s *Service) people(c *httpapi.Call) error {
	sent, err := httpapi.Query(c.Request.URL.RawQuery, "query", "limit", "cursor")
	if err != nil {
		return err
	}
	limit, err := httpapi.PageLimit(sent["limit"])
	if err != nil {
		return err
	}
	after, ok := parsePeoplePosition(sent["cursor"])
	if !ok || !searchFits(sent["query"]) {
		return httpapi.ErrRequest
	}
	found, err := s.store.people(c.Request.Context(), search{prefix: sent["query"], after: after, limit: limit + 1})
	if err != nil {
		return fmt.Errorf("%w: %w", httpapi.ErrStore, err)
	}
	page := peoplePage{People: []listedPerson{}}
	for i, p := range found {
		if i == limit {
			next := found[limit-1].position().String()
			page.NextCursor = &next
			break
		}
		page.People = append(page.People, listedPerson{p.UserID, p.Email, p.Name, p.EmailVerified, p.Owner, httpapi.Time(p.CreatedAt)})
	}
	return c.JSON(http.StatusOK, page)
}

func searchFits(text string) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= maxSearch && !strings.ContainsFunc(text, unicode.IsControl)
}

// peoplePosition is the last person of a page. The zero position lies before everybody.
type peoplePosition struct {
	key string // the name as it is sorted
	id  uuid.UUID
}

const peopleCursorVersion = 1

// String is the cursor: base64url of version, id, key. Unsigned; it says nothing that its page did not.
func (p peoplePosition) String() string {
	raw := append([]byte{peopleCursorVersion}, p.id[:]...)
	return base64.RawURLEncoding.EncodeToString(append(raw, p.key...))
}

func parsePeoplePosition(cursor string) (peoplePosition, bool) {
	if cursor == "" {
		return peoplePosition{}, true
	}
	const head = 1 + len(uuid.UUID{})
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < head || raw[0] != peopleCursorVersion {
		return peoplePosition{}, false
	}
	key := string(raw[head:])
	return peoplePosition{key: key, id: uuid.UUID(raw[1:head])}, utf8.ValidString(key) && !strings.Contains(key, "\x00")
}
