package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
)

// The codings that files are kept in beside their plain bytes, the best first.
const (
	Zstd = "zstd"
	Gzip = "gzip"
)

// Representation is a file in one coding, ready to be sent. Every response shares its bytes and header values, which nobody
// changes.
type Representation struct {
	Bytes  []byte
	ETag   []string // of the bytes of this coding
	Length []string
	Coding []string // Content-Encoding; nil: plain
}

// NewRepresentation takes bytes in a coding; "" is plain.
func NewRepresentation(content []byte, coding string) *Representation {
	sum := sha256.Sum256(content)
	r := &Representation{
		Bytes:  content,
		ETag:   []string{`"` + hex.EncodeToString(sum[:]) + `"`},
		Length: []string{strconv.Itoa(len(content))},
	}
	if coding != "" {
		r.Coding = []string{coding}
	}
	return r
}

// Choose picks what a request gets: of those that it accepts the one it prefers, and of equals the first. plain is what
// every client takes that says nothing about codings; others are in other codings.
func Choose(r *http.Request, plain *Representation, others []*Representation) *Representation {
	accepted := r.Header["Accept-Encoding"]
	if len(accepted) == 0 || len(others) == 0 {
		return plain
	}
	best, weight := plain, 0
	for _, other := range others {
		if w := weightOf(other.Coding[0], accepted); w > weight {
			best, weight = other, w
		}
	}
	return best
}

// weightOf is how much a client wants a coding, in thousandths: its q-value, that of * where the coding is not named, and 0
// when it does not take it (RFC 9110 §12.5.3).
func weightOf(coding string, accepted []string) int {
	wildcard := 0
	for _, line := range accepted {
		for element := range strings.SplitSeq(line, ",") {
			name, parameters, _ := strings.Cut(element, ";")
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, coding):
				return quality(parameters)
			case name == "*":
				wildcard = quality(parameters)
			}
		}
	}
	return wildcard
}

// quality is a q-value in thousandths; what is none counts as 0.
func quality(parameter string) int {
	parameter = strings.TrimSpace(parameter)
	if parameter == "" {
		return 1000
	}
	value, found := strings.CutPrefix(strings.ToLower(parameter), "q=")
	if !found {
		return 0
	}
	q, err := strconv.ParseFloat(value, 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 0
	}
	return int(q * 1000)
}
