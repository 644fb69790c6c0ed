package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// archiveSheet is the sheet of an event in the archive, with everybody on it in their order. It does not say
// who of them has an account, because accounts are another installation's.
type archiveSheet struct {
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

// readSheets returns all sheets, by their events.
func readSheets(ctx context.Context, db sdk.Querier) (map[string]*archiveSheet, error) {
	type one struct {
		event string
		sheet
	}
	sheets, err := sdk.SelectBy(ctx, db, func(row sdk.Scanner, o *one) error {
		return scanSheet(after{row, &o.event}, &o.sheet)
	}, `SELECT event_id::text, `+sheetColumns+` FROM sheets`)
	if err != nil {
		return nil, err
	}
	all := make(map[string]*archiveSheet, len(sheets))
	for _, s := range sheets {
		all[s.event] = &archiveSheet{Places: s.Places, Closes: s.Closes, Queue: s.Queue, Questions: s.Questions}
	}
	type person struct {
		Event, Name, Email, Language, Answers string
		Waits                                 bool
		At                                    time.Time
	}
	people, err := sdk.Select[person](ctx, db, `
		SELECT event_id::text, name, email, language, answers::text, waits, at
		FROM participants
		ORDER BY event_id, number`)
	if err != nil {
		return nil, err
	}
	for _, p := range people {
		kept := archivePerson{Name: p.Name, Email: p.Email, Language: p.Language, Waits: p.Waits, At: p.At}
		if err := json.Unmarshal([]byte(p.Answers), &kept.Answers); err != nil {
			return nil, err
		}
		if s := all[p.Event]; s != nil {
			s.People = append(s.People, kept)
		}
	}
	return all, nil
}

// valid reports whether a sheet of a file can be stored. People have what they had: also an answer that the
// question does not take any more.
func (a *archiveSheet) valid() bool {
	s := sheet{Places: a.Places, Closes: a.Closes, Queue: a.Queue, Questions: a.Questions}
	if !s.valid() || len(a.People) > maxPeople ||
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

// leaveErased takes those off the sheets of an archive who were erased here. The archive has milliseconds.
func (i *importing) leaveErased(ctx context.Context, tx sdk.Querier) error {
	sheets := make(map[string]imported)
	for _, e := range i.events {
		if e.from.sheet != nil {
			sheets[e.id] = e
		}
	}
	type erased struct {
		Event string
		At    time.Time
		Day   string
	}
	all, err := sdk.Select[erased](ctx, tx, `
		SELECT event_id::text, at, erased_on::text FROM erased_signups WHERE event_id = ANY ($1::text[]::uuid[])`,
		slices.Collect(maps.Keys(sheets)))
	for _, one := range all {
		e := sheets[one.Event]
		e.from.sheet.People = slices.DeleteFunc(e.from.sheet.People, func(p archivePerson) bool {
			is := p.At.Truncate(time.Millisecond).Equal(one.At.Truncate(time.Millisecond))
			if is {
				i.Note(sdk.Problem{Line: e.line, Code: "SIGNUP_ERASED", Detail: p.Name + ", " + one.Day})
			}
			return is
		})
	}
	return err
}

// write stores the sheet of an imported event. Nobody gets a mail: they have had theirs.
func (a *archiveSheet) write(ctx context.Context, tx sdk.Querier, eventID string) error {
	s := &sheet{Places: a.Places, Closes: a.Closes, Queue: a.Queue, Questions: a.Questions, Rev: 1}
	if err := writeSheet(ctx, tx, eventID, s); err != nil {
		return err
	}
	people, err := json.Marshal(a.People)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO participants (id, event_id, name, email, language, answers, waits, at, heard, told)
		SELECT gen_random_uuid(), e.id, p ->> 'name', p ->> 'email', p ->> 'language',
		       coalesce(p -> 'answers', '{}'), coalesce((p ->> 'waits')::boolean, false),
		       (p ->> 'at')::timestamptz, 'sent', `+stateOf+`
		FROM events e, jsonb_array_elements($2::text::jsonb) WITH ORDINALITY AS row (p, place)
		WHERE e.id = $1::uuid
		ORDER BY place
		ON CONFLICT DO NOTHING`, eventID, string(people))
	return err
}
