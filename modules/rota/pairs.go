package main

import (
	"context"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// maxPairs bounds with how many others one volunteer is in a pair.
const maxPairs = 20

func arePairs(all []pair) bool {
	seen := make(map[string]bool)
	for _, p := range all {
		if !sdk.IsID(p.ID) || seen[p.ID] {
			return false
		}
		seen[p.ID] = true
	}
	return len(all) <= maxPairs
}

// writePairs replaces the pairs of a volunteer, unless they are nil, and returns all volunteers who changed.
// The others of a pair get another rev, so that nobody overwrites it unseen.
func writePairs(ctx context.Context, tx *sdk.Tx, id string, wanted *[]pair) ([]volunteer, error) {
	changed := []string{id}
	if wanted != nil {
		before, err := sdk.Select[pair](ctx, tx, `
			SELECT other_id::text, apart FROM pairs WHERE volunteer_id = $1`, id)
		if err != nil {
			return nil, err
		}
		for _, p := range before {
			if !slices.Contains(*wanted, p) {
				changed = append(changed, p.ID)
			}
		}
		for _, p := range *wanted {
			if p.ID == id {
				return nil, sdk.ErrRequestInvalid
			}
			if !slices.Contains(before, p) && !slices.Contains(changed, p.ID) {
				changed = append(changed, p.ID)
			}
		}
		if len(changed) > 1 {
			if err := replacePairs(ctx, tx, id, *wanted, changed[1:]); err != nil {
				return nil, err
			}
		}
	}
	return volunteers(ctx, tx, changed)
}

func replacePairs(ctx context.Context, tx *sdk.Tx, id string, wanted []pair, others []string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM pairs WHERE volunteer_id = $1 OR other_id = $1`, id); err != nil {
		return err
	}
	for _, p := range wanted {
		_, err := tx.Exec(ctx, `
			INSERT INTO pairs (volunteer_id, other_id, apart) VALUES ($1, $2, $3), ($2, $1, $3)`, id, p.ID, p.Apart)
		if err != nil {
			return refusalOf(err)
		}
	}
	var most int
	err := tx.QueryRow(ctx, `
		SELECT coalesce(max(n), 0)
		FROM (
			SELECT count(*) AS n FROM pairs WHERE volunteer_id = ANY($1::uuid[]) GROUP BY volunteer_id) AS counted`,
		others).Scan(&most)
	if err != nil {
		return err
	}
	if most > maxPairs {
		return errTooMany
	}
	_, err = tx.Exec(ctx, `UPDATE volunteers SET rev = rev + 1 WHERE id = ANY($1::uuid[])`, others)
	return err
}

// ofID returns the volunteer with an id, who is among them.
func ofID(all []volunteer, id string) volunteer {
	return all[slices.IndexFunc(all, func(v volunteer) bool { return v.ID == id })]
}
