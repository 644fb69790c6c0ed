package main

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// reader reads the JSON of an import, and finds the line of each problem. It stops after the last problem
// that is reported: a file may have millions.
type reader struct {
	*sdk.Exchange
	text []byte
	// The lines before an offset, from which the next ones are counted.
	counted int64
	lines   int
}

func (r *reader) refuse(offset int64, code string) { r.Problem(r.line(offset), code) }

// line returns the line of an offset, which is not before the one of the last call.
func (r *reader) line(offset int64) int {
	offset = max(r.counted, min(offset, int64(len(r.text))))
	r.lines += bytes.Count(r.text[r.counted:offset], []byte("\n"))
	r.counted = offset
	return 1 + r.lines
}

func (r *reader) full() bool { return r.ProblemCount >= sdk.MaxProblems }

// readLists reads an object of lists. It passes each element, with its offset, to the function for its list.
func (r *reader) readLists(each map[string]func(value jsontext.Value, offset int64)) {
	decoder := jsontext.NewDecoder(bytes.NewReader(r.text))
	broken := func() { r.refuse(decoder.InputOffset(), "NO_JSON") }
	if decoder.PeekKind() != '{' {
		broken()
		return
	}
	_, _ = decoder.ReadToken()
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			broken()
			return
		}
		take, known := each[name.String()]
		if !known || decoder.PeekKind() != '[' {
			r.refuse(decoder.InputOffset(), "UNKNOWN_LIST")
			return
		}
		_, _ = decoder.ReadToken()
		for kind := decoder.PeekKind(); kind != ']'; kind = decoder.PeekKind() {
			value, err := decoder.ReadValue()
			if err != nil {
				broken()
				return
			}
			if take(value.Clone(), decoder.InputOffset()-int64(len(value))); r.full() {
				return
			}
		}
		_, _ = decoder.ReadToken()
	}
	if token, err := decoder.ReadToken(); err != nil || token.Kind() != '}' {
		broken()
		return
	}
	if decoder.PeekKind() != 0 {
		broken()
	}
}

// leaveOut tells of a song or a service that is not taken.
func (r *reader) leaveOut(offset int64, code, title string) {
	r.Skip(sdk.Problem{Line: r.line(offset), Code: code, Detail: title})
}

// parseExchange reads an export.
func parseExchange(text []byte, found *sdk.Exchange) (all exchange) {
	r := &reader{Exchange: found, text: text}
	known := map[string]bool{}
	fresh := func(id string) bool {
		was := known[id]
		known[id] = true
		return sdk.IsID(id) && !was
	}
	r.readLists(map[string]func(jsontext.Value, int64){
		"songs": func(value jsontext.Value, offset int64) {
			var one exchangedSong
			if strictly(value, &one) != nil || !fresh(one.ID) || one.check() != nil {
				r.leaveOut(offset, "SONG_INVALID", one.Title)
				return
			}
			all.Songs = append(all.Songs, one)
		},
		"services": func(value jsontext.Value, offset int64) {
			var one exchangedService
			if strictly(value, &one) != nil || !fresh(one.ID) || one.check(fresh) != nil {
				r.leaveOut(offset, "SERVICE_INVALID", one.Title)
				return
			}
			one.line = r.line(offset)
			all.Services = append(all.Services, one)
		},
	})
	return all
}

func strictly(value jsontext.Value, into any) error {
	return json.Unmarshal(value, into, json.RejectUnknownMembers(true))
}

func (s *exchangedService) check(fresh func(id string) bool) error {
	draft := serviceDraft{Title: s.Title, StartsAt: s.StartsAt}
	if err := draft.check(); err != nil || len(s.Items) > maxItems {
		return errImport
	}
	s.Title = draft.Title
	for n := range s.Items {
		one := &s.Items[n]
		draft := itemDraft{one.Kind, &one.Title, &one.Text, one.SongID, &one.Seconds, &one.Transpose,
			&one.Capo, nil}
		if err := draft.check(); err != nil || !fresh(one.ID) {
			return errImport
		}
	}
	return nil
}
