package script

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// dateOptions are those of Intl.DateTimeFormat that scripts have.
type dateOptions struct {
	DateStyle, TimeStyle              string
	Weekday, Year, Month, Day         string
	Hour, Minute, Second              string
	TimeZone, TimeZoneName, HourCycle string
	Hour12                            *bool
	FractionalSecondDigits            int
	zone                              *time.Location
	styled                            bool
}

// dateFormat formats dates in a language, "" for the house's.
type dateFormat struct {
	locale string
	dateOptions
}

// defaults chooses what is written if the options name nothing: "date", "time" or "all", which toLocaleString
// and its sisters have. The last two are also missing parts of options that name the other.
func (o *dateOptions) defaults(wanted string) {
	date := o.Weekday+o.Year+o.Month+o.Day != ""
	clock := o.Hour+o.Minute+o.Second != "" || o.FractionalSecondDigits > 0
	styled := o.DateStyle+o.TimeStyle != ""
	if !styled && !date && (wanted == "date" && !clock || wanted == "all" && !clock || wanted == "onlydate") {
		o.Year, o.Month, o.Day = "numeric", "numeric", "numeric"
	}
	if !styled && !clock && (wanted == "all" && !date || wanted == "onlytime") {
		o.Hour, o.Minute, o.Second = "numeric", "numeric", "numeric"
	}
}

// known are the values of each option.
var known = map[string]string{"style": "full long medium short", "name": "long short narrow",
	"number": "numeric 2-digit", "month": "numeric 2-digit long short narrow",
	"zone": "short long shortOffset longOffset shortGeneric longGeneric", "cycle": "h11 h12 h23 h24"}

// check refuses values that Intl does not know, and makes of the styles what they consist of.
func (o *dateOptions) check() error {
	for _, one := range []struct{ name, value, kind string }{
		{"dateStyle", o.DateStyle, "style"}, {"timeStyle", o.TimeStyle, "style"},
		{"weekday", o.Weekday, "name"}, {"year", o.Year, "number"}, {"month", o.Month, "month"},
		{"day", o.Day, "number"}, {"hour", o.Hour, "number"}, {"minute", o.Minute, "number"},
		{"second", o.Second, "number"}, {"timeZoneName", o.TimeZoneName, "zone"},
		{"hourCycle", o.HourCycle, "cycle"},
	} {
		if one.value != "" && !strings.Contains(" "+known[one.kind]+" ", " "+one.value+" ") {
			return fmt.Errorf("RangeError: value %s out of range for Intl.DateTimeFormat options property %s",
				short(one.value), one.name)
		}
	}
	if o.TimeZone != "" {
		var err error
		if o.zone, err = time.LoadLocation(o.TimeZone); err != nil || o.TimeZone == "Local" {
			return fmt.Errorf("RangeError: invalid time zone specified: %s", short(o.TimeZone))
		}
	}
	if o.DateStyle+o.TimeStyle == "" {
		return nil
	}
	if o.Weekday+o.Year+o.Month+o.Day+o.Hour+o.Minute+o.Second+o.TimeZoneName != "" {
		return errStyle
	}
	o.styled = true
	switch o.DateStyle {
	case "full":
		o.Weekday, o.Year, o.Month, o.Day = "long", "numeric", "long", "numeric"
	case "long":
		o.Year, o.Month, o.Day = "numeric", "long", "numeric"
	case "medium":
		o.Year, o.Month, o.Day = "numeric", "short", "numeric"
	case "short":
		o.Year, o.Month, o.Day = "2-digit", "numeric", "numeric"
	}
	if o.TimeStyle != "" {
		o.Hour, o.Minute = "numeric", "2-digit"
	}
	if o.TimeStyle != "" && o.TimeStyle != "short" {
		o.Second = "2-digit"
	}
	switch o.TimeStyle {
	case "full":
		o.TimeZoneName = "long"
	case "long":
		o.TimeZoneName = "short"
	}
	return nil
}

var errStyle = errors.New("TypeError: dateStyle and timeStyle exclude other options")

// parts formats a moment.
func (held *dateFormat) parts(moment time.Time, in setting) []part {
	t, l, f := moment.In(in.zone), in.language, *held
	if f.styled && f.DateStyle == "medium" && l == &german {
		f.Month = "numeric" // it has no words
	}
	date, clock := f.date(t, l), f.clock(t, l)
	if len(date) == 0 || len(clock) == 0 {
		return append(date, clock...)
	}
	between := ", "
	switch {
	case f.Month == "long" && f.Day != "":
		between = l.at
	case f.Weekday != "" && f.Day+f.Month+f.Year == "" && l != &german:
		between = " "
	}
	return append(append(date, part{"literal", between}), clock...)
}

// date writes the date in the order of the language.
func (f dateFormat) date(t time.Time, l *language) (all []part) {
	day, month, year := f.dayAndMonth(t, l)
	var rest []part
	words := f.Month == "long" || f.Month == "short" || f.Month == "narrow"
	switch {
	case l == &german && words:
		rest = joined(day, ". ", month, " ", year)
	case l == &german && f.Day != "" && f.Month != "":
		rest = joined(day, ".", month, ".", year)
		if f.Year == "" {
			rest = append(rest, part{"literal", "."})
		}
	case l == &german && f.Day != "" && f.Weekday != "":
		rest = append(rest, *day, part{"literal", "."})
	case l == &english && words && f.Day != "":
		rest = joined(month, " ", day, ", ", year)
	case l == &english && words:
		rest = joined(month, " ", year)
	case l == &english:
		rest = joined(month, "/", day, "/", year)
	case words:
		rest = joined(day, " ", month, " ", year)
	default:
		rest = joined(day, "/", month, "/", year)
	}
	if f.Weekday == "" {
		return rest
	}
	alone := len(rest) == 0 && f.Hour+f.Minute+f.Second == ""
	weekday := part{"weekday", l.weekday(f.Weekday, t.Weekday(), alone)}
	if len(rest) == 0 {
		return []part{weekday}
	}
	between := ", "
	if l == &british && f.Year == "" {
		between = " "
	}
	return append([]part{weekday, {"literal", between}}, rest...)
}

// dayAndMonth writes the three numbers of a date, nil for one that is not wanted.
func (f dateFormat) dayAndMonth(t time.Time, l *language) (day, month, year *part) {
	dayForm, monthForm := f.Day, f.Month
	short := f.styled && f.DateStyle == "short"
	padded := f.styled && (f.DateStyle == "short" || f.DateStyle == "medium") && l == &german
	numbers := l == &british && (f.Month == "numeric" || f.Month == "2-digit") && (f.Day != "" || f.Year != "")
	if numbers || padded {
		dayForm, monthForm = twoDigits(dayForm), twoDigits(monthForm)
	}
	if f.Day != "" {
		day = &part{"day", digits(t.Day(), dayForm)}
	}
	switch f.Month {
	case "":
	case "long":
		month = &part{"month", l.months[t.Month()-1]}
	case "short", "narrow":
		names := l.shortMonths
		if f.Day == "" && f.Year == "" {
			names = l.aloneMonths
		}
		month = &part{"month", names[t.Month()-1]}
	default:
		month = &part{"month", digits(int(t.Month()), monthForm)}
	}
	if f.Year != "" {
		text := strconv.Itoa(t.Year())
		if f.Year == "2-digit" && !(short && l == &british) {
			text = digits(t.Year()%100, "2-digit")
		}
		year = &part{"year", text}
	}
	return day, month, year
}

func twoDigits(form string) string {
	if form == "" {
		return ""
	}
	return "2-digit"
}

func digits(n int, form string) string {
	if form == "2-digit" {
		return fmt.Sprintf("%02d", n)
	}
	return strconv.Itoa(n)
}

func (l *language) weekday(form string, day time.Weekday, alone bool) string {
	switch {
	case form == "long":
		return l.days[day]
	case alone:
		return l.aloneDays[day]
	}
	return l.shortDays[day]
}

// joined joins the parts that are there: part, literal, part and so on.
func joined(pieces ...any) (all []part) {
	between := ""
	for _, piece := range pieces {
		switch p := piece.(type) {
		case string:
			if len(all) > 0 && between == "" {
				between = p
			}
		case *part:
			if p == nil {
				continue
			}
			if len(all) > 0 {
				all = append(all, part{"literal", between})
			}
			all, between = append(all, *p), ""
		}
	}
	return all
}

// clock writes the time.
func (f dateFormat) clock(t time.Time, l *language) (all []part) {
	twelve := l.twelve
	if f.HourCycle != "" {
		twelve = f.HourCycle == "h11" || f.HourCycle == "h12"
	}
	if f.Hour12 != nil {
		twelve = *f.Hour12
	}
	if f.Hour != "" {
		hour, form := t.Hour(), "2-digit"
		switch {
		case twelve:
			hour, form = (hour+11)%12+1, f.Hour
		case f.Minute == "2-digit" && !f.styled && !l.twelve: // as browsers do
			form = f.Hour
		}
		all = append(all, part{"hour", digits(hour, form)})
	}
	add := func(kind, form string, value int) {
		if form == "" {
			return
		}
		if len(all) > 0 {
			all = append(all, part{"literal", ":"})
		}
		if len(all) > 0 || kind == "minute" && f.Second != "" {
			form = "2-digit"
		} else {
			form = "numeric"
		}
		all = append(all, part{kind, digits(value, form)})
	}
	add("minute", f.Minute, t.Minute())
	add("second", f.Second, t.Second())
	if n := f.FractionalSecondDigits; n > 0 && n <= 3 && f.Second != "" {
		all = append(all, part{"literal", l.decimal},
			part{"fractionalSecond", fmt.Sprintf("%03d", t.Nanosecond()/1e6)[:n]})
	}
	switch {
	case f.Hour != "" && twelve:
		all = append(all, part{"literal", " "}, part{"dayPeriod", l.halves[t.Hour()/12]})
	case f.Hour != "" && f.Minute == "" && l.hour != "":
		all = append(all, part{"literal", " "}, part{"literal", l.hour})
	}
	if f.TimeZoneName != "" {
		if len(all) > 0 {
			all = append(all, part{"literal", " "})
		}
		all = append(all, part{"timeZoneName", zoneName(t, f.TimeZoneName, l)})
	}
	return all
}

// zoneName returns what people of a language call a zone, or how far it is from Greenwich. The long names of
// zones are not there: their offset is.
func zoneName(t time.Time, form string, l *language) string {
	name, offset := t.Zone()
	if form == "short" || form == "long" || strings.HasSuffix(form, "Generic") {
		if t.Location() == time.UTC || name == "UTC" {
			return "UTC"
		}
		if own := l.zones[name]; own != "" {
			return own
		}
	}
	sign := "+"
	if offset < 0 {
		sign, offset = "-", -offset
	}
	hours, minutes := offset/3600, offset/60%60
	switch {
	case form == "longOffset":
		return fmt.Sprintf("GMT%s%02d:%02d", sign, hours, minutes)
	case minutes != 0:
		return fmt.Sprintf("GMT%s%d:%02d", sign, hours, minutes)
	}
	return fmt.Sprintf("GMT%s%d", sign, hours)
}
