package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"net/http"
	"strings"
)

// guarded returns a field that no spreadsheet program interprets as a formula.
func guarded(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
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
	house, err := m.host.House(ctx)
	if err != nil {
		return nil, err
	}
	var list bytes.Buffer
	list.WriteString("\ufeff") // so that spreadsheets read UTF-8
	writer := csv.NewWriter(&list)
	writer.UseCRLF = true
	head := []string{"Name", "E-mail", "Roles", "Language"}
	if house.Language == "de" { // German spreadsheets part cells by semicolons
		head, writer.Comma = []string{"Name", "E-Mail", "Rollen", "Sprache"}, ';'
	}
	_ = writer.Write(head)
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
	return attached("text/csv; charset=utf-8", "volunteers.csv", &list), nil
}
