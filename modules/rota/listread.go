package main

import (
	"cmp"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/files"
)

// listColumns are the columns of a list of volunteers, by the headings of the export, of Planning Center,
// ChurchTools, ChurchSuite, Elvanto and address books, in English and German.
var listColumns = files.Columns{
	"name": {"name", "label", "full name", "display name", "vollständiger name", "anzeigename",
		"mitarbeiter", "volunteer", "person"},
	"first":  {"first name", "given name", "forename", "vorname"},
	"called": {"preferred name", "preferred first name", "rufname"}, // if there is one, instead of the first
	"last":   {"last name", "surname", "family name", "nachname", "familienname"},
	"email": {"email", "e-mail", "mail", "email address", "e-mail address", "home email", "primary email",
		"e-mail-adresse", "mailadresse", "e-mail privat"},
	"otherEmail": {"work email", "other email", "secondary email", "alternative email", "e-mail beruflich",
		"e-mail geschäftlich", "weitere e-mail"},
	"roles": {"roles", "role", "teams", "team", "positions", "position", "ministries", "departments", "groups",
		"rollen", "rolle", "dienste", "dienst", "aufgaben", "aufgabe", "gruppen", "bereiche", "bereich"},
	"language": {"language", "preferred language", "sprache"},
}

// line is a volunteer in a list.
type line struct {
	number int // in the file, from 1
	cells  []string
	draft  volunteerDraft
	roles  []string // by name
}

// leaveOut tells of a line that is not imported.
func (l *line) leaveOut(found *sdk.Exchange, code, field, detail string) {
	found.Skip(sdk.Problem{Line: l.number, Code: code, Field: field, Detail: detail, Row: l.cells})
}

// volunteerList is a list that has been read.
type volunteerList struct {
	lines                 []line
	hasRoles, hasLanguage bool
	madeRoles             []sdk.ImportedRow
}

// readList reads a table of volunteers.
func readList(content []byte, found *sdk.Exchange) (list volunteerList) {
	table := found.ReadTable(content, sdk.ImportedColumns{Columns: listColumns,
		Needed: [][]string{{"name", "first", "called", "last"}}}, maxVolunteers)
	if table == nil {
		return list
	}
	list.hasRoles, list.hasLanguage = table.Has("roles"), table.Has("language")
	seen := make(map[string]bool)
	for _, row := range table.Rows {
		l := line{number: row.Line, cells: row.Cells}
		if !l.read(table, row, found) {
			continue
		}
		if seen[l.key()] {
			l.leaveOut(found, "TWICE", "name", l.draft.Label)
			continue
		}
		seen[l.key()] = true
		list.lines = append(list.lines, l)
	}
	return list
}

// key identifies a volunteer by name and address.
func (l *line) key() string { return keyOf(l.draft.Label, l.draft.Email) }

func keyOf(label, email string) string { return folded(label) + "\x00" + folded(email) }

// read reads one row. It leaves out one that is no volunteer.
func (l *line) read(table *files.Table, row files.Row, found *sdk.Exchange) bool {
	l.draft = volunteerDraft{Label: nameIn(table, row),
		Email: strings.TrimPrefix(cmp.Or(table.Cell(row, "email"), table.Cell(row, "otherEmail")), "mailto:")}
	if _, after, named := strings.Cut(l.draft.Email, "<"); named {
		l.draft.Email = strings.TrimSuffix(after, ">")
	}
	parts := func(r rune) bool { return strings.ContainsRune(";,|\n", r) }
	for _, role := range strings.FieldsFunc(table.Cell(row, "roles"), parts) {
		if role = strings.TrimSpace(role); role != "" {
			l.roles = append(l.roles, role)
		}
	}
	switch {
	case !isLine(l.draft.Label, 1, maxLabel):
		l.leaveOut(found, "NAME_INVALID", "name", l.draft.Label)
		return false
	case l.draft.Email != "" && !isAddress(l.draft.Email):
		l.leaveOut(found, "EMAIL_INVALID", "email", l.draft.Email)
		return false
	case len(l.roles) > maxRoles:
		l.leaveOut(found, "ROLE_INVALID", "roles", table.Cell(row, "roles"))
		return false
	}
	for _, role := range l.roles {
		if !isLine(role, 1, maxRoleName) {
			l.leaveOut(found, "ROLE_INVALID", "roles", role)
			return false
		}
	}
	text := table.Cell(row, "language")
	language, known := languageOf(text)
	if !known {
		found.Note(sdk.Problem{Line: l.number, Code: "LANGUAGE_INVALID", Field: "language", Detail: text})
	}
	l.draft.Language = language
	return true
}

// nameIn returns the whole name of a row. Beside a first name, the column Name is the family name if there is
// no column for that.
func nameIn(table *files.Table, row files.Row) string {
	name, last := table.Cell(row, "name"), table.Cell(row, "last")
	if last == "" {
		last = name
	}
	if first := cmp.Or(table.Cell(row, "called"), table.Cell(row, "first")); first != "" {
		name = first + " " + last
	} else if name == "" {
		name = last
	}
	return strings.Join(strings.Fields(name), " ")
}

// languageOf reads a language as people and programs write it.
func languageOf(text string) (language string, known bool) {
	text = strings.ToLower(text)
	for _, one := range [][2]string{{"de", "de"}, {"ger", "de"}, {"en", "en"}} {
		if strings.HasPrefix(text, one[0]) {
			return one[1], true
		}
	}
	return "", text == ""
}
