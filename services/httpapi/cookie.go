package httpapi

import (
	"net/http"
	"strings"
)

// Cookie returns the first cookie of exactly this name. Most requests carry none, so nothing is split before the name was seen.
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
