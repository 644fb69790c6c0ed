package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// archiveSheet is a sheet in the archive, with everybody on it in their order. It does not say who of them
// has an account, because accounts are another installation's.
type archiveSheet struct {
	ID        string          `json:"id,omitempty"`   // if it is not that of the event
	Date      string          `json:"date,omitempty"` // of a series; it may have the date no more
	Places    int64           `json:"places"`
	Closes    string          `json:"closes,omitempty"`
	Queue     bool            `json:"queue"`
	Questions []question      `json:"questions,omitempty"`
	People    []archivePerson `json:"people,omitempty"`
}

type archivePerson struct {
	Name     string            `json:"name"`
	Email    string            `json:"email"`
	Language string            `json:"language"`
	Answers  map[string]string `json:"answers,omitempty"`
	Waits    bool              `json:"waits,omitempty"`
	At       time.Time         `json:"at"`
}

// archiveSheets are the sheets of one event: its own, or those of its dates.
type archiveSheets struct {
	own   *archiveSheet
	dates []*archiveSheet
}

// all are the sheets of an event, its own first.
func (a archiveSheets) all() []*archiveSheet {
	if a.own == nil {
		return a.dates
	}
	return append([]*archiveSheet{a.own}, a.dates...)
}

// readSheets returns all sheets, by their events.
func readSheets(ctx context.Context, db sdk.Querier) (map[string]archiveSheets, error) {
	sheets, err := sdk.SelectBy(ctx, db, scanSheet, `
		SELECT `+sheetColumns+` FROM sheets ORDER BY event_id, recurrence`)
	if err != nil {
		return nil, err
	}
	of, all := make(map[string]archiveSheets), make(map[string]*archiveSheet, len(sheets))
	for _, s := range sheets {
		a := &archiveSheet{Date: s.of.recurrence(), Places: s.Places, Closes: s.Closes, Queue: s.Queue,
			Questions: s.Questions}
		if s.id != s.of.event {
			a.ID = s.id
		}
		those := of[s.of.event]
		if a.Date == "" {
			those.own = a
		} else {
			those.dates = append(those.dates, a)
		}
		of[s.of.event], all[s.id] = those, a
	}
	type person struct {
		Sheet, Name, Email, Language, Answers string
		Waits                                 bool
		At                                    time.Time
	}
	people, err := sdk.Select[person](ctx, db, `
		SELECT sheet_id::text, name, email, language, answers::text, waits, at
		FROM participants
		ORDER BY sheet_id, number`)
	if err != nil {
		return nil, err
	}
	for _, p := range people {
		kept := archivePerson{Name: p.Name, Email: p.Email, Language: p.Language, Waits: p.Waits, At: p.At}
		if err := json.Unmarshal([]byte(p.Answers), &kept.Answers); err != nil {
			return nil, err
		}
		if s := all[p.Sheet]; s != nil {
			s.People = append(s.People, kept)
		}
	}
	return of, nil
}

// valid reports whether a sheet of a file can be stored. People have what they had: also an answer that the
// question does not take any more.
func (a *archiveSheet) valid() bool {
	s := sheet{Places: a.Places, Closes: a.Closes, Queue: a.Queue, Questions: a.Questions}
	if a.ID != "" && !sdk.IsID(a.ID) || !s.valid() || len(a.People) > maxPeople ||
		slices.ContainsFunc(a.Questions, func(q question) bool { return q.ID == "" }) {
		return false
	}
	seen := map[[2]string]bool{}
	for _, p := range a.People {
		who := signed{Name: p.Name, Email: p.Email, Language: p.Language}
		key := [2]string{strings.ToLower(p.Name), strings.ToLower(p.Email)}
		if !who.valid() || seen[key] || len(p.Answers) > maxQuestions || p.At.Before(earliest) ||
			p.At.After(latest) {
			return false
		}
		seen[key] = true
		for id, answer := range p.Answers {
			if len(id) > 9 || !sdk.IsText(answer, 1, maxAnswer) {
				return false
			}
		}
	}
	return true
}

// valid reports whether the sheets of an event of a file can be stored: at most one for each day.
func (a archiveSheets) valid() bool {
	if a.own != nil && (a.own.Date != "" || !a.own.valid()) {
		return false
	}
	days := map[time.Time]bool{}
	for _, s := range a.dates {
		if s == nil || !s.valid() {
			return false
		}
		date, err := readDate(s.Date)
		if err != nil || days[dayOf(date)] {
			return false
		}
		days[dayOf(date)] = true
	}
	return true
}

// leaveErased takes those off the sheets of an archive who were erased here. The archive has milliseconds.
func (i *importing) leaveErased(ctx context.Context, tx sdk.Querier) error {
	type place struct {
		sheet *archiveSheet
		line  int
	}
	sheets := make(map[string]place)
	for _, e := range i.events {
		for _, s := range e.from.sheets.all() {
			sheets[cmp.Or(s.ID, e.id)] = place{s, e.line}
		}
	}
	here, err := sdk.Select[string](ctx, tx, `SELECT DISTINCT event_id::text FROM sheets`)
	if err != nil {
		return err
	}
	for _, s := range i.services {
		if s.SignUp != nil && !slices.Contains(here, s.ID) { // else it stays as it is
			sheets[cmp.Or(s.SignUp.ID, s.ID)] = place{s.SignUp, 1}
		}
	}
	type erased struct {
		Sheet string
		At    time.Time
		Day   string
	}
	all, err := sdk.Select[erased](ctx, tx, `
		SELECT sheet_id::text, at, erased_on::text FROM erased_signups WHERE sheet_id = ANY ($1::text[]::uuid[])`,
		slices.Collect(maps.Keys(sheets)))
	for _, one := range all {
		s := sheets[one.Sheet]
		s.sheet.People = slices.DeleteFunc(s.sheet.People, func(p archivePerson) bool {
			is := p.At.Truncate(time.Millisecond).Equal(one.At.Truncate(time.Millisecond))
			if is {
				i.Note(sdk.Problem{Line: s.line, Code: "SIGNUP_ERASED", Detail: p.Name + ", " + one.Day})
			}
			return is
		})
	}
	return err
}

// write stores a sheet of an event that is there with its dates. Nobody gets a mail: they have had theirs.
func (a *archiveSheet) write(ctx context.Context, tx sdk.Querier, eventID string) error {
	s := &sheet{id: a.ID, of: target{event: eventID}, Places: a.Places, Closes: a.Closes, Queue: a.Queue,
		Questions: a.Questions, Rev: 1}
	if a.Date != "" {
		var err error
		if s.of.date, err = readDate(a.Date); err != nil {
			return err
		}
	}
	if err := s.insert(ctx, tx); err != nil {
		return err
	}
	people, err := json.Marshal(a.People)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO participants (id, sheet_id, name, email, language, answers, waits, at, heard, told)
		SELECT gen_random_uuid(), d.sheet, p ->> 'name', p ->> 'email', p ->> 'language',
		       coalesce(p -> 'answers', '{}'), coalesce((p ->> 'waits')::boolean, false),
		       (p ->> 'at')::timestamptz, 'sent', `+stateOf+`
		FROM `+onDates+`, jsonb_array_elements($2::text::jsonb) WITH ORDINALITY AS row (p, place)
		WHERE d.sheet = $1::uuid
		ORDER BY place
		ON CONFLICT DO NOTHING`, s.id, string(people))
	return err
}
