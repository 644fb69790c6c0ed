package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modules/stage/songfile"
)

// maxSongs is how many songs one import adds at most.
const maxSongs = 5000

// importSongs imports songs without ids: JSON, or files of other programs. A song that already exists is not
// changed, and one that cannot be shown stops no other.
func (s *stage) importSongs(ctx context.Context, r *http.Request) (any, error) {
	house, err := s.host.House(ctx)
	if err != nil {
		return nil, err
	}
	read := &songReader{}
	read.files = songfile.Reader{Song: read.take, Problem: read.refuse, Guessed: read.guessed,
		Language: house.Language}
	return importing(ctx, s, r, func(text []byte, found *sdk.Exchange) []songContent {
		read.Exchange = found
		read.all(r.Header.Get("Content-Type"), text)
		return read.songs
	}, addSongs)
}

// songReader collects the songs of an import.
type songReader struct {
	*sdk.Exchange
	files songfile.Reader
	songs []songContent
	known map[string]bool
}

// all reads one file, or all files of a form.
func (r *songReader) all(contentType string, content []byte) {
	kind, parameters, _ := mime.ParseMediaType(contentType)
	if kind != "multipart/form-data" {
		r.file("", content)
	} else if err := r.form(multipart.NewReader(bytes.NewReader(content), parameters["boundary"])); err != nil {
		r.Problem(0, "FILE_BROKEN")
	}
	if len(r.songs) == 0 && r.SkippedCount == 0 && r.ProblemCount == 0 {
		r.Problem(1, string(songfile.NoSongs))
	}
}

func (r *songReader) form(form *multipart.Reader) error {
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return err
		}
		r.file(part.FileName(), content)
	}
}

var isObject = regexp.MustCompile(`^(?:\x{feff})?\s*\{\s*["}]`)

func (r *songReader) file(name string, content []byte) {
	if !isObject.Match(content) {
		r.files.Read(name, content)
		return
	}
	file := &reader{Exchange: r.Exchange, text: bytes.TrimPrefix(content, []byte("\ufeff"))}
	file.readLists(map[string]func(jsontext.Value, int64){
		"songs": func(value jsontext.Value, offset int64) {
			var one songContent
			line := file.line(offset)
			if strictly(value, &one) != nil {
				r.leaveOut(name, line, "SONG_INVALID")
				return
			}
			r.add(name, line, one)
		},
	})
}

// take takes a song of a file. What is longer than this module keeps is shortened, except the words.
func (r *songReader) take(file string, line int, one songfile.Song) {
	draft := songContent{Title: one.Title, Credit: one.Credit}
	draft.Copyright, draft.CCLI = one.Copyright, one.CCLI
	for text, most := range map[*string]int{&draft.Title: maxTitle, &draft.Credit: maxCredit,
		&draft.Copyright: maxCredit, &draft.CCLI: maxCCLI} {
		if short := shortened(*text, most); short != *text {
			*text = short
			r.Note(sdk.Problem{Line: line, Code: "SONG_SHORTENED", Detail: about(file, draft.Title)})
		}
	}
	for _, part := range one.Sections {
		draft.Sections = append(draft.Sections, section{shortened(part.Label, maxLabel), part.Text})
	}
	for _, label := range one.Order {
		draft.Order = append(draft.Order, shortened(label, maxLabel))
	}
	if len(draft.Order) > maxOrder {
		draft.Order = nil
		r.Note(sdk.Problem{Line: line, Code: "ORDER_LEFT_OUT", Detail: about(file, draft.Title)})
	}
	r.add(file, line, draft)
}

// add adds a song that can be shown, once.
func (r *songReader) add(file string, line int, one songContent) {
	if one.check() != nil {
		r.leaveOut(about(file, one.Title), line, "SONG_INVALID")
		return
	}
	if len(r.songs) == maxSongs {
		r.Problem(line, "TOO_MANY_SONGS")
	}
	if len(r.songs) >= maxSongs {
		return
	}
	key := one.Title + "\x00" + asJSON(one.Sections)
	if r.known[key] {
		return
	}
	if r.known == nil {
		r.known = map[string]bool{}
	}
	r.known[key] = true
	r.songs = append(r.songs, one)
}

// refuse tells of a file that is not read. Alone it is the whole import.
func (r *songReader) refuse(file string, line int, why songfile.Code) {
	if file == "" {
		r.Problem(line, string(why))
		return
	}
	r.leaveOut(file, line, why)
}

// guessed tells that letters of a file may be wrong.
func (r *songReader) guessed(file string) {
	r.Note(sdk.Problem{Code: "ENCODING_GUESSED", Detail: file})
}

func (r *songReader) leaveOut(what string, line int, why songfile.Code) {
	r.Skip(sdk.Problem{Line: line, Code: string(why), Detail: what})
}

// about names a song in a file.
func about(file, title string) string {
	if file == "" || title == "" {
		return cmp.Or(file, title)
	}
	return file + ": " + title
}

// shortened returns at most so many characters of a text, without characters that nobody sees.
func shortened(text string, most int) string {
	runes := []rune(normalized(text))
	return string(slices.Clip(runes[:min(len(runes), most)]))
}
