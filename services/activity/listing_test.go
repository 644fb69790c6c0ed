package activity_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/activity"
	"github.com/narthex-platform/narthex/services/activity/chain"
)

func TestListing(t *testing.T) {
	t.Parallel()
	h := setup(t)
	anna, bert, zoe := h.person(t, "Anna"), h.person(t, "Bert"), h.person(t, "Zoe")
	h.record(t, entry(chain.Person(anna), chain.GrantIssued, "person", bert)) // 1
	h.record(t, entry(chain.Operator(), chain.ModuleEnabled, "module", "rota"),
		entry(chain.Person(bert), chain.ScreenPaired, "screen", "s1")) // 2, 3
	transferred := entry(chain.Operator(), chain.OwnerTransferred, "person", bert) // 4
	transferred.Details = map[string]any{"formerUserId": zoe}
	h.record(t, transferred)
	h.record(t, entry(chain.Person(bert), chain.PersonJoined, "person", bert)) // 5

	w, all := h.get(t, "")
	want := `"actor":{"kind":"operator"},"action":"owner.transferred","subject":{"kind":"person","id":"` + bert +
		`"},"details":{"formerUserId":"` + zoe + `"}}`
	if all.ids() != "5 4 3 2 1 " || !strings.Contains(w.Body.String(), want) ||
		fmt.Sprint(all.People) != fmt.Sprint(map[string]string{anna: "Anna", bert: "Bert", zoe: "Zoe"}) ||
		!strings.Contains(w.Body.String(), `"details":{}`) {
		t.Errorf("body %s, want five entries, newest first, three people, and %s", w.Body, want)
	}
	for query, ids := range map[string]string{
		"userId=" + anna:                          "1 ",
		"userId=" + bert:                          "5 4 3 1 ", // as actor, as subject, and only once if both
		"userId=" + zoe:                           "",
		"actorId=" + bert:                         "5 3 ",
		"subjectKind=module":                      "2 ",
		"subjectKind=module&subjectId=rota":       "2 ",
		"subjectKind=screen&subjectId=rota":       "",
		"subjectId=" + bert:                       "5 4 1 ",
		"action=screen.paired":                    "3 ",
		"action=screen.paired&userId=" + bert:     "3 ",
		"action=screen.paired&userId=" + anna:     "",
		"action=nothing":                          "",
		"subjectId=%27+OR+true+--":                "",
		"limit=2&cursor=" + activity.Cursor(3):    "2 1 ",
		"userId=" + bert + "&limit=2":             "5 4 ",
		"cursor=" + activity.Cursor(1):            "",
		"actorId=" + bert + "&subjectKind=person": "5 ",
	} {
		if w, shown := h.get(t, query); w.Code != http.StatusOK || shown.ids() != ids {
			t.Errorf("GET %s: status %d, entries %q, want 200 and %q", query, w.Code, shown.ids(), ids)
		}
	}
}

// The pages contain every entry once, with a filter and without one.
func TestPages(t *testing.T) {
	t.Parallel()
	h := setup(t)
	anna, bert := h.person(t, "Anna"), h.person(t, "Bert")
	for n := range 60 {
		by, subject := anna, bert
		if n%3 == 0 {
			by, subject = bert, anna
		}
		h.record(t, entry(chain.Person(by), chain.GrantIssued, "person", subject))
	}
	for _, filter := range []string{"", "&userId=" + anna, "&action=grant.issued", "&subjectKind=person"} {
		seen, query := 0, "limit=7"+filter
		for last := 61; ; {
			_, shown := h.get(t, query)
			for _, e := range shown.Entries {
				var number int
				if _, err := fmt.Sscan(e.ID, &number); err != nil || number >= last {
					t.Fatalf("GET /api/v1/activity?%s shows %s after %d", query, e.ID, last)
				}
				last = number
				seen++
			}
			if shown.NextCursor == nil {
				break
			}
			query = "limit=7" + filter + "&cursor=" + *shown.NextCursor
		}
		if seen != 60 {
			t.Errorf("all pages of limit=7%s show %d entries, want 60", filter, seen)
		}
	}
}

// A day is everything from its beginning to the beginning of the next one, and the other filters still apply.
func TestDayFilter(t *testing.T) {
	t.Parallel()
	h := setup(t)
	anna := h.person(t, "Anna")
	for range 4 {
		h.record(t, entry(chain.Person(anna), chain.GrantIssued, "person", anna))
	}
	h.record(t, entry(chain.Operator(), chain.ModuleEnabled, "module", "rota"))
	h.Exec(t, `ALTER TABLE core.activity DISABLE TRIGGER ALL;
		UPDATE core.activity SET at = CASE number
			WHEN 1 THEN timestamptz '2026-11-23 23:59:59.999+00'
			WHEN 2 THEN timestamptz '2026-11-24 00:00:00+00'
			WHEN 3 THEN timestamptz '2026-11-24 23:59:59.999+00'
			WHEN 4 THEN timestamptz '2026-11-25 00:00:00+00'
			ELSE timestamptz '2026-11-24 12:00:00+00' -- of a machine whose clock was late
		END`)
	const from, to = "from=2026-11-24T00:00:00.000Z", "to=2026-11-25T00:00:00.000Z"
	for query, ids := range map[string]string{
		from + "&" + to:                         "5 3 2 ",
		from:                                    "5 4 3 2 ",
		to:                                      "5 3 2 1 ",
		from + "&" + to + "&userId=" + anna:     "3 2 ",
		from + "&" + to + "&subjectKind=module": "5 ",
		from + "&" + to + "&limit=1&cursor=" + activity.Cursor(5): "3 ",
		"from=2026-11-25T00:00:00.000Z&" + to:                     "",
	} {
		if w, shown := h.get(t, query); w.Code != http.StatusOK || shown.ids() != ids {
			t.Errorf("GET %s: status %d, entries %q, want 200 and %q", query, w.Code, shown.ids(), ids)
		}
	}
}

// Beside the entries about invitations is who came by them, also when they came on another day.
func TestInvitationsShowWhoJoined(t *testing.T) {
	t.Parallel()
	h := setup(t)
	anna, bert := h.person(t, "Anna"), h.person(t, "Bert")
	h.record(t, entry(chain.Person(anna), chain.PersonInvited, "invitation", "i1"),
		entry(chain.Person(anna), chain.PersonInvited, "invitation", "i2"))
	joined := entry(chain.Person(bert), chain.PersonJoined, "person", bert)
	joined.Details = map[string]any{"invitationId": "i1"}
	h.record(t, joined)
	if _, of := h.get(t, "userId="+bert); of.ids() != "3 1 " || of.Joined["i1"] != bert {
		t.Errorf("entries of Bert: %q, want 3, that he joined, and 1, that he was invited", of.ids())
	}
	_, shown := h.get(t, "action=person.invited")
	if fmt.Sprint(shown.Joined) != fmt.Sprint(map[string]string{"i1": bert}) || shown.People[bert] != "Bert" {
		t.Errorf("joined %v, people %v; want Bert by i1, and his name", shown.Joined, shown.People)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	h := setup(t)
	encode := base64.RawURLEncoding.EncodeToString
	for _, query := range []string{
		"limit=0", "limit=201", "offset=1", "%zz", "action=", "action=a&action=b", "action=%00", "action=%ff",
		"action=" + strings.Repeat("x", 201), "subjectKind=%0a", "subjectId=",
		"userId=anna", "userId=00000000-0000-0000-0000-00000000000",
		"actorId={00000000-0000-0000-0000-000000000000}",
		"from=", "to=2026-11-24", "from=2026-11-24T00:00:00Z", "to=0000-01-01T00:00:00.000Z",
		"from=2026-11-24T00:00:00.000Z&from=2026-11-25T00:00:00.000Z",
		"cursor=", "cursor=!", "cursor=AQ", "cursor=" + encode(make([]byte, 9)),
		"cursor=" + encode([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0}),
		"cursor=" + encode([]byte{2, 0, 0, 0, 0, 0, 0, 0, 1}),
		"cursor=" + encode([]byte{1, 0xff, 0, 0, 0, 0, 0, 0, 1}), "cursor=" + activity.Cursor(7) + "%0A",
	} {
		if w, _ := h.get(t, query); w.Code != 400 || w.Body.String() != `{"code":"REQUEST_INVALID"}` {
			t.Errorf("GET /api/v1/activity?%s: status %d, want 400 REQUEST_INVALID; body %s", query, w.Code, w.Body)
		}
	}
	h.Exec(t, "ALTER TABLE core.activity RENAME TO lost")
	if w, _ := h.get(t, ""); w.Code != 503 || w.Body.String() != `{"code":"STORE_UNAVAILABLE"}` {
		t.Errorf("with a table missing: status %d, want 503 STORE_UNAVAILABLE; body %s", w.Code, w.Body)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add(activity.Cursor(1))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if number, err := activity.ParseCursor(text); err == nil && activity.Cursor(number) != text {
			t.Errorf("cursor %q is accepted although its canonical form is %q", text, activity.Cursor(number))
		}
	})
}

func TestStatementsPrepare(t *testing.T) {
	t.Parallel()
	setup(t).PrepareAll(t, activity.Statements())
}
