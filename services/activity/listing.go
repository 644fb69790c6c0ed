package activity

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const maxFilter = 200 // characters; no stored action, kind or id is longer

// query is the request of GET /api/v1/activity. An empty filter matches everything.
type query struct {
	action      string
	userID      string // made the change, or is the one whom it concerned
	actorID     string
	subjectKind string
	subjectID   string
	limit       int
	below       int64 // number
}

// listed is one entry of the response. Its texts are copied from the stored entry, which was written as JSON.
type listed struct {
	ID      string         `json:"id"`
	At      string         `json:"at"`
	Actor   jsontext.Value `json:"actor"`
	Action  jsontext.Value `json:"action"`
	Subject jsontext.Value `json:"subject"`
	Details jsontext.Value `json:"details"`
}

type page struct {
	Entries    []listed          `json:"entries"`
	People     map[string]string `json:"people"`
	NextCursor *string           `json:"nextCursor"`
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
	shown := page{Entries: []listed{}, People: map[string]string{}}
	if len(found) > q.limit {
		found = found[:q.limit]
		shown.NextCursor = new(cursor(found[q.limit-1].Number))
	}
	var ids []string
	for _, r := range found {
		entry := listed{ID: strconv.FormatInt(r.Number, 10), At: httpapi.Time(r.At)}
		if err := json.Unmarshal([]byte(r.Entry), &entry); err != nil {
			return err
		}
		shown.Entries = append(shown.Entries, entry)
		ids = append(ids, r.people()...)
	}
	if len(ids) > 0 {
		slices.Sort(ids)
		if shown.People, err = s.names.Names(c.Request.Context(), slices.Compact(ids)); err != nil {
			return unavailable(err)
		}
	}
	return c.JSON(http.StatusOK, shown)
}

// people returns the ids of the people whom the entry names.
func (r row) people() (ids []string) {
	var named struct {
		Actor struct {
			UserID string `json:"userId"`
		} `json:"actor"`
		Subject struct {
			Kind string `json:"kind"`
			ID   string `json:"id"`
		} `json:"subject"`
		Details struct {
			FormerUserID string `json:"formerUserId"`
		} `json:"details"`
	}
	_ = json.Unmarshal([]byte(r.Entry), &named) // what does not fit names nobody
	if named.Subject.Kind != "person" {
		named.Subject.ID = ""
	}
	for _, id := range []string{named.Actor.UserID, named.Subject.ID, named.Details.FormerUserID} {
		if _, err := uuid.Parse(id); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

func parseQuery(raw string) (q query, err error) {
	sent, err := httpapi.Query(raw, "action", "userId", "actorId", "subjectKind", "subjectId", "limit", "cursor")
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

// A cursor is a version and the number of the last entry shown. It is not signed, because an invented one
// shows nothing that the listing would not show.
const (
	cursorVersion = 1
	cursorLength  = 1 + 8
)

func cursor(number int64) string {
	binaryForm := binary.BigEndian.AppendUint64([]byte{cursorVersion}, uint64(number))
	return base64.RawURLEncoding.EncodeToString(binaryForm)
}

// parseCursor accepts only what cursor made; any other text is REQUEST_INVALID.
func parseCursor(text string) (number int64, err error) {
	binaryForm, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(binaryForm) != cursorLength {
		return 0, httpapi.ErrRequest
	}
	number = int64(binary.BigEndian.Uint64(binaryForm[1:]))
	if number < 1 || cursor(number) != text {
		return 0, httpapi.ErrRequest
	}
	return number, nil
}
