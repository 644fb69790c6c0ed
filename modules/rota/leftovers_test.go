package main

import (
	"fmt"
	"testing"
	"time"
)

// TestWhatPlansLeaveOfAPerson: a service that was moved and cancelled, the mails about it, the one that
// waits, and the removal of a volunteer leave something of a person. Their export has it, and after the
// erasure nothing says who they were.
func TestWhatPlansLeaveOfAPerson(t *testing.T) {
	t.Parallel()
	f, to := newFixture(t, nil), newFixture(t, nil)
	reader, _ := f.askedOf("Reader 1", "Reader", statusYes)
	removed, _ := f.askedOf("Reader 2", "Reader", statusYes)
	asked := f.services[0].Start
	member, former := f.member(reader), f.member(removed)
	if _, err := f.rota.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.do(f.office, "DELETE", "/volunteers/"+removed.ID, nil, 204)
	f.replan(func() { f.services[0].Start = asked.AddDate(0, 0, 7) })
	if _, err := f.rota.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.awaitIdle()

	file := f.do(f.office, "GET", "/export", nil, 200).Body
	to.do(to.office, "PUT", "/roles", `{"rev":2,"roles":[]}`, 200)
	to.do(to.office, "POST", "/import", file, 200)
	var again archive
	to.do(to.office, "GET", "/export", nil, 200).JSON(&again)
	if len(again.Assignments) != 1 || again.Assignments[0].Was == nil || !again.Assignments[0].Was.Equal(asked) {
		t.Errorf("the import of %s has the assignments %+v, want the one that is asked again", file,
			again.Assignments)
	}

	f.replan(func() { f.services = f.services[1:] }) // cancelled; its news wait for an hour
	if _, err := f.rota.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	type exported struct {
		Assignments []struct {
			Answer    string
			SaidYesTo *time.Time
		}
		News []struct {
			What   string
			Mailed *bool
		}
		Mails []struct {
			Kind    string
			Outcome *string
		}
	}
	summary := func(who string) (text string) {
		t.Helper()
		var data *exported
		if err := f.Export(who, &data); err != nil {
			t.Fatal(err)
		}
		if data == nil {
			return "nothing"
		}
		for _, a := range data.Assignments {
			text += fmt.Sprintf("%s %t; ", a.Answer, a.SaidYesTo != nil && a.SaidYesTo.Equal(asked))
		}
		for _, n := range data.News {
			text += n.What
			if n.Mailed != nil {
				text += fmt.Sprintf(" %t", *n.Mailed)
			}
			text += "; "
		}
		for _, m := range data.Mails {
			text += m.Kind
			if m.Outcome != nil {
				text += " " + *m.Outcome
			}
			text += "; "
		}
		return text
	}
	if got := summary(member.ID); got != "open true; moved true; cancelled false; news sent; " {
		t.Errorf("the export has %s, want the mark, both news, and the mail about the first", got)
	}
	if got := summary(former.ID); got != "removed true; " {
		t.Errorf("the export of a removed volunteer has %s, want the removal", got)
	}

	for _, who := range []string{member.ID, former.ID} {
		if err := f.Erase(who); err != nil {
			t.Fatal(err)
		}
		if got := summary(who); got != "nothing" {
			t.Errorf("the export after the erasure has %s, want nothing", got)
		}
	}
	for _, table := range []string{"assignments", "away", "mail_log", "news", "told", "volunteer_roles",
		"volunteers"} {
		for _, trace := range []string{member.ID, former.ID, reader.Email, removed.Email, reader.Label,
			removed.Label} {
			var rows int
			err := f.rota.db.QueryRow(t.Context(), `
				SELECT count(*) FROM `+table+` AS row WHERE strpos(row::text, $1) > 0`, trace).Scan(&rows)
			if err != nil || rows != 0 {
				t.Errorf("%d rows of %s have %q after the erasure, %v; want none", rows, table, trace, err)
			}
		}
	}
	var mails int
	err := f.rota.db.QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM told WHERE volunteer_id IN ($1, $2)) +
		       (SELECT count(*) FROM mail_log WHERE volunteer_id IN ($1, $2))`, reader.ID, removed.ID).Scan(&mails)
	if err != nil || mails != 0 {
		t.Errorf("%d mails are still meant for them, %v; want none", mails, err)
	}
}
