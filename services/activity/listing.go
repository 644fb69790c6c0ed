package activity

import (
	"encoding/binary"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
)

const maxFilter = 200 // characters; no stored action, kind or id is longer

// query is the request of GET /api/v1/activity. An empty filter matches everything.
type query struct {
	action      string
	userID      string // made the change, is its subject, or came by the invitation that is its subject
	actorID     string
	subjectKind string
	subjectID   string
	from, to    *time.Time // recorded in that time: from inclusive, to exclusive
	limit       int
	below       int64 // number
}

// list is GET /api/v1/activity, newest first.
func (s *Service) list(c *httpapi.Call) error {
	q, err := parseQuery(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	found, err := s.store.page(c.Request.Context(), q)
	if err != nil {
		return err
	}
	next := []byte("null")
	if len(found) > q.limit {
		found = found[:q.limit]
		next = []byte(`"` + cursor(found[q.limit-1].Number) + `"`)
	}
	joined, err := s.store.joined(c.Request.Context(), invitations(found))
	if err != nil {
		return err
	}
	names := map[string]string{}
	if ids := people(found, joined); len(ids) > 0 {
		if names, err = s.names.Names(c.Request.Context(), ids); err != nil {
			return store.Unavailable(err)
		}
	}
	joinedJSON, err := json.Marshal(joined)
	if err != nil {
		return err
	}
	namesJSON, err := json.Marshal(names)
	if err != nil {
		return err
	}
	body := make([]byte, 0, bodySize(found)+len(joinedJSON)+len(namesJSON))
	body = appendEntries(append(body, `{"entries":[`...), found)
	body = append(append(body, `],"people":`...), namesJSON...)
	body = append(append(body, `,"joined":`...), joinedJSON...)
	body = append(append(body, `,"nextCursor":`...), next...)
	return c.RawJSON(http.StatusOK, append(body, '}'))
}

// bodySize returns about how many bytes a page needs without its names.
func bodySize(rows []row) int {
	size := 100 // around the entries
	for _, r := range rows {
		size += 64 + len(r.Entry) // id and time
	}
	return size
}

// appendEntries inserts id and time as first members of each entry. It does not decode the entries, because
// that would take longer than the query. Each entry is a JSON object: PostgreSQL has checked that for the
// generated columns.
func appendEntries(body []byte, rows []row) []byte {
	for i, r := range rows {
		if i > 0 {
			body = append(body, ',')
		}
		body = strconv.AppendInt(append(body, `{"id":"`...), r.Number, 10)
		body = httpapi.AppendTime(append(body, `","at":"`...), r.At)
		members := strings.TrimPrefix(strings.TrimSpace(r.Entry), "{")
		body = append(append(body, `",`...), members...)
	}
	return body
}

// invitations returns the ids of the invitations that entries concern.
func invitations(rows []row) (ids []string) {
	for _, r := range rows {
		if r.InvitationID != "" {
			ids = append(ids, r.InvitationID)
		}
	}
	return ids
}

// people returns the ids of the people in the entries and of those who joined, each once.
func people(rows []row, joined map[string]string) (ids []string) {
	named := make(map[string]bool)
	for _, r := range rows {
		for _, id := range [...]string{r.ActorID, r.PersonID, r.former(), joined[r.InvitationID]} {
			if id == "" || named[id] {
				continue
			}
			named[id] = true
			if _, err := uuid.Parse(id); err == nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// former returns the id of the former owner, if the entry is about a transfer of the ownership.
func (r row) former() string {
	const member = "formerUserId"
	if !strings.Contains(r.Entry, member) {
		return ""
	}
	var entry struct {
		Details struct {
			FormerUserID string `json:"formerUserId"`
		} `json:"details"`
	}
	_ = json.Unmarshal([]byte(r.Entry), &entry) // an entry of another form has no former owner
	return entry.Details.FormerUserID
}

func parseQuery(raw string) (q query, err error) {
	sent, err := httpapi.Query(raw, "action", "userId", "actorId", "subjectKind", "subjectId", "from", "to",
		"limit", "cursor")
	if err != nil {
		return q, err
	}
	q = query{
		action: sent["action"], userID: sent["userId"], actorID: sent["actorId"],
		subjectKind: sent["subjectKind"], subjectID: sent["subjectId"], below: math.MaxInt64,
	}
	if q.limit, err = httpapi.PageLimit(sent["limit"]); err != nil {
		return q, err
	}
	for _, id := range []string{q.userID, q.actorID} {
		if parsed, err := uuid.Parse(id); id != "" && (err != nil || parsed.String() != id) {
			return q, httpapi.ErrRequest
		}
	}
	for _, text := range []string{q.action, q.subjectKind, q.subjectID} {
		if !plausible(text) {
			return q, httpapi.ErrRequest
		}
	}
	for name, bound := range map[string]**time.Time{"from": &q.from, "to": &q.to} {
		if sent[name] == "" {
			continue
		}
		at, ok := httpapi.ParseTime(sent[name])
		if !ok {
			return q, httpapi.ErrRequest
		}
		*bound = &at
	}
	if text := sent["cursor"]; text != "" {
		if q.below, err = parseCursor(text); err != nil {
			return q, err
		}
	}
	return q, nil
}

func plausible(text string) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= maxFilter &&
		!strings.ContainsFunc(text, unicode.IsControl)
}

const cursorVersion = 1

// cursor has the number of the last entry shown.
func cursor(number int64) string {
	return store.Cursor(cursorVersion, binary.BigEndian.AppendUint64(nil, uint64(number)))
}

func parseCursor(text string) (number int64, err error) {
	position, ok := store.ParseCursor(cursorVersion, text)
	if !ok || len(position) != 8 {
		return 0, httpapi.ErrRequest
	}
	if number = int64(binary.BigEndian.Uint64(position)); number < 1 {
		return 0, httpapi.ErrRequest
	}
	return number, nil
}
