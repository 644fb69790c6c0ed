package storage

import (
	"mime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The values of Content-Disposition: attachment makes a browser save the object, inline lets it show the
// object.
const (
	attachment = "attachment"
	inline     = "inline"
)

const maxName = 255 // bytes, the limit of file systems

// validName reports whether a browser can save a file under name and display the name unchanged: it has no
// separators, no control characters and no invisible characters.
func validName(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return r == '/' || r == '\\' || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
		})
}

// disposition returns the Content-Disposition that an object of this type is stored with. Types that a
// browser does not execute are shown. HTML, SVG, other XML, scripts and unknown types are saved. An image
// element shows an SVG nevertheless.
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
