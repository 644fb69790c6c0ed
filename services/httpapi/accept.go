package httpapi

import (
	"net/http"
	"strings"
)

// AcceptsHTML reports whether a request's Accept header lists text/html, as browsers do when they open a
// page.
func AcceptsHTML(r *http.Request) bool {
	for _, line := range r.Header["Accept"] {
		for element := range strings.SplitSeq(line, ",") {
			kind, parameters, _ := strings.Cut(element, ";")
			if strings.EqualFold(strings.TrimSpace(kind), "text/html") && !refused(parameters) {
				return true
			}
		}
	}
	return false
}

// refused reports whether the parameters of a media range have the quality 0 (RFC 9110 §12.4.2).
func refused(parameters string) bool {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(name, "q") && strings.Trim(value, "0.") == "" {
			return true
		}
	}
	return false
}
