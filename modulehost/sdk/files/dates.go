package files

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Order is the order of day and month in dates such as 3/4/2027.
type Order string

// The orders of dates with slashes. Dates with dots have the day first.
const (
	DayFirst   Order = "dmy"
	MonthFirst Order = "mdy"
)

var (
	isoDate    = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$`)
	dottedDate = regexp.MustCompile(`^(\d{1,2})[.-] ?(\d{1,2})[.-] ?(\d{4}|\d{2})$`)
	slashDate  = regexp.MustCompile(`^(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})$`)
	namedDate  = regexp.MustCompile(`^(\d{1,2})(?:\.|th|st|nd|rd)?[ -]?(\p{L}{3,9})\.?,?[ -]?(\d{4}|\d{2})$`)
	monthDate  = regexp.MustCompile(`^(\p{L}{3,9})\.? (\d{1,2})(?:th|st|nd|rd)?,? (\d{4})$`)
	clockTime  = regexp.MustCompile(`^(\d{1,2})(?:[:.h](\d{2}))?(?:[:.](\d{2}))?(?:[.,]\d+)? ?` +
		`(uhr|h|am|pm|a\.m\.|p\.m\.)?$`)
	serialDate = regexp.MustCompile(`^\d{1,6}(?:[.,]\d+)?$`)
	weekday    = regexp.MustCompile(`^\p{L}{2,10}[.,]+ ?(\d)`)
)

// months has the beginning of the months' names in German and English.
var months = []string{"jan jän", "feb", "mär mar mae mrz", "apr", "mai may", "jun", "jul", "aug", "sep",
	"okt oct", "nov", "dez dec"}

// OrderOf returns the order of day and month that the dates of a column have. It is not certain if each of
// them can be read both ways.
func OrderOf(texts []string) (order Order, certain bool) {
	certain = true
	for _, text := range texts {
		date, _ := splitMoment(text)
		parts := slashDate.FindStringSubmatch(date)
		if parts == nil {
			continue
		}
		first, second := number(parts[1]), number(parts[2])
		switch {
		case first > 12:
			return DayFirst, true
		case second > 12:
			return MonthFirst, true
		case first != second:
			certain = false
		}
	}
	return DayFirst, certain
}

// ParseMoment reads a date as people and spreadsheets write it, with or without a time of day: 31.12.26,
// 31. Dezember 2026 18:00 Uhr, 2026-12-31T18:00, 12/31/2026 6 PM, or Excel's number of days since 1900.
//
// at is the time on a clock, in UTC. A time with an offset of its own, as in 2026-12-31T17:00:00Z, is that of
// a clock in zone.
func ParseMoment(text string, order Order, zone *time.Location) (at time.Time, timed, ok bool) {
	if at, ok = withOffset(text); ok {
		_, offset := at.In(zone).Zone()
		return at.UTC().Add(time.Duration(offset) * time.Second), true, true
	}
	date, clock := splitMoment(text)
	if clock == "" && serialDate.MatchString(date) {
		return fromSerial(date)
	}
	year, month, day := 0, 0, 0
	if p := isoDate.FindStringSubmatch(date); p != nil {
		year, month, day = number(p[1]), number(p[2]), number(p[3])
	} else if p := dottedDate.FindStringSubmatch(date); p != nil {
		year, month, day = number(p[3]), number(p[2]), number(p[1])
	} else if p := slashDate.FindStringSubmatch(date); p != nil {
		year, month, day = number(p[3]), number(p[2]), number(p[1])
		if order == MonthFirst {
			month, day = day, month
		}
	} else if p := namedDate.FindStringSubmatch(date); p != nil {
		year, month, day = number(p[3]), monthOf(p[2]), number(p[1])
	} else if p := monthDate.FindStringSubmatch(date); p != nil {
		year, month, day = number(p[3]), monthOf(p[1]), number(p[2])
	}
	if year < 100 { // as people mean it: 31.12.69 is past, 31.12.68 is to come
		if year += 1900; year < 1969 {
			year += 100
		}
	}
	at = time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if at.Day() != day || int(at.Month()) != month {
		return at, false, false
	}
	if clock == "" {
		return at, false, true
	}
	length, ok := ParseClock(clock)
	return at.Add(length), true, ok
}

// withOffset reads a time of RFC 3339, also with a space before the time of day and without seconds.
func withOffset(text string) (at time.Time, ok bool) {
	text = strings.ToUpper(strings.TrimSpace(text))
	if len(text) > len(time.DateOnly) && text[len(time.DateOnly)] == ' ' {
		text = text[:len(time.DateOnly)] + "T" + text[len(time.DateOnly)+1:]
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if at, err := time.Parse(form, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// ParseClock reads a time of day: 18:00, 18.30 Uhr, 6:30 PM, or a part of a day as Excel stores it.
func ParseClock(text string) (time.Duration, bool) {
	text = strings.ToLower(strings.TrimSpace(strings.ReplaceAll(text, "\u202f", " ")))
	if part, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err == nil &&
		strings.HasPrefix(text, "0") && strings.ContainsAny(text, ".,") && part < 1 {
		return time.Duration(part*24*60*60+0.5) * time.Second, true
	}
	p := clockTime.FindStringSubmatch(text)
	if p == nil || p[2] == "" && p[4] == "" {
		return 0, false
	}
	hour, minute, second := number(p[1]), number(p[2]), number(p[3])
	switch p[4] {
	case "am", "a.m.", "pm", "p.m.":
		if hour < 1 || hour > 12 {
			return 0, false
		}
		if hour %= 12; p[4][0] == 'p' {
			hour += 12
		}
	}
	return time.Duration(hour*3600+minute*60+second) * time.Second, hour < 24 && minute < 60 && second < 60
}

// splitMoment parts a date from the time of day behind it, without the day of the week before it.
func splitMoment(text string) (date, clock string) {
	text = strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, strings.TrimSpace(text)))
	if len(text) > 60 {
		return "", ""
	}
	text = strings.Join(strings.Fields(text), " ")
	text = weekday.ReplaceAllString(text, "$1")
	for _, name := range []string{"mo ", "di ", "mi ", "do ", "fr ", "sa ", "so "} {
		text = strings.TrimPrefix(text, name)
	}
	if len(text) > 11 && text[4] == '-' && text[10] == 't' {
		return text[:10], text[11:]
	}
	// The time is the shortest end that is one.
	for at := len(text) - 1; at > 0; at-- {
		if text[at] != ' ' {
			continue
		}
		if _, is := ParseClock(text[at+1:]); is {
			return strings.TrimRight(text[:at], ", "), text[at+1:]
		}
	}
	return text, ""
}

// fromSerial reads days since 1899-12-30, of which Excel shows those from 1900 on as dates.
func fromSerial(text string) (at time.Time, timed, ok bool) {
	days, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil || days < 1 || days > 200000 {
		return at, false, false
	}
	at = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days))
	part := time.Duration((days-float64(int(days)))*24*60*60+0.5) * time.Second
	return at.Add(part), part > 0, true
}

func monthOf(name string) int {
	for n, beginnings := range months {
		for beginning := range strings.FieldsSeq(beginnings) {
			if strings.HasPrefix(strings.ToLower(name), beginning) {
				return n + 1
			}
		}
	}
	return 0
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // "" and what the expressions found, which is a number
	return n
}
