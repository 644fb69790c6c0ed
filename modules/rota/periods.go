package main

import (
	"context"
	"slices"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// days is a period of whole days, both included: "2026-12-24".
type days struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func within(day string, away []days) bool {
	return slices.ContainsFunc(away, func(d days) bool { return d.From <= day && day <= d.To })
}

// checkPeriods accepts periods that begin on different days.
func checkPeriods(all []days) error {
	begins := make(map[string]bool)
	for _, d := range all {
		if !isDay(d.From) || !isDay(d.To) || d.To < d.From || begins[d.From] {
			return sdk.ErrRequestInvalid
		}
		begins[d.From] = true
	}
	return nil
}

// isDay accepts "2026-12-24", of a year that every calendar has.
func isDay(text string) bool {
	day, err := time.Parse(time.DateOnly, text)
	return err == nil && day.Year() >= 2000
}

// replacePeriods writes all periods of a volunteer into the table away or wishes.
func replacePeriods(ctx context.Context, tx *sdk.Tx, table, id string, all []days) error {
	if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE volunteer_id = $1`, id); err != nil {
		return err
	}
	for _, d := range all {
		_, err := tx.Exec(ctx, `
			INSERT INTO `+table+` (volunteer_id, first_day, last_day) VALUES ($1, $2::text::date, $3::text::date)`,
			id, d.From, d.To)
		if err != nil {
			return err
		}
	}
	return nil
}
