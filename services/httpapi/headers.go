package httpapi

import (
	"net/http"
	"strings"
)

// Matches reports whether the request's If-None-Match names the entity tag, which makes the response to a
// GET or HEAD a 304. It compares tags weakly, and accepts lists and *. A header that is not a list of tags
// matches nothing (RFC 9110 §13.1.2). etag is strong, with its quotes.
func Matches(r *http.Request, etag string) bool {
	for _, line := range r.Header["If-None-Match"] {
		if line == etag || listed(line, etag) {
			return true
		}
	}
	return false
}

func listed(line, etag string) bool {
	rest := strings.Trim(line, " \t")
	if rest == "*" {
		return true
	}
	found := false
	for rest = strings.TrimLeft(rest, ", \t"); rest != ""; { // empty elements are allowed
		tag, after, ok := cutTag(rest)
		if !ok {
			return false
		}
		found = found || tag == etag
		rest = strings.TrimLeft(after, " \t")
		if rest != "" && rest[0] != ',' {
			return false
		}
		rest = strings.TrimLeft(rest, ", \t")
	}
	return found
}

// cutTag cuts one entity tag from the front of text and drops its W/.
func cutTag(text string) (tag, rest string, ok bool) {
	text = strings.TrimPrefix(text, "W/")
	if text == "" || text[0] != '"' {
		return "", "", false
	}
	end := strings.IndexByte(text[1:], '"')
	if end < 0 {
		return "", "", false
	}
	tag, rest = text[:end+2], text[end+2:]
	return tag, rest, !strings.ContainsFunc(tag, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// Cookie returns the first cookie with exactly this name. It splits only lines that contain the name,
// because most requests have no such cookie.
func Cookie(header http.Header, name string) (value string, found bool) {
	for _, line := range header["Cookie"] {
		if !strings.Contains(line, name) {
			continue
		}
		for pair := range strings.SplitSeq(line, ";") {
			rest, named := strings.CutPrefix(strings.TrimLeft(pair, " \t"), name)
			if value, ok := strings.CutPrefix(rest, "="); named && ok {
				return strings.TrimRight(value, " \t"), true
			}
		}
	}
	return "", false
}
