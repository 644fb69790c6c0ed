package main

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// writtenPerson is a volunteer as an import writes them, and as its undo restores them. What is nil stays as
// it is.
type writtenPerson struct {
	ID       string   `json:"id"`
	Label    string   `json:"label"`
	Email    string   `json:"email"`
	Language string   `json:"language"`
	Digest   bool     `json:"digest"`
	PerMonth int      `json:"perMonth"`
	RoleIDs  []string `json:"roleIds"`
	Away     *[]days  `json:"away"`
	Wishes   *[]days  `json:"wishes"`
	Pairs    *[]pair  `json:"pairs"`
}

// written returns a volunteer with everything that an import can change.
func (v *volunteer) written() writtenPerson {
	return writtenPerson{v.ID, v.Label, v.Email, v.Language, v.Digest, v.PerMonth, v.RoleIDs, &v.Away, &v.Wishes,
		&v.Pairs}
}

// same reports whether two volunteers have the same content, in whatever order their lists are.
func (p writtenPerson) same(other writtenPerson) bool { return p.canonical() == other.canonical() }

func (p writtenPerson) canonical() string {
	p.RoleIDs = slices.Compact(slices.Sorted(slices.Values(p.RoleIDs)))
	p.Away, p.Wishes = sortedPeriods(p.Away), sortedPeriods(p.Wishes)
	if p.Pairs != nil {
		pairs := slices.SortedFunc(slices.Values(*p.Pairs),
			func(a, b pair) int { return strings.Compare(a.ID, b.ID) })
		p.Pairs = &pairs
	}
	text, _ := json.Marshal(p)
	return string(text)
}

// sortedPeriods returns the periods that volunteersWhere reads: those that ended long ago are over.
func sortedPeriods(all *[]days) *[]days {
	if all == nil {
		return nil
	}
	over := time.Now().UTC().AddDate(0, 0, -31).Format(time.DateOnly)
	kept := slices.DeleteFunc(slices.Clone(*all), func(d days) bool { return d.To < over })
	slices.SortFunc(kept, func(a, b days) int { return strings.Compare(a.From, b.From) })
	return &kept
}

// peopleAtOnce keeps the values of one statement below its limit.
const peopleAtOnce = 200

// given are the volunteers of one statement.
const given = ` FROM jsonb_to_recordset($1::jsonb) AS given (
	id uuid, label text, email text, language text, digest boolean, "perMonth" integer, "roleIds" jsonb,
	away jsonb, wishes jsonb, pairs jsonb) `

// writePeople writes volunteers by their ids, with a few statements however many they are. Roles that do not
// exist are left out.
func writePeople(ctx context.Context, tx *sdk.Tx, people []writtenPerson) error {
	for part := range slices.Chunk(people, peopleAtOnce) {
		text, err := json.Marshal(part)
		if err != nil {
			return err
		}
		for _, statement := range []string{`
			INSERT INTO volunteers AS v (id, label, email, language, digest, per_month)
			SELECT id, label, email, language, digest, nullif("perMonth", 0)` + given + `
			ON CONFLICT (id) DO UPDATE
			SET label = excluded.label, email = excluded.email, language = excluded.language,
			    digest = excluded.digest, per_month = excluded.per_month, rev = v.rev + 1,
			    link = v.link + CASE WHEN v.email = excluded.email THEN 0 ELSE 1 END`,
			`DELETE FROM volunteer_roles WHERE volunteer_id IN (SELECT id` + given + `)`, `
			INSERT INTO volunteer_roles (volunteer_id, role_id)
			SELECT DISTINCT id, role::uuid` + given + `, jsonb_array_elements_text("roleIds") AS role
			WHERE EXISTS (SELECT FROM roles WHERE roles.id = role::uuid)`,
			replaceAll("away"), insertAll("away"), replaceAll("wishes"), insertAll("wishes"),
		} {
			if _, err := tx.Exec(ctx, statement, string(text)); err != nil {
				return refusalOf(err)
			}
		}
	}
	var readers, everybody int
	err := tx.QueryRow(ctx, `SELECT count(*) FILTER (WHERE digest), count(*) FROM volunteers`).
		Scan(&readers, &everybody)
	switch {
	case err != nil:
		return err
	case readers > maxDigest:
		return errDigestFull
	case everybody > maxVolunteers:
		return errTooMany
	}
	return nil
}

// replaceAll deletes the periods of the volunteers that have other ones.
func replaceAll(table string) string {
	return `DELETE FROM ` + table + ` WHERE volunteer_id IN (
		SELECT id` + given + ` WHERE jsonb_typeof(` + table + `) = 'array')`
}

func insertAll(table string) string {
	return `
		INSERT INTO ` + table + ` (volunteer_id, first_day, last_day)
		SELECT id, (one->>'from')::date, (one->>'to')::date` + given + `,
			jsonb_array_elements(coalesce(nullif(` + table + `, 'null'), '[]')) AS one`
}

// writeAllPairs replaces the pairs of these volunteers, who are all there, with a few statements. The others
// of a pair get another rev, so that nobody overwrites it unseen.
func writeAllPairs(ctx context.Context, tx *sdk.Tx, people []writtenPerson) error {
	people = slices.DeleteFunc(slices.Clone(people), func(p writtenPerson) bool { return p.Pairs == nil })
	others, err := othersOf(ctx, tx, people)
	if err != nil {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM pairs USING (SELECT id` + given + `) AS one WHERE one.id IN (volunteer_id, other_id)`, `
		INSERT INTO pairs (volunteer_id, other_id, apart)
		SELECT CASE WHEN turned THEN other ELSE id END, CASE WHEN turned THEN id ELSE other END, apart
		FROM (
			SELECT id, (one->>'id')::uuid AS other, (one->>'apart')::boolean AS apart` + given + `,
				jsonb_array_elements(pairs) AS one) AS wanted, (VALUES (true), (false)) AS way (turned)
		ON CONFLICT DO NOTHING`,
	} {
		for part := range slices.Chunk(people, peopleAtOnce) {
			text, err := json.Marshal(part)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, statement, string(text)); err != nil {
				return err
			}
		}
	}
	_, err = tx.Exec(ctx, `UPDATE volunteers SET rev = rev + 1 WHERE id = ANY($1::uuid[])`, others)
	return err
}

// othersOf returns who is not among these volunteers and is in another pair with one of them afterwards.
func othersOf(ctx context.Context, tx *sdk.Tx, people []writtenPerson) ([]string, error) {
	type oneWay struct {
		ID, Other string
		Apart     bool
	}
	among, before := make(map[string]bool), make(map[oneWay]bool)
	for _, p := range people {
		among[p.ID] = true
	}
	there, err := sdk.Select[oneWay](ctx, tx, `SELECT volunteer_id::text, other_id::text, apart FROM pairs`)
	if err != nil {
		return nil, err
	}
	for _, one := range there {
		if among[one.ID] && !among[one.Other] {
			before[one] = true
		}
	}
	changed := make(map[string]bool)
	for _, p := range people {
		for _, other := range *p.Pairs {
			one := oneWay{p.ID, other.ID, other.Apart}
			if !among[one.Other] && !before[one] {
				changed[one.Other] = true
			}
			delete(before, one)
		}
	}
	for one := range before { // which is over
		changed[one.Other] = true
	}
	return slices.Sorted(maps.Keys(changed)), nil
}
