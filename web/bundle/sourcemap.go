package bundle

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
)

// SourceMap says where in the sources each place of a script comes from.
type SourceMap struct {
	sources []string
	places  []place // by line, then column
}

// place is the beginning of a piece of a script. Lines and columns count from 0, columns in UTF-16 units.
type place struct {
	line, column             int
	source                   int // -1: from no source
	sourceLine, sourceColumn int
}

// ReadSourceMap reads a source map of version 3, as the bundler writes it for Module.
func ReadSourceMap(text []byte) (*SourceMap, error) {
	var stored struct {
		Sources  []string
		Mappings string
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, err
	}
	m := &SourceMap{}
	for _, source := range stored.Sources { // relative to the folder that is never written
		if _, name, found := strings.Cut(source, ":"); found {
			source = name // of the SDK or the kit
		} else {
			source = path.Join("unwritten", source)
		}
		m.sources = append(m.sources, source)
	}
	var source, sourceLine, sourceColumn int
	for line, pieces := range strings.Split(stored.Mappings, ";") {
		column := 0
		for piece := range strings.SplitSeq(pieces, ",") {
			if piece == "" {
				continue
			}
			numbers, err := readNumbers(piece)
			if err != nil {
				return nil, err
			}
			column += numbers[0]
			p := place{line: line, column: column, source: -1}
			if len(numbers) >= 4 {
				source, sourceLine, sourceColumn = source+numbers[1], sourceLine+numbers[2], sourceColumn+numbers[3]
				p.source, p.sourceLine, p.sourceColumn = source, sourceLine, sourceColumn
			}
			if p.source >= len(m.sources) {
				return nil, fmt.Errorf("source map: it names source %d of %d", p.source, len(m.sources))
			}
			m.places = append(m.places, p)
		}
	}
	slices.SortStableFunc(m.places, func(a, b place) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return a.column - b.column
	})
	return m, nil
}

const numberDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// readNumbers decodes numbers in base 64: 5 bits a digit, the lowest first, of the first one bit is the sign.
func readNumbers(text string) (numbers []int, err error) {
	number, shift := 0, 0
	for _, char := range text {
		digit := strings.IndexRune(numberDigits, char)
		if digit < 0 || shift > 30 {
			return nil, fmt.Errorf("source map: %q is no number", text)
		}
		number |= digit & 31 << shift
		shift += 5
		if digit&32 != 0 {
			continue
		}
		if number&1 != 0 {
			number = -number
		}
		numbers = append(numbers, number/2)
		number, shift = 0, 0
	}
	if shift > 0 || len(numbers) == 0 {
		return nil, fmt.Errorf("source map: %q ends early", text)
	}
	return numbers, nil
}

// Source returns "file:line:column" of the source behind a place of the script, all counted from 1. It is ""
// for a place that comes from no source.
func (m *SourceMap) Source(line, column int) string {
	line, column = line-1, column-1
	after := sort.Search(len(m.places), func(i int) bool {
		p := m.places[i]
		return p.line > line || p.line == line && p.column > column
	})
	if after == 0 {
		return ""
	}
	p := m.places[after-1]
	if p.line != line || p.source < 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", m.sources[p.source], p.sourceLine+1, p.sourceColumn+1)
}
