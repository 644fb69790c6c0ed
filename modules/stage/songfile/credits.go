package songfile

import (
	"regexp"
	"strings"
)

// What a line tells that is not sung.
type credit int

const (
	sung credit = iota
	author
	owner   // the copyright
	number  // the song's number at CCLI
	licence // and everything else that lawyers want
)

var (
	numberLine = regexp.MustCompile(`(?i)^\W{0,3}CCLI[\s-]*(?:song|lied(?:nummer|nr\.?)?)?[\s-]*` +
		`(?:#|no\.?|nr\.?|nummer|number|:)?` +
		`\s*:?\s*#?\s*(\d{1,9})\W*$`)
	licenceLine = regexp.MustCompile(`(?i)^\W{0,3}(?:CCLI\b|for use solely|all rights reserved|alle rechte|` +
		`used by permission|` +
		`nutzung ausschließlich|nur zur verwendung|mit genehmigung|international copyright secured|www\.ccli|` +
		`note: reproduction)`)
	ownerLine  = regexp.MustCompile(`(?i)^(?:©|\(c\)\s|copyright\b|rechte\s*:|rights\s*:|public domain\b)`)
	authorLine = regexp.MustCompile(`(?i)^(?:(?:text|words?|lyrics|melodie|musik|music|tune|satz|` +
		`author|autor(?:en)?|` +
		`original(?:titel)?|deutsch|übersetzung|translation|worte|weise)` +
		`(?:\s*(?:,|&|/|\+|and|und)\s*(?:text|words?|lyrics|melodie|musik|music|tune|satz|worte|` +
		`weise))*` +
		`\s*(?::|\bby\b|\bvon\b)|(?:written )?by\s+[A-Z])\s*(\S.*)?$`)
)

// creditOf says what a line tells that is not sung, and returns it.
func creditOf(line string) (credit, string) {
	line = strings.TrimSpace(line)
	if found := numberLine.FindStringSubmatch(line); found != nil {
		return number, found[1]
	}
	switch {
	case licenceLine.MatchString(line):
		return licence, ""
	case ownerLine.MatchString(line):
		return owner, line
	case authorLine.MatchString(line):
		return author, line
	}
	return sung, line
}

// take keeps what a line tells, and reports whether it is sung.
func (c *collector) take(line string) bool {
	what, value := creditOf(line)
	switch what {
	case sung:
		return true
	case author:
		add(&c.song.Credit, value)
	case owner:
		add(&c.song.Copyright, value)
	case number:
		c.song.CCLI = value
	case licence:
	}
	return false
}
