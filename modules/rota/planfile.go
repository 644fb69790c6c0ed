package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"net/http"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/ical"
)

// planWords are the words in a file of the plan, in the language of the house.
type planWords struct {
	Date, Time, Service string
	State               map[string]string // what stands after a name, by status
}

var planWordsIn = map[string]planWords{
	"en": {"Date", "Time", "Service", map[string]string{statusPlanned: " (planned)", statusOpen: " (asked)"}},
	"de": {"Datum", "Uhrzeit", "Gottesdienst",
		map[string]string{statusPlanned: " (geplant)", statusOpen: " (angefragt)"}},
}

// planFile is who serves in the services of a period, as files have it: names, and never addresses.
type planFile struct {
	rev      int64
	words    planWords
	language string
	team     string
	roles    []role
	services []service
	serving  map[string]map[string][]string // the names by service and role
}

// readPlan reads the plan of the period that a request names. Who said no is not in it.
func (m *rota) readPlan(ctx context.Context, r *http.Request) (*planFile, error) {
	first, until, err := m.period(r)
	if err != nil {
		return nil, err
	}
	house, err := m.host.House(ctx)
	if err != nil {
		return nil, err
	}
	p := &planFile{words: planWordsIn["en"], language: house.Language, team: m.host.Config.String("teamName"),
		serving: make(map[string]map[string][]string)}
	if words, there := planWordsIn[house.Language]; there {
		p.words = words
	}
	if p.services, err = m.services(ctx, first, until); err != nil {
		return nil, err
	}
	ids := make([]string, len(p.services))
	for n, s := range p.services {
		ids[n] = s.ID
		p.serving[s.ID] = make(map[string][]string)
	}
	type place struct{ service, role, name, status string }
	var places []place
	err = sdk.Read(ctx, m.db,
		sdk.RowInto([]any{&p.rev, &p.roles}, `SELECT rev, `+rolesJSON+` FROM board`),
		sdk.SelectIntoBy(&places, func(row sdk.Scanner, one *place) error {
			return row.Scan(&one.service, &one.role, &one.name, &one.status)
		}, `
			SELECT a.service_ref, a.role_id::text, v.label, a.status
			FROM assignments AS a JOIN volunteers AS v ON v.id = a.volunteer_id
			WHERE a.service_ref = ANY($1) AND a.status <> 'no' AND v.label <> ''
			ORDER BY v.label, v.id`, ids))
	for _, one := range places {
		of := p.serving[one.service]
		of[one.role] = append(of[one.role], one.name+p.words.State[one.status])
	}
	return p, err
}

// planTable is the plan as a table for spreadsheets, with a row for each service and a column for each role.
func (m *rota) planTable(ctx context.Context, r *http.Request) (any, error) {
	p, err := m.readPlan(ctx, r)
	if err != nil {
		return nil, err
	}
	var table bytes.Buffer
	table.WriteString("\ufeff") // so that spreadsheets read UTF-8
	writer := csv.NewWriter(&table)
	writer.UseCRLF = true
	if p.language == "de" {
		writer.Comma = ';' // German spreadsheets part cells by semicolons
	}
	row := []string{p.words.Date, p.words.Time, p.words.Service}
	for _, one := range p.roles {
		row = append(row, guarded(one.Name))
	}
	_ = writer.Write(row)
	for _, s := range p.services {
		at := s.Start.In(m.zone())
		row = []string{at.Format(time.DateOnly), at.Format("15:04"), guarded(s.Title)}
		for _, one := range p.roles {
			row = append(row, guarded(strings.Join(p.serving[s.ID][one.ID], ", ")))
		}
		_ = writer.Write(row)
	}
	writer.Flush()
	return attached("text/csv; charset=utf-8", "rota.csv", &table), nil
}

// planCalendar is the plan as a calendar: the services, each with those who serve in it. A later file changes
// what a program has of an earlier one.
func (m *rota) planCalendar(ctx context.Context, r *http.Request) (any, error) {
	p, err := m.readPlan(ctx, r)
	if err != nil {
		return nil, err
	}
	now := m.clock()
	since := now
	if len(p.services) > 0 {
		since = p.services[0].Start
	}
	c := ical.Begin(m.zone(), "Rota", p.team)
	c.Zone(since, now)
	for _, s := range p.services {
		var lines []string
		for _, one := range p.roles {
			if names := p.serving[s.ID][one.ID]; len(names) > 0 {
				lines = append(lines, one.Name+": "+strings.Join(names, ", "))
			}
		}
		c.Event("plan-"+s.ID+"@narthex", p.rev, now)
		c.Time("DTSTART", s.Start.In(m.zone()), false)
		c.Line("DURATION:" + dutyLasts)
		c.Text("SUMMARY", s.Title)
		c.Text("DESCRIPTION", strings.Join(lines, "\n"))
		c.Line("END:VEVENT")
	}
	return attached("text/calendar; charset=utf-8", "rota.ics", bytes.NewBuffer(c.End())), nil
}

// attached is a file that a browser saves.
func attached(kind, name string, content *bytes.Buffer) sdk.Response {
	return sdk.Response{Header: http.Header{
		"Content-Type":        {kind},
		"Content-Disposition": {`attachment; filename="` + name + `"`},
	}, Body: content}
}
