package main

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of a file of another program.
const (
	maxICSLine  = 64 << 10 // unfolded
	maxICSDepth = 4
)

// icsLine is one content line, unfolded: NAME;PARAMETER=VALUE:VALUE (RFC 5545 §3.1).
type icsLine struct {
	number     int
	name       string
	parameters map[string]string
	value      string
}

var errICS = errors.New("no iCalendar")

// icsLines reads a whole file, with any kind of line ends.
func icsLines(content string) ([]icsLine, error) {
	if !utf8.ValidString(content) {
		return nil, errICS
	}
	var lines []icsLine
	unfolded, first := strings.Builder{}, 0
	add := func() error {
		if unfolded.Len() == 0 {
			return nil
		}
		line, err := icsLineOf(unfolded.String())
		line.number = first
		lines = append(lines, line)
		unfolded.Reset()
		return err
	}
	number := 0
	for text := range strings.SplitSeq(strings.TrimPrefix(content, "\ufeff"), "\n") {
		number++
		text = strings.TrimSuffix(text, "\r")
		if text != "" && (text[0] == ' ' || text[0] == '\t') && unfolded.Len() > 0 {
			if unfolded.WriteString(text[1:]); unfolded.Len() > maxICSLine {
				return nil, errICS
			}
			continue
		}
		if err := add(); err != nil {
			return nil, err
		}
		unfolded.WriteString(text)
		first = number
	}
	return lines, add()
}

func icsLineOf(text string) (icsLine, error) {
	line := icsLine{parameters: map[string]string{}}
	end := strings.IndexAny(text, ";:")
	if end < 1 || len(text) > maxICSLine {
		return line, errICS
	}
	line.name = strings.ToUpper(text[:end])
	for text = text[end:]; text[0] == ';'; {
		name, rest, found := strings.Cut(text[1:], "=")
		if !found {
			return line, errICS
		}
		size := strings.IndexAny(rest, ";:")
		if strings.HasPrefix(rest, `"`) {
			quoted := strings.IndexByte(rest[1:], '"')
			if quoted < 0 {
				return line, errICS
			}
			size = quoted + 2
		}
		if size < 0 || size >= len(rest) || rest[size] != ';' && rest[size] != ':' {
			return line, errICS
		}
		line.parameters[strings.ToUpper(name)] = strings.Trim(rest[:size], `"`)
		text = rest[size:]
	}
	line.value = text[1:]
	return line, nil
}

// icsText unescapes a value of the type TEXT.
func icsText(value string) string {
	return strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, "\n", `\N`, "\n").Replace(value)
}

// icsEvent is a VEVENT: the last line of each name, and all lines of names that may occur more than once.
type icsEvent struct {
	number int
	lines  map[string]icsLine
	except []icsLine
	rdates bool
}

// icsEvents returns the events of a calendar. Components inside an event, such as alarms, are ignored.
func icsEvents(lines []icsLine) (events []icsEvent, err error) {
	var open []string
	for _, line := range lines {
		switch line.name {
		case "BEGIN":
			if open = append(open, strings.ToUpper(line.value)); len(open) > maxICSDepth ||
				len(open) == 1 && open[0] != "VCALENDAR" {
				return nil, errICS
			}
			if len(open) == 2 && open[1] == "VEVENT" {
				if events = append(events, icsEvent{number: line.number, lines: map[string]icsLine{}}); len(events) >
					maxImported {
					return nil, errTooManyImported
				}
			}
			continue
		case "END":
			if len(open) == 0 || open[len(open)-1] != strings.ToUpper(line.value) {
				return nil, errICS
			}
			open = open[:len(open)-1]
			continue
		}
		if len(open) != 2 || open[1] != "VEVENT" {
			continue
		}
		event := &events[len(events)-1]
		switch line.name {
		case "EXDATE":
			if event.except = append(event.except, line); len(event.except) > maxDates {
				return nil, errTooManyImported
			}
		case "RDATE", "EXRULE":
			event.rdates = true
		default:
			event.lines[line.name] = line
		}
	}
	if len(open) > 0 || len(lines) == 0 {
		return nil, errICS
	}
	return events, nil
}

// icsMoment parses a day, or a time as the house's local time. own reports whether a repetition in that
// time's zone has the same dates in the house's local time.
func icsMoment(line icsLine, value string, z zone) (local time.Time, allDay, own bool, err error) {
	if len(value) == len(icsDay) {
		local, err = time.Parse(icsDay, value)
		return local, true, true, err
	}
	if strings.HasSuffix(value, "Z") {
		at, err := time.Parse(icsUTC, value)
		return z.local(at), false, sameClock(zone{time.UTC}, z, at), err
	}
	if local, err = time.Parse(icsLocal, value); err != nil || line.parameters["TZID"] == "" {
		return local, false, true, err
	}
	there, known := loadZone(strings.TrimPrefix(line.parameters["TZID"], "/"))
	if !known {
		return local, false, false, errICS
	}
	at := there.instant(local)
	return z.local(at), false, sameClock(there, z, at), nil
}

// sameClock reports whether two zones have the same offsets in the year around a time.
func sameClock(a, b zone, at time.Time) bool {
	for months := range 12 {
		moment := at.AddDate(0, months, 0)
		if !a.local(moment).Equal(b.local(moment)) {
			return false
		}
	}
	return true
}

var durations = regexp.MustCompile(
	`^\+?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$`)

func icsDuration(text string) (time.Duration, bool) {
	parts := durations.FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	var total time.Duration
	for i, unit := range []time.Duration{7 * day, day, time.Hour, time.Minute, time.Second} {
		if n, err := strconv.Atoi(parts[i+1]); err == nil {
			total += time.Duration(n) * unit
		}
	}
	return total, true
}

// icsID returns the same id for the same UID at every import. An event of this module keeps its own id.
func icsID(uid string) string {
	if own, is := strings.CutSuffix(uid, icsSuffix); is && sdk.IsID(own) {
		return own
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("icalendar:"+uid)).String()
}
