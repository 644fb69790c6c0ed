package main

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// reader reads the JSON of an import, and finds the line of each problem. It stops after the last problem
// that is reported: a file may have millions.
type reader struct {
	*sdk.Exchange
	text []byte
}

func (r *reader) refuse(offset int64, code string) {
	line := 1 + bytes.Count(r.text[:min(offset, int64(len(r.text)))], []byte("\n"))
	r.Problem(line, code)
}

func (r *reader) full() bool { return r.ProblemCount >= sdk.MaxProblems }

// lists reads an object of lists. It passes each element, with its offset, to the function for its list.
func (r *reader) lists(each map[string]func(value jsontext.Value, offset int64)) {
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

// parseExchange reads an export.
func parseExchange(text []byte, found *sdk.Exchange) (all exchange) {
	r := &reader{found, text}
	known := map[string]bool{}
	fresh := func(id string) bool {
		was := known[id]
		known[id] = true
		return sdk.IsID(id) && !was
	}
	r.lists(map[string]func(jsontext.Value, int64){
		"songs": func(value jsontext.Value, offset int64) {
			var one exchangedSong
			if strictly(value, &one) != nil || !fresh(one.ID) || one.check() != nil {
				r.refuse(offset, "SONG_INVALID")
				return
			}
			all.Songs = append(all.Songs, one)
		},
		"services": func(value jsontext.Value, offset int64) {
			var one exchangedService
			if strictly(value, &one) != nil || !fresh(one.ID) || one.check(fresh) != nil {
				r.refuse(offset, "SERVICE_INVALID")
				return
			}
			all.Services = append(all.Services, one)
		},
	})
	return all
}

func strictly(value jsontext.Value, into any) error {
	return json.Unmarshal(value, into, json.RejectUnknownMembers(true))
}

func (s *exchangedSong) check() error {
	draft := songDraft{Title: s.Title, Credit: &s.Credit, Sections: s.Sections}
	err := draft.check()
	s.Title = draft.Title
	return err
}

func (s *exchangedService) check(fresh func(id string) bool) error {
	draft := serviceDraft{Title: s.Title, StartsAt: s.StartsAt}
	if err := draft.check(); err != nil || len(s.Items) > maxItems {
		return errImport
	}
	s.Title = draft.Title
	for n := range s.Items {
		one := &s.Items[n]
		draft := itemDraft{one.Kind, &one.Title, &one.Text, one.SongID, &one.Seconds, nil}
		if err := draft.check(); err != nil || !fresh(one.ID) {
			return errImport
		}
	}
	return nil
}

// parseSongs reads {"songs": [{"title", "credit", "sections"}]}, or plain text.
func parseSongs(text []byte, found *sdk.Exchange) []songDraft {
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || trimmed[0] != '{' {
		return parseText(text, found)
	}
	r := &reader{found, text}
	var songs []songDraft
	r.lists(map[string]func(jsontext.Value, int64){
		"songs": func(value jsontext.Value, offset int64) {
			var one songDraft
			if strictly(value, &one) != nil || one.Rev != nil || one.check() != nil {
				r.refuse(offset, "SONG_INVALID")
				return
			}
			songs = append(songs, one)
		},
	})
	return songs
}

var (
	songBreak = regexp.MustCompile(`^-{3,}$`)
	heading   = regexp.MustCompile(`^\[(.+)\]$|^(.{1,40}):$`)
)

// parseText reads plain text: the title, optionally the author in brackets, and sections between empty lines,
// each with or without a heading like "[Chorus]" or "Verse 2:". Three hyphens separate two songs.
func parseText(text []byte, found *sdk.Exchange) (songs []songDraft) {
	r := &reader{found, []byte(plainLines(string(text)) + "\n")}
	offset, start := int64(0), int64(0)
	var lines []string
	end := func() {
		if strings.TrimSpace(strings.Join(lines, "")) == "" {
			return
		}
		one := songOf(lines)
		if one.check() != nil {
			r.refuse(start, "SONG_INVALID")
		}
		songs = append(songs, one)
	}
	for line := range strings.Lines(string(r.text)) {
		offset += int64(len(line))
		if line = strings.TrimSpace(line); !songBreak.MatchString(line) {
			lines = append(lines, line)
			continue
		}
		if end(); r.full() {
			return nil
		}
		lines, start = nil, offset
	}
	end()
	if len(songs) == 0 {
		r.refuse(0, "NO_SONGS")
	}
	return songs
}

func songOf(lines []string) songDraft {
	for lines[0] == "" {
		lines = lines[1:]
	}
	one := songDraft{Title: lines[0], Credit: new(string)}
	lines = lines[1:]
	if len(lines) > 0 && strings.HasPrefix(lines[0], "(") && strings.HasSuffix(lines[0], ")") {
		*one.Credit, lines = strings.Trim(lines[0], "()"), lines[1:]
	}
	verses := 0
	for paragraph := range strings.SplitSeq(strings.Join(lines, "\n"), "\n\n") {
		paragraph = strings.Trim(paragraph, "\n")
		first, rest, _ := strings.Cut(paragraph, "\n")
		label := ""
		if found := heading.FindStringSubmatch(first); found != nil {
			label, paragraph = found[1]+found[2], rest
		}
		if paragraph == "" {
			continue
		}
		if label == "" {
			verses++
			label = strconv.Itoa(verses)
		}
		one.Sections = append(one.Sections, section{label, paragraph})
	}
	return one
}
