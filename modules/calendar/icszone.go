package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// icsZone is a VTIMEZONE: the zone that a file defines under a name of its own.
type icsZone struct {
	name, iana  string // TZID; X-LIC-LOCATION
	observances []observance
}

// observance is a rule by which the clock changes, in local time before the change.
type observance struct {
	daylight   bool
	start      string
	rule       string
	more       []string // RDATE
	from, to   int      // seconds east of UTC
	hasOffsets int      // 2: both
}

func (z *icsZone) observe(daylight bool) {
	if len(z.observances) < maxObservances {
		z.observances = append(z.observances, observance{daylight: daylight})
	}
}

func (z *icsZone) take(line icsLine, inside bool) {
	value := strings.TrimSpace(line.value)
	if !inside || len(z.observances) == 0 {
		switch line.name {
		case "TZID":
			z.name = value
		case "X-LIC-LOCATION":
			z.iana = value
		}
		return
	}
	o := &z.observances[len(z.observances)-1]
	switch line.name {
	case "DTSTART":
		o.start = value
	case "RRULE":
		o.rule = value
	case "RDATE":
		if len(o.more) < maxObservances {
			o.more = append(o.more, value)
		}
	case "TZOFFSETFROM", "TZOFFSETTO":
		seconds, ok := icsSeconds(value)
		if !ok {
			return
		}
		o.hasOffsets++
		if line.name == "TZOFFSETTO" {
			o.to = seconds
		} else {
			o.from = seconds
		}
	}
}

// icsSeconds reads an offset from UTC such as +0100 or -023030.
func icsSeconds(text string) (int, bool) {
	text = strings.ReplaceAll(text, ":", "")
	if len(text) != 5 && len(text) != 7 || text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[1:], 10, 32)
	if len(text) == 5 {
		n *= 100
	}
	hours, minutes, seconds := int(n/10000), int(n/100%100), int(n%100)
	total := hours*3600 + minutes*60 + seconds
	if text[0] == '-' {
		total = -total
	}
	return total, err == nil && hours < 24 && minutes < 60 && seconds < 60
}

// icsZones resolves the names of zones in a file.
type icsZones struct {
	house   zone
	defined map[string]*icsZone
	known   map[string]zone
}

func newICSZones(house zone) *icsZones {
	return &icsZones{house, make(map[string]*icsZone), make(map[string]zone)}
}

func (z *icsZones) add(one *icsZone) {
	if one.name != "" && len(z.defined) < maxICSZones {
		z.defined[one.name] = one
	}
}

// named returns the zone of a TZID. The name of a zone of IANA is one wherever it stands in the TZID; any
// other name means what the file defines for it, or else a zone of Windows, a city or an offset.
func (z *icsZones) named(name string) (zone, bool) {
	if found, is := z.known[name]; is {
		return found, found.place != nil
	}
	if len(z.known) > maxICSZones {
		return zone{}, false
	}
	found, is := z.look(name)
	z.known[name] = found
	return found, is
}

func (z *icsZones) look(name string) (zone, bool) {
	if found, is := ianaZone(name); is && strings.Contains(name, "/") {
		return found, true
	}
	if defined, is := z.defined[name]; is {
		if found, is := ianaZone(defined.iana); is {
			return found, true
		}
		if place := defined.location(); place != nil {
			return zone{place}, true
		}
	}
	for _, look := range []func(string) (zone, bool){ianaZone, windowsZone, offsetZone, cityZone} {
		if found, is := look(strings.Trim(strings.TrimSpace(name), `"'`)); is {
			return found, true
		}
	}
	return zone{}, false
}

// ianaZone finds the name of a zone at the end of a path.
func ianaZone(name string) (zone, bool) {
	name = strings.Trim(name, "/")
	if found, is := loadZone(name); is {
		return found, true
	}
	parts := strings.Split(name, "/")
	for _, count := range []int{3, 2} {
		if len(parts) > count {
			if found, is := loadZone(strings.Join(parts[len(parts)-count:], "/")); is {
				return found, true
			}
		}
	}
	return zone{}, false
}

var offsets = regexp.MustCompile(`^\(?(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?\)?$`)

// offsetZone reads a name such as UTC+01:00.
func offsetZone(name string) (zone, bool) {
	parts := offsets.FindStringSubmatch(strings.ToUpper(name))
	if parts == nil {
		return zone{}, false
	}
	minutes := parts[3]
	if minutes == "" {
		minutes = "00"
	}
	hours := parts[2]
	if len(hours) == 1 {
		hours = "0" + hours
	}
	seconds, ok := icsSeconds(parts[1] + hours + minutes)
	return zone{time.FixedZone(name, seconds)}, ok
}

// cityZone reads a name such as "(UTC+01:00) Amsterdam, Berlin, Rome": the first city that has a zone.
func cityZone(name string) (zone, bool) {
	if _, after, is := strings.Cut(name, ")"); is {
		name = after
	}
	if len(name) > 200 {
		return zone{}, false
	}
	for city := range strings.SplitSeq(name, ",") {
		city = strings.ReplaceAll(strings.TrimSpace(city), " ", "_")
		for _, region := range []string{"Europe", "America", "Africa", "Asia", "Australia", "Pacific", "Atlantic",
			"Indian"} {
			if city == "" {
				continue
			}
			if found, is := loadZone(region + "/" + city); is {
				return found, true
			}
		}
	}
	return zone{}, false
}

// The years for which the changes of the clock of a defined zone are looked up.
const (
	firstYear = 1970
	lastYear  = 2050
)

// clockChange is a change of the clock of a defined zone, at a second since 1970.
type clockChange struct {
	at       int64
	to       int
	daylight bool
}

// location makes a zone of the definition, or returns nil if it defines nothing.
func (z *icsZone) location() *time.Location {
	var changes []clockChange
	earliest, before, searched := "", 0, 0
	for _, o := range z.observances {
		if o.hasOffsets < 2 {
			continue
		}
		if earliest == "" || o.start < earliest {
			earliest, before = o.start, o.from
		}
		if o.rule != "" {
			if searched++; searched > 16 {
				return nil // each costs a search through all the years
			}
		}
		for _, local := range o.onsets() {
			changes = append(changes,
				clockChange{local.Add(-time.Duration(o.from) * time.Second).Unix(), o.to, o.daylight})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	slices.SortStableFunc(changes, func(a, b clockChange) int { return int(min(max(a.at-b.at, -1), 1)) })
	place, err := time.LoadLocationFromTZData(z.name, zoneData(before, changes))
	if err != nil {
		return nil
	}
	return place
}

// onsets returns the local times at which an observance begins. Programs begin their rules in 1601 or 1970,
// so one that repeats each year begins in firstYear at the earliest.
func (o observance) onsets() (all []time.Time) {
	start, err := time.Parse(icsLocal, strings.TrimSuffix(o.start, "Z"))
	if err != nil {
		return nil
	}
	if o.rule == "" {
		all = append(all, start)
	} else if option, err := rrule.StrToROption(normalRule(o.rule)); err == nil &&
		option.Freq == rrule.YEARLY && option.Interval <= 1 && len(option.Byhour)+len(option.Byminute)+
		len(option.Bysecond) == 0 {
		if years := firstYear - start.Year(); years > 0 && option.Count == 0 {
			start = start.AddDate(years, 0, 0)
		}
		option.Dtstart = start
		last := time.Date(lastYear, 12, 31, 0, 0, 0, 0, time.UTC)
		if option.Until.IsZero() || option.Until.After(last) {
			option.Until = last
		}
		if made, err := rrule.NewRRule(*option); err == nil {
			next := made.Iterator()
			for at, more := next(); more && len(all) <= 2*(lastYear-firstYear); at, more = next() {
				all = append(all, at)
			}
		}
	}
	for _, line := range o.more {
		for text := range strings.SplitSeq(line, ",") {
			if at, err := time.Parse(icsLocal, strings.TrimSuffix(strings.TrimSpace(text), "Z")); err == nil &&
				len(all) < 2*maxObservances {
				all = append(all, at)
			}
		}
	}
	return all
}

// zoneData writes a zone in the format of the tables of time zones (RFC 9636, version 2), the only one of
// which Go makes a zone. Its first kind of time is the one before all changes.
func zoneData(before int, changes []clockChange) []byte {
	kinds := []clockChange{{to: before}}
	kind := make([]byte, len(changes))
	for at, c := range changes {
		same := func(k clockChange) bool { return k.to == c.to && k.daylight == c.daylight }
		index := slices.IndexFunc(kinds[1:], same) + 1
		if index == 0 {
			kinds, index = append(kinds, c), len(kinds)
		}
		kind[at] = byte(index)
	}
	data := zoneHeader(nil, 0, 1)
	data = append(data, make([]byte, 6+4)...) // the block of version 1, which is not read
	data = zoneHeader(data, len(changes), len(kinds))
	for _, c := range changes {
		data = bigEndian(data, c.at, 8)
	}
	data = append(data, kind...)
	for _, k := range kinds {
		data = bigEndian(data, int64(k.to), 4)
		daylight := byte(0)
		if k.daylight {
			daylight = 1
		}
		data = append(data, daylight, 0)
	}
	return append(data, "-00\x00\n\n"...)
}

// zoneHeader writes the header of a block: no leap seconds, and one abbreviation of three letters.
func zoneHeader(data []byte, changes, kinds int) []byte {
	data = append(data, "TZif2"...)
	data = append(data, make([]byte, 15)...)
	for _, count := range []int{0, 0, 0, changes, kinds, 4} {
		data = bigEndian(data, int64(count), 4)
	}
	return data
}

func bigEndian(data []byte, n int64, size int) []byte {
	for shift := 8 * (size - 1); shift >= 0; shift -= 8 {
		data = append(data, byte(n>>shift))
	}
	return data
}
