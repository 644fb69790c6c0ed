package main

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of the groups of screens that a slide names.
const (
	maxScreens    = 20
	maxScreenName = 80 // characters, as of a screen's label
)

// only is when and where alone a slide is shown between its start and its end. The screens decide, by the
// clock of the house and by their own label.
type only struct {
	Weekdays []int    `json:"weekdays"` // 1 is Monday, 7 Sunday; none: every day
	Hours    *hours   `json:"hours"`    // nil: the whole day
	Screens  []string `json:"screens"`  // with what the labels of the screens begin; none: all screens
}

// hours are times of the house's clock, "15:04". Those that end before they begin end on the next day.
type hours struct {
	From  string `json:"from"`
	Until string `json:"until"`
}

// checked returns it in its only form, and nil if it excludes nothing.
func (o *only) checked() (*only, error) {
	if o == nil {
		return nil, nil
	}
	kept := only{Weekdays: slices.Compact(slices.Sorted(slices.Values(o.Weekdays))), Hours: o.Hours,
		Screens: []string{}}
	for _, day := range kept.Weekdays {
		if day < 1 || day > 7 {
			return nil, sdk.ErrRequestInvalid
		}
	}
	if len(kept.Weekdays) == 0 || len(kept.Weekdays) == 7 {
		kept.Weekdays = []int{}
	}
	if h := o.Hours; h != nil && (!isClock(h.From) || !isClock(h.Until) || h.From == h.Until) {
		return nil, sdk.ErrRequestInvalid
	}
	for _, name := range o.Screens {
		name = strings.TrimSpace(name)
		if !sdk.IsText(name, 1, maxScreenName) || len(kept.Screens) == maxScreens {
			return nil, sdk.ErrRequestInvalid
		}
		same := func(other string) bool { return strings.EqualFold(name, other) }
		if !slices.ContainsFunc(kept.Screens, same) {
			kept.Screens = append(kept.Screens, name)
		}
	}
	if len(kept.Weekdays)+len(kept.Screens) == 0 && kept.Hours == nil {
		return nil, nil
	}
	return &kept, nil
}

func isClock(text string) bool {
	at, err := time.Parse("15:04", text)
	return err == nil && at.Format("15:04") == text
}

// stored returns it as a text, which the database converts to jsonb.
func (o *only) stored() (*string, error) {
	if o == nil {
		return nil, nil
	}
	text, err := json.Marshal(o)
	written := string(text)
	return &written, err
}

// readOnly returns what the database has stored.
func readOnly(stored []byte) (*only, error) {
	if stored == nil {
		return nil, nil
	}
	var o only
	err := json.Unmarshal(stored, &o)
	return &o, err
}
