package migrations

import (
	"regexp"
	"strings"
	"sync"
)

// piece is one statement of a file, without its semicolon, and the position of its first byte.
type piece struct {
	at   int
	text string
}

// split finds a file's statements like psql: a semicolon ends a statement unless it is in a comment, a
// quotation, parentheses, or the BEGIN ATOMIC body of a function. It is used only to find the statement that
// failed.
func split(sql string) []piece {
	var pieces []piece
	s := splitter{sql: sql, from: -1}
	for s.next < len(sql) {
		if sql[s.next] == ';' && s.nested == 0 && s.blocks == 0 {
			pieces = s.end(pieces)
			s.next++
			continue
		}
		s.step()
	}
	return s.end(pieces)
}

// splitter is one run of split.
type splitter struct {
	sql    string
	next   int      // position of the next byte
	from   int      // where the statement begins; -1: not yet
	last   int      // end of its last token
	nested int      // parentheses
	blocks int      // BEGIN and CASE of a function's body
	words  []string // its first words, which show whether it creates a function
}

func (s *splitter) end(pieces []piece) []piece {
	if s.from >= 0 {
		pieces = append(pieces, piece{at: s.from, text: s.sql[s.from:s.last]})
	}
	s.from, s.nested, s.blocks, s.words = -1, 0, 0, nil
	return pieces
}

// step reads one token, one comment, or one character of white space.
func (s *splitter) step() {
	rest := s.sql[s.next:]
	switch {
	case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
		s.next++
		return
	case strings.HasPrefix(rest, "--"):
		s.next += upTo(rest, "\n")
		return
	case strings.HasPrefix(rest, "/*"):
		s.next += comment(rest)
		return
	}
	if s.from < 0 {
		s.from = s.next
	}
	s.next += s.token(rest)
	s.last = s.next
}

var (
	wordPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z_\x{80}-\x{10ffff}][A-Za-z0-9_$\x{80}-\x{10ffff}]*`)
	})
	tagPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\$([A-Za-z_\x{80}-\x{10ffff}][A-Za-z0-9_\x{80}-\x{10ffff}]*)?\$`)
	})
)

// token returns the length of the token that rest begins with.
func (s *splitter) token(rest string) int {
	switch c := rest[0]; {
	case c == '\'':
		return 1 + upTo(rest[1:], "'")
	case c == '"':
		return 1 + upTo(rest[1:], `"`)
	case (c == 'e' || c == 'E') && strings.HasPrefix(rest[1:], "'"):
		return 2 + escaped(rest[2:])
	case c == '(' || c == '[':
		s.nested++
	case c == ')' || c == ']':
		s.nested = max(s.nested-1, 0)
	case c == '$':
		if tag := tagPattern().FindString(rest); tag != "" {
			return len(tag) + upTo(rest[len(tag):], tag)
		}
	default:
		if word := wordPattern().FindString(rest); word != "" {
			s.word(strings.ToLower(word))
			return len(word)
		}
	}
	return 1
}

// word counts the words that open and close a block in CREATE [OR REPLACE] FUNCTION or PROCEDURE.
func (s *splitter) word(word string) {
	if len(s.words) < 4 {
		s.words = append(s.words, word)
	}
	text := strings.Replace(strings.Join(s.words, " "), "create or replace ", "create ", 1)
	makes := strings.HasPrefix(text, "create function") || strings.HasPrefix(text, "create procedure")
	switch {
	case !makes || s.nested > 0:
	case word == "begin", word == "case" && s.blocks > 0:
		s.blocks++
	case word == "end":
		s.blocks = max(s.blocks-1, 0)
	}
}

// upTo returns the length of text up to the end of the mark, or of all of it. A doubled quote is treated as
// two adjacent quotations.
func upTo(text, mark string) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i + len(mark)
	}
	return len(text)
}

// escaped returns the length of a string with backslash escapes, up to the end of its closing quote.
func escaped(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\'':
			return i + 1
		}
	}
	return len(text)
}

// comment returns the length of a block comment, which may contain others.
func comment(text string) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}
