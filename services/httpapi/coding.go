package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
)

// The content codings in which files are stored in addition to the plain form, the preferred coding first.
const (
	Zstd = "zstd"
	Gzip = "gzip"
)

// Representation is a file in one coding, ready to be sent. All responses share its bytes and header
// values: never change them.
type Representation struct {
	Bytes  []byte
	ETag   []string // of the bytes in this coding
	Length []string
	Coding []string // Content-Encoding; nil: plain
}

// NewRepresentation makes a Representation of content that is already in coding; "" is plain.
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

// Choose returns the representation that the request's Accept-Encoding prefers; of equally weighted codings,
// the first in others. A request without the header gets plain. Every element of others has a coding.
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

// weightOf returns how much a client wants a coding, in thousandths: the coding's q-value; that of * when
// the coding is not named; 0 when the client does not accept it (RFC 9110 §12.5.3).
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

// quality returns a q-value in thousandths, and 0 for anything that is not a q-value.
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
