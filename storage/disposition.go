package storage

import (
	"mime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The dispositions: what a browser saves, and what it may show.
const (
	attachment = "attachment"
	inline     = "inline"
)

const maxName = 255 // bytes: what file systems take

// validName tells whether a browser can save a file under name and show it as it is: no separators, no
// controls, nothing invisible.
func validName(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return r == '/' || r == '\\' || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
		})
}

// disposition is what an object of this type is stored with. A browser shows the types that it does not
// run; HTML, SVG, other XML, scripts and what is not known here it saves. An image element shows an SVG all
// the same.
func disposition(contentType string) string {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return attachment
	}
	class, format, _ := strings.Cut(kind, "/")
	media := slices.Contains([]string{"image", "audio", "video", "font"}, class) &&
		!strings.HasSuffix(format, "xml")
	if media || slices.Contains([]string{"text/plain", "text/csv", "application/pdf", "application/json"},
		kind) {
		return inline
	}
	return attachment
}
