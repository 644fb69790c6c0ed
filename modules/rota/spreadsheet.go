package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The columns of a list of volunteers, with all names that each may have.
var columnNames = map[string][]string{
	"name":     {"name", "label"},
	"email":    {"email", "e-mail", "mail"},
	"roles":    {"roles", "role", "rollen", "dienste"},
	"language": {"language", "sprache"},
}

// line is a volunteer in a list.
type line struct {
	number int // in the file, from 1
	draft  volunteerDraft
	roles  []string // by name
}

// readList reads a list as spreadsheets write it: with commas, semicolons or tabs, with or without a byte
// order mark. The first line names the columns.
func readList(text []byte, found *sdk.Exchange) (lines []line) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		found.Problem(1, "NOT_UTF8")
		return nil
	}
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comma, reader.FieldsPerRecord, reader.TrimLeadingSpace = separator(text), -1, true
	head, err := reader.Read()
	columns := columnsOf(head)
	if _, named := columns["name"]; err != nil || !named {
		found.Problem(1, "COLUMNS_UNKNOWN")
		return nil
	}
	seen := make(map[string]bool)
	for {
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			if len(lines) == 0 && found.ProblemCount == 0 {
				found.Problem(1, "EMPTY")
			}
			return lines
		}
		if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
			found.Problem(parse.Line, "NOT_CSV")
			return nil
		}
		number, _ := reader.FieldPos(0)
		l, code := lineOf(columns, fields)
		if l.number = number; code == "" {
			key := folded(l.draft.Label) + "\x00" + folded(l.draft.Email)
			if seen[key] {
				code = "TWICE"
			}
			seen[key] = true
		}
		if code != "" {
			found.Problem(number, code)
		} else {
			lines = append(lines, l)
		}
	}
}

// separator returns the separator that occurs most often in the first line.
func separator(text []byte) rune {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	best, most := ',', bytes.Count(first, []byte(","))
	for _, other := range ";\t" {
		if n := bytes.Count(first, []byte(string(other))); n > most {
			best, most = other, n
		}
	}
	return best
}

func columnsOf(head []string) map[string]int {
	columns := make(map[string]int)
	for at, name := range head {
		for column, names := range columnNames {
			for _, known := range names {
				if folded(strings.TrimSpace(name)) == known {
					columns[column] = at
				}
			}
		}
	}
	return columns
}

// lineOf reads one volunteer. code is the mistake, or "".
func lineOf(columns map[string]int, fields []string) (l line, code string) {
	field := func(column string) string {
		at, named := columns[column]
		if !named || at >= len(fields) {
			return ""
		}
		return unguarded(strings.TrimSpace(fields[at]))
	}
	l.draft = volunteerDraft{Label: field("name"), Email: field("email"), Language: folded(field("language"))}
	for name := range strings.SplitSeq(field("roles"), ";") {
		for name := range strings.SplitSeq(name, ",") {
			if name = strings.TrimSpace(name); name != "" {
				l.roles = append(l.roles, name)
			}
		}
	}
	switch {
	case !isLine(l.draft.Label, 1, maxLabel):
		return l, "NAME_INVALID"
	case l.draft.Email != "" && !isAddress(l.draft.Email):
		return l, "EMAIL_INVALID"
	case !isLanguage(l.draft.Language):
		return l, "LANGUAGE_INVALID"
	}
	if len(l.roles) > maxRoles {
		return l, "ROLE_INVALID"
	}
	for _, name := range l.roles {
		if !isLine(name, 1, maxRoleName) {
			return l, "ROLE_INVALID"
		}
	}
	return l, ""
}

// guarded returns a field that no spreadsheet program interprets as a formula.
func guarded(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// unguarded removes what guarded has added.
func unguarded(text string) string {
	if len(text) > 1 && text[0] == '\'' && strings.ContainsRune("=+-@", rune(text[1])) {
		return text[1:]
	}
	return text
}

// exportVolunteers writes a list that importVolunteers can read.
func (m *rota) exportVolunteers(ctx context.Context, _ *http.Request) (any, error) {
	ofRoles, err := roles(ctx, m.db)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string)
	for _, r := range ofRoles {
		names[r.ID] = r.Name
	}
	everybody, err := volunteers(ctx, m.db, nil)
	if err != nil {
		return nil, err
	}
	var list bytes.Buffer
	writer := csv.NewWriter(&list)
	_ = writer.Write([]string{"Name", "E-mail", "Roles", "Language"})
	for _, v := range everybody {
		if v.Label == "" {
			continue // erased
		}
		able := make([]string, len(v.RoleIDs))
		for n, id := range v.RoleIDs {
			able[n] = names[id]
		}
		_ = writer.Write([]string{
			guarded(v.Label), guarded(v.Email), guarded(strings.Join(able, "; ")), v.Language})
	}
	writer.Flush()
	return sdk.Response{Header: http.Header{
		"Content-Type":        {"text/csv; charset=utf-8"},
		"Content-Disposition": {`attachment; filename="volunteers.csv"`},
	}, Body: &list}, nil
}

// imported is what an import changes, or would change.
type imported struct {
	Added     int      `json:"added"`
	Changed   int      `json:"changed"`
	Unchanged int      `json:"unchanged"`
	NewRoles  []string `json:"newRoles"`
	sdk.Exchange
}

// importVolunteers imports a whole list or nothing. A volunteer with the same name and address is changed,
// every other one is added, and none is removed.
func (m *rota) importVolunteers(ctx context.Context, r *http.Request) (any, error) {
	exchange, err := sdk.ReadExchange(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	result := &imported{Exchange: exchange}
	if lines := readList(text, &result.Exchange); result.ProblemCount == 0 {
		err = m.change(ctx, func(tx *sdk.Tx) (update, error) {
			return update{}, result.Keep(importLines(ctx, tx, lines, result))
		})
	}
	return result.Answer(result, err)
}

func importLines(ctx context.Context, tx *sdk.Tx, lines []line, result *imported) error {
	known, err := roles(ctx, tx)
	if err != nil {
		return err
	}
	ids := make(map[string]string)
	for _, r := range known {
		ids[folded(r.Name)] = r.ID
	}
	before, err := volunteers(ctx, tx, nil)
	if err != nil {
		return err
	}
	there := make(map[string]*volunteer)
	for n := range before {
		there[folded(before[n].Label)+"\x00"+folded(before[n].Email)] = &before[n]
	}
	for _, l := range lines {
		for _, name := range l.roles {
			if ids[folded(name)] == "" {
				if len(ids) >= maxRoles {
					return errTooMany
				}
				if ids[folded(name)], err = addRole(ctx, tx, name, len(ids), nil); err != nil {
					return err
				}
				result.NewRoles = append(result.NewRoles, name)
			}
			l.draft.RoleIDs = append(l.draft.RoleIDs, ids[folded(name)])
		}
		old := there[folded(l.draft.Label)+"\x00"+folded(l.draft.Email)]
		if err := importLine(ctx, tx, old, &l.draft, result); err != nil {
			return err
		}
	}
	if len(result.NewRoles) > 0 {
		_, err = tx.Exec(ctx, `UPDATE board SET roles_rev = roles_rev + 1`)
	}
	return err
}

func importLine(
	ctx context.Context, tx *sdk.Tx, old *volunteer, draft *volunteerDraft, result *imported,
) error {
	if old == nil {
		result.Added++
		_, err := insertVolunteer(ctx, tx, "", draft)
		return err
	}
	draft.Digest = old.Digest // the list has no column for it
	if old.Label == draft.Label && old.Email == draft.Email && old.Language == draft.Language &&
		sameTexts(old.RoleIDs, draft.RoleIDs) {
		result.Unchanged++
		return nil
	}
	result.Changed++
	return updateVolunteer(ctx, tx, old.ID, draft)
}

// sameTexts compares two lists, ignoring order and repetition.
func sameTexts(a, b []string) bool {
	in := func(all []string) map[string]bool {
		set := make(map[string]bool)
		for _, one := range all {
			set[one] = true
		}
		return set
	}
	left, right := in(a), in(b)
	if len(left) != len(right) {
		return false
	}
	for one := range left {
		if !right[one] {
			return false
		}
	}
	return true
}
