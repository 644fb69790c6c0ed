package script

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// part is a piece of a formatted date or number: its type as Intl names it, and its text.
type part struct{ kind, text string }

// intlNatives format dates and numbers in the languages of the house, as the browsers of its people do. The
// first argument is a language or "", which is the house's; the second has the options.
func (e *engine) intlNatives() map[string]any {
	return map[string]any{
		"dateFormat": e.direct(func(a arguments) (goja.Value, error) {
			options := dateOptions{}
			if err := a.options(1, &options); err != nil {
				return nil, err
			}
			options.defaults(a.at(2).String())
			if err := options.check(); err != nil {
				return nil, err
			}
			return e.vm.ToValue(&dateFormat{locale: a.at(0).String(), dateOptions: options}), nil
		}),
		"formatDate": e.direct(func(a arguments) (goja.Value, error) {
			format, is := a.at(0).Export().(*dateFormat)
			millis := a.at(1).ToFloat()
			if !is || math.IsNaN(millis) || math.Abs(millis) > 8.64e15 {
				panic(a.vm.NewTypeError("Invalid time value"))
			}
			return e.parts(format.parts(time.UnixMilli(int64(millis)), e.localPlace(format.locale, format.zone)))
		}),
		"numberFormat": e.direct(func(a arguments) (goja.Value, error) {
			options := numberOptions{}
			if err := a.options(1, &options); err != nil {
				return nil, err
			}
			if err := options.check(); err != nil {
				return nil, err
			}
			return e.vm.ToValue(&numberFormat{locale: a.at(0).String(), numberOptions: options}), nil
		}),
		"formatNumber": e.direct(func(a arguments) (goja.Value, error) {
			format, is := a.at(0).Export().(*numberFormat)
			if !is {
				panic(a.vm.NewTypeError("not a number format"))
			}
			return e.parts(format.parts(a.at(1), e.localPlace(format.locale, nil).language))
		}),
		"intlPlace": e.direct(func(a arguments) (goja.Value, error) {
			zone := (*time.Location)(nil)
			if format, is := a.at(1).Export().(*dateFormat); is {
				zone = format.zone
			}
			found := e.localPlace(a.at(0).String(), zone)
			return e.vm.ToValue([]any{found.language.tag, found.zone.String()}), nil
		}),
	}
}

// options reads an argument that has the options as JSON. Unknown ones say nothing, as in browsers.
func (a arguments) options(n int, into any) error {
	if err := json.Unmarshal([]byte(a.text(n, "the options")), into); err != nil {
		return fmt.Errorf("the options cannot be read: %w", err)
	}
	return nil
}

// parts makes an array of types and texts.
func (e *engine) parts(all []part) (goja.Value, error) {
	flat := make([]any, 0, 2*len(all))
	for _, one := range all {
		flat = append(flat, one.kind, one.text)
	}
	return e.vm.NewArray(flat...), nil
}

// setting is a language and a zone in which something is written.
type setting struct {
	language *language
	zone     *time.Location
}

// localPlace returns the language of a tag and a zone, which are the house's if they are "" and nil.
func (e *engine) localPlace(tag string, zone *time.Location) setting {
	house := e.house.Load()
	if house == nil {
		house = &sdk.House{Language: "en", Zone: time.UTC}
	}
	found := setting{languageOf(tag), zone}
	if found.language == nil {
		found.language = languageOf(house.Language)
	}
	if found.language == nil {
		found.language = &english
	}
	if found.zone == nil {
		found.zone = house.Zone
	}
	return found
}

// languageOf returns the language of a tag such as de-AT; nil if it is not one of the house's.
func languageOf(tag string) *language {
	code, region, _ := strings.Cut(strings.ToLower(tag), "-")
	switch {
	case code == "de":
		return &german
	case code == "en" && (region == "" || region == "us" || region == "ca"):
		return &english
	case code == "en":
		return &british
	}
	return nil
}

// language has the names and the patterns of a language.
type language struct {
	tag                 string
	months, shortMonths []string
	aloneMonths         []string // short ones without a day or a year
	days, shortDays     []string
	aloneDays           []string
	halves              [2]string // of the day, where it is told
	twelve              bool      // hours are counted to 12
	at                  string    // between a date in words and a time
	hour                string    // behind an hour alone
	group, decimal      string
	zones               map[string]string // abbreviations that are read there, by those of the table of zones
}

var english = language{
	tag: "en",
	months: []string{"January", "February", "March", "April", "May", "June", "July", "August", "September",
		"October", "November", "December"},
	shortMonths: strings.Fields("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
	aloneMonths: strings.Fields("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
	days:        strings.Fields("Sunday Monday Tuesday Wednesday Thursday Friday Saturday"),
	shortDays:   strings.Fields("Sun Mon Tue Wed Thu Fri Sat"),
	aloneDays:   strings.Fields("Sun Mon Tue Wed Thu Fri Sat"),
	halves:      [2]string{"AM", "PM"}, twelve: true, at: " at ", group: ",", decimal: ".",
	zones: sameNames("EST EDT CST CDT MST MDT PST PDT AKST AKDT HST"),
}

var british = language{
	tag: "en-GB", months: english.months,
	shortMonths: strings.Fields("Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec"),
	aloneMonths: strings.Fields("Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec"),
	days:        english.days, shortDays: english.shortDays, aloneDays: english.shortDays,
	halves: [2]string{"am", "pm"}, at: " at ", group: ",", decimal: ".",
	zones: sameNames("GMT BST CET CEST EET EEST WET WEST"),
}

var german = language{
	tag: "de",
	months: strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November " +
		"Dezember"),
	shortMonths: strings.Fields("Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez."),
	aloneMonths: strings.Fields("Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez"),
	days:        strings.Fields("Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag"),
	shortDays:   strings.Fields("So. Mo. Di. Mi. Do. Fr. Sa."),
	aloneDays:   strings.Fields("So Mo Di Mi Do Fr Sa"),
	halves:      [2]string{"AM", "PM"}, at: " um ", hour: "Uhr", group: ".", decimal: ",",
	zones: map[string]string{"CET": "MEZ", "CEST": "MESZ", "EET": "OEZ", "EEST": "OESZ", "WET": "WEZ",
		"WEST": "WESZ"},
}

func sameNames(list string) map[string]string {
	names := make(map[string]string)
	for name := range strings.FieldsSeq(list) {
		names[name] = name
	}
	return names
}
