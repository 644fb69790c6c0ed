package files

import (
	"strconv"
	"strings"
)

// Choice is where the columns of a table are, as a person has said it.
type Choice struct {
	At    map[string]int // the place of each column, from 0
	Above int            // how many rows with content stand above the data
}

// ParseChoice reads a choice as an import's parameter has it: "above:1,name:0,email:3". Every name is among
// the columns, and no column is there twice.
func ParseChoice(text string, columns Columns) (*Choice, bool) {
	chosen := &Choice{At: make(map[string]int), Above: -1}
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(part, ":")
		at, err := strconv.ParseUint(number, 10, 8)
		if err != nil {
			return nil, false
		}
		_, known := columns[name]
		_, twice := chosen.At[name]
		switch {
		case name == "above" && chosen.Above < 0 && at <= maxHeadingRow:
			chosen.Above = int(at)
		case known && !twice && at < maxColumns:
			chosen.At[name] = int(at)
		default:
			return nil, false
		}
	}
	if chosen.Above < 0 || len(chosen.At) == 0 {
		return nil, false
	}
	return chosen, true
}

// At returns the place of each column that the table has, from 0.
func (t *Table) At() map[string]int { return t.at }
