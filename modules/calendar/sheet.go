package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of a sheet on which people sign up for an event.
const (
	maxPeople    = 2000 // on one sheet, those who wait included
	maxQuestions = 8
	maxQuestion  = 120 // characters
	maxChoices   = 20
	maxAnswer    = 300 // characters
	maxNumber    = 99_999
)

// The kinds of questions.
const (
	kindText   = "text"
	kindNumber = "number" // a whole one
	kindChoice = "choice"
	kindYesNo  = "yesno"
)

// The answers to a question of kindYesNo.
const (
	saysYes = "yes"
	saysNo  = "no"
)

// question is asked of everybody who signs up. Its id stays when it is reworded, so that answers keep their
// question.
type question struct {
	ID       string   `json:"id,omitempty"`
	Kind     string   `json:"kind"`
	Text     string   `json:"text"`
	Required bool     `json:"required"`
	Choices  []string `json:"choices,omitempty"`
}

// sheet is what people sign up on: a row of the table sheets.
type sheet struct {
	id   string
	of   target
	gone bool // the series has no such date any more

	Places    int64      `json:"places"` // 0: as many as come
	Closes    string     `json:"closes"` // on the house's clock; "": when the event begins
	Queue     bool       `json:"queue"`  // who finds no place may wait for one
	Questions []question `json:"questions"`
	Rev       int64      `json:"rev"`
}

// valid reports whether a sheet can be stored.
func (s *sheet) valid() bool {
	if s.Places < 0 || s.Places > maxPeople || len(s.Questions) > maxQuestions {
		return false
	}
	if s.Closes != "" {
		if at, err := time.Parse(clockForm, s.Closes); err != nil || at.Before(earliest) || at.After(latest) {
			return false
		}
	}
	ids := map[string]bool{}
	for _, q := range s.Questions {
		if !q.valid() || q.ID != "" && ids[q.ID] {
			return false
		}
		ids[q.ID] = true
	}
	return true
}

func (q *question) valid() bool {
	if !sdk.IsLine(q.Text, 1, maxQuestion) {
		return false
	}
	if q.ID != "" {
		if number, err := strconv.Atoi(q.ID); err != nil || number < 1 || strconv.Itoa(number) != q.ID {
			return false
		}
	}
	if q.Kind != kindChoice {
		return slices.Contains([]string{kindText, kindNumber, kindYesNo}, q.Kind) && len(q.Choices) == 0
	}
	seen := map[string]bool{}
	for _, choice := range q.Choices {
		if !sdk.IsLine(choice, 1, maxQuestion) || seen[choice] {
			return false
		}
		seen[choice] = true
	}
	return len(q.Choices) >= 2 && len(q.Choices) <= maxChoices
}

// name gives ids to new questions, and returns those of the earlier questions that are gone.
func (s *sheet) name(before []question) (gone []string) {
	last := 0
	for _, q := range slices.Concat(before, s.Questions) {
		number, _ := strconv.Atoi(q.ID) // "" is 0
		last = max(last, number)
	}
	for at := range s.Questions {
		if s.Questions[at].ID == "" {
			last++
			s.Questions[at].ID = strconv.Itoa(last)
		}
	}
	for _, q := range before {
		if !slices.ContainsFunc(s.Questions, func(now question) bool { return now.ID == q.ID }) {
			gone = append(gone, q.ID)
		}
	}
	return gone
}

// closing returns when the sheet closes: never later than the event begins.
func (s *sheet) closing(e *event, z zone) time.Time {
	begins := z.instant(e.start)
	at, err := time.Parse(clockForm, s.Closes)
	if err != nil { // "": when it begins
		return begins
	}
	if closes := z.instant(at); closes.Before(begins) {
		return closes
	}
	return begins
}

// answered checks answers, by the ids of their questions, and returns them as they are stored. A question
// that is not required may be left out.
func (s *sheet) answered(given map[string]string) (map[string]string, error) {
	kept := make(map[string]string, len(s.Questions))
	for _, q := range s.Questions {
		answer := strings.TrimSpace(given[q.ID])
		if answer == "" && !q.Required {
			continue
		}
		if !q.takes(answer) {
			return nil, errAnswer
		}
		kept[q.ID] = answer
	}
	for id := range given {
		if !slices.ContainsFunc(s.Questions, func(q question) bool { return q.ID == id }) {
			return nil, errAnswer // to a question that is not asked any more
		}
	}
	return kept, nil
}

func (q *question) takes(answer string) bool {
	switch q.Kind {
	case kindNumber:
		number, err := strconv.Atoi(answer)
		return err == nil && number >= 0 && number <= maxNumber
	case kindChoice:
		return slices.Contains(q.Choices, answer)
	case kindYesNo:
		return answer == saysYes || answer == saysNo
	}
	return sdk.IsText(answer, 1, maxAnswer)
}
