package main

import (
	"strconv"
	"strings"
	"time"
)

// words are the texts of mails in one language. A module does not know the language of the house. So it has
// its own setting, and each volunteer may have another language.
type words struct {
	Days, Months [12]string // Sunday first; only seven days are used
	Clock        func(at time.Time) string
	Day          func(w *words, at time.Time) string
	Greeting     string // of {name}

	Invitation, Request, Reminder, Substitute, Digest, Test, News content

	// The lines about news, by their kind: for the people they concern, and for coordinators.
	OwnNews, AllNews             map[string]string
	AgainNote, ToBoard, Somebody string
	Unreached                    string // before the names of those whom no mail told

	ConnectNote      string
	LinkNote         string // of a link that needs no account
	OpenNote         string
	Nobody           string
	DidYes, DidNo    string
	DidOpen, NotSent string
}

func wordsOf(language string) *words {
	if language == "de" {
		return &german
	}
	return &english
}

func (w *words) greeting(label string) string {
	return strings.ReplaceAll(w.Greeting, "{name}", plain(label))
}

// moment returns a day and a time, followed by "UTC" if that is the zone.
func (w *words) moment(at time.Time) string {
	text := w.Day(w, at) + ", " + w.Clock(at)
	if at.Location() == time.UTC {
		text += " UTC"
	}
	return text
}

func (w *words) invitation() content { return w.Invitation }
func (w *words) test() content       { return w.Test }

func (w *words) request(dates []date) content {
	l := w.Request
	l.lines = lines(dates)
	return l
}

// substitute asks whether somebody takes over a date.
func (w *words) substitute(dates []date) content {
	l := w.Substitute
	l.lines = lines(dates)
	return l
}

// reminder repeats the request to volunteers who have not responded.
func (w *words) reminder(dates []date) content {
	l := w.Reminder
	l.lines = lines(dates)
	for _, d := range dates {
		if d.unsettle {
			l.text += " " + w.OpenNote
			break
		}
	}
	return l
}

func lines(dates []date) []string {
	all := make([]string, len(dates))
	for n, d := range dates {
		all[n] = d.line
	}
	return all
}

func (w *words) digest(services []listing) content {
	l := w.Digest
	l.services = services
	return l
}

// staffing returns who has a role, with their responses.
func (w *words) staffing(r role, assigned []assignment, labels map[string]string) string {
	var people []string
	for _, a := range assigned {
		if a.RoleID == r.ID && labels[a.VolunteerID] != "" { // otherwise erased
			said := map[string]string{statusYes: w.DidYes, statusNo: w.DidNo, statusOpen: w.DidOpen,
				statusPlanned: w.NotSent}[a.Status]
			people = append(people, labels[a.VolunteerID]+" ("+said+")")
		}
	}
	if len(people) == 0 {
		return r.Name + ": " + w.Nobody
	}
	return r.Name + ": " + strings.Join(people, ", ")
}

var english = words{
	Days: [12]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
	Months: [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September",
		"October", "November", "December"},
	Clock: func(at time.Time) string { return at.Format("15:04") },
	Day: func(w *words, at time.Time) string {
		return w.Days[at.Weekday()] + " " + strconv.Itoa(at.Day()) + " " + w.Months[at.Month()-1]
	},
	Greeting: "Hello {name},",
	Invitation: content{
		subject: "Help in our services",
		text: "We would like to plan with you. The link connects you with the rota: there you see your dates " +
			"and answer with one click.",
		button: "Connect me",
	},
	Request: content{
		subject: "Can you help?",
		text:    "Can you help on these dates? Please say yes or no, so that we can plan.",
		button:  "See the dates and answer",
	},
	Reminder: content{
		subject: "A reminder of your date",
		text:    "This is a reminder. Thank you for helping.",
		button:  "See my dates",
	},
	Substitute: content{
		subject: "Can you step in?",
		text: "Somebody cannot come and looks for a substitute. Whoever accepts first has the date; if you " +
			"cannot, you need not do anything.",
		button: "See the date and accept",
	},
	Digest: content{
		subject: "Who serves this week",
		text:    "These are the services of the coming seven days.",
		button:  "Open the rota",
	},
	Test: content{
		subject: "Mails of the rota work",
		text:    "This is a test. Invitations, requests and reminders leave by the same way.",
		button:  "Open the rota",
	},
	News: content{
		subject: "Something has changed",
		text:    "This has changed in the rota.",
		button:  "See my dates",
	},
	OwnNews: map[string]string{
		newsMoved:     "{title} is on {when} now, not on {was}: {role}",
		newsCancelled: "{title} on {when} is cancelled: {role}",
		newsRestored:  "{title} on {when} takes place after all: {role}",
		newsDeclined:  "{when}: {role} ({title}). You are noted as not coming.",
		newsAway:      "{when}: {role} ({title}). You said yes to it, and are away on that day.",
		newsRemoved:   "{when}: {role} ({title}). You are no longer planned for it.",
		newsReplaced:  "{when}: {role} ({title}). {name} takes it over from you.",
	},
	AllNews: map[string]string{
		newsMoved:     "{title} is on {when} now, not on {was}. Asked again: {people}",
		newsCancelled: "{title} on {when} is cancelled. Told by mail: {people}",
		newsRestored:  "{title} on {when} takes place after all. Told by mail: {people}",
		newsDeclined:  "{when}: {role} ({title}). {name} cannot come.",
		newsAway:      "{when}: {role} ({title}). {name} said yes to it, and is away on that day.",
		newsRemoved:   "{when}: {role} ({title}). {name} is no longer planned for it.",
		newsReplaced:  "{when}: {role} ({title}). {name} takes it over from somebody who cannot come.",
	},
	AgainNote: "Your yes was for another date or is in doubt: please say yes or no again.",
	ToBoard:   "Open the rota", Somebody: "Somebody", Unreached: "Not told by mail",
	ConnectNote: "Sign in first, with the account that you have here. The link works once, for 30 days. " +
		"Without an account, answer this mail.",
	LinkNote: "You need no account for this. The link is for you alone, so please do not pass it on.",
	OpenNote: "You have not answered yet: please say yes or no.",
	Nobody:   "nobody", DidYes: "accepted", DidNo: "declined", DidOpen: "no answer yet",
	NotSent: "not asked yet",
}

var german = words{
	Days: [12]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
	Months: [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
		"Oktober", "November", "Dezember"},
	Clock: func(at time.Time) string { return at.Format("15:04") + " Uhr" },
	Day: func(w *words, at time.Time) string {
		return w.Days[at.Weekday()] + ", " + strconv.Itoa(at.Day()) + ". " + w.Months[at.Month()-1]
	},
	Greeting: "Guten Tag, {name}!",
	Invitation: content{
		subject: "Mithelfen in unseren Gottesdiensten",
		text: "Wir möchten gern mit Ihnen planen. Der Link verbindet Sie mit dem Dienstplan: Dort sehen Sie " +
			"Ihre Termine und antworten mit einem Klick.",
		button: "Mich verbinden",
	},
	Request: content{
		subject: "Können Sie helfen?",
		text:    "Können Sie an diesen Terminen helfen? Bitte sagen Sie ja oder nein, damit wir planen können.",
		button:  "Termine ansehen und antworten",
	},
	Reminder: content{
		subject: "Erinnerung an Ihren Termin",
		text:    "Dies ist eine Erinnerung. Danke, dass Sie helfen.",
		button:  "Meine Termine ansehen",
	},
	Substitute: content{
		subject: "Können Sie einspringen?",
		text: "Jemand kann nicht kommen und sucht Ersatz. Wer zuerst zusagt, hat den Termin; wenn Sie nicht " +
			"können, brauchen Sie nichts zu tun.",
		button: "Termin ansehen und zusagen",
	},
	Digest: content{
		subject: "Wer diese Woche Dienst hat",
		text:    "Dies sind die Gottesdienste der kommenden sieben Tage.",
		button:  "Dienstplan öffnen",
	},
	Test: content{
		subject: "Die Mails des Dienstplans funktionieren",
		text:    "Dies ist ein Test. Einladungen, Anfragen und Erinnerungen gehen denselben Weg.",
		button:  "Dienstplan öffnen",
	},
	News: content{
		subject: "Etwas hat sich geändert",
		text:    "Das hat sich im Dienstplan geändert.",
		button:  "Meine Termine ansehen",
	},
	OwnNews: map[string]string{
		newsMoved:     "{title} ist jetzt am {when}, nicht am {was}: {role}",
		newsCancelled: "{title} am {when} fällt aus: {role}",
		newsRestored:  "{title} am {when} findet doch statt: {role}",
		newsDeclined:  "{when}: {role} ({title}). Für Sie ist eine Absage notiert.",
		newsAway:      "{when}: {role} ({title}). Sie haben zugesagt und sind an diesem Tag abwesend.",
		newsRemoved:   "{when}: {role} ({title}). Sie sind nicht mehr eingeteilt.",
		newsReplaced:  "{when}: {role} ({title}). {name} übernimmt es von Ihnen.",
	},
	AllNews: map[string]string{
		newsMoved:     "{title} ist jetzt am {when}, nicht am {was}. Neu angefragt: {people}",
		newsCancelled: "{title} am {when} fällt aus. Per Mail benachrichtigt: {people}",
		newsRestored:  "{title} am {when} findet doch statt. Per Mail benachrichtigt: {people}",
		newsDeclined:  "{when}: {role} ({title}). {name} kann nicht kommen.",
		newsAway:      "{when}: {role} ({title}). {name} hat zugesagt und ist an diesem Tag abwesend.",
		newsRemoved:   "{when}: {role} ({title}). {name} ist nicht mehr eingeteilt.",
		newsReplaced:  "{when}: {role} ({title}). {name} springt für jemanden ein.",
	},
	AgainNote: "Ihre Zusage galt einem anderen Termin oder ist fraglich: Bitte sagen Sie noch einmal ja " +
		"oder nein.",
	ToBoard: "Dienstplan öffnen", Somebody: "Jemand", Unreached: "Nicht per Mail benachrichtigt",
	ConnectNote: "Melden Sie sich zuerst an, mit Ihrem Konto hier. Der Link gilt einmal, 30 Tage lang. Ohne " +
		"Konto antworten Sie auf diese Mail.",
	LinkNote: "Dafür brauchen Sie kein Konto. Der Link gilt nur für Sie, bitte geben Sie ihn nicht weiter.",
	OpenNote: "Sie haben noch nicht geantwortet: Bitte sagen Sie ja oder nein.",
	Nobody:   "niemand", DidYes: "zugesagt", DidNo: "abgesagt", DidOpen: "noch keine Antwort",
	NotSent: "noch nicht angefragt",
}
