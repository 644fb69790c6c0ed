package main

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// mailWords are the texts of mails in one language.
type mailWords struct {
	Days              [7]string // Sunday first
	Months            [12]string
	Day               func(w *mailWords, at time.Time) string
	Clock             func(at time.Time) string
	Placed, Waits, Up mailAbout
	Moved             mailAbout
	Off, OnAgain      mailAbout
	See, Note, Before string
}

// mailAbout is what a mail says.
type mailAbout struct{ Subject, Text string }

func mailWordsOf(language string) *mailWords {
	if language == "de" {
		return &mailGerman
	}
	return &mailEnglish
}

// text returns what a mail says. The platform adds the house's name, and an HTML part with the same words.
// address is "" for a mail without a link.
func (w *mailWords) text(about mailAbout, title, when, address string) string {
	text := about.Text + "\n\n" + title + "\n" + when + "\n"
	if address == "" {
		return text
	}
	return text + "\n" + w.See + ":\n" + address + "\n\n" + w.Note + "\n"
}

// when returns when an event begins, and its last day if it is another one.
func (w *mailWords) when(e *event, z zone) string {
	end, _, _ := e.ends(z)
	last := end
	if e.allDay {
		last = end.Add(-day)
	}
	from, until := w.Day(w, e.start), w.Day(w, last)
	if !e.allDay {
		from += ", " + w.Clock(e.start)
		until += ", " + w.Clock(end)
	}
	if dayOf(e.start).Equal(dayOf(last)) {
		return from
	}
	return from + " – " + until
}

var mailEnglish = mailWords{
	Days: [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
	Months: [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September",
		"October", "November", "December"},
	Day: func(w *mailWords, at time.Time) string {
		return w.Days[at.Weekday()] + " " + strconv.Itoa(at.Day()) + " " + w.Months[at.Month()-1] + " " +
			strconv.Itoa(at.Year())
	},
	Clock: func(at time.Time) string { return at.Format("15:04") },
	Placed: mailAbout{"You are signed up",
		"You have a place. If you cannot come after all, please withdraw, so that somebody else can have it."},
	Waits: mailAbout{"You are on the waiting list",
		"All places are taken, and you are on the waiting list. If a place becomes free for you, you hear of it."},
	Up: mailAbout{"You have a place",
		"A place has become free, and it is yours. If you cannot come after all, please withdraw, so that " +
			"somebody else can have it."},
	Moved: mailAbout{"Another time",
		"You are signed up for this, and it takes place at another time now. If you cannot come then, please " +
			"withdraw."},
	Off: mailAbout{"Cancelled", "You are signed up for this. It does not take place."},
	OnAgain: mailAbout{"It takes place",
		"You are signed up for this, and have heard that it is cancelled. It takes place after all."},
	Before: "Before",
	See:    "See your sign-up, or withdraw",
	Note: "You need no account for this. The link is for you alone, so please do not pass it on. If you have " +
		"not signed up yourself, please withdraw.",
}

var mailGerman = mailWords{
	Days: [7]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
	Months: [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
		"Oktober", "November", "Dezember"},
	Day: func(w *mailWords, at time.Time) string {
		return w.Days[at.Weekday()] + ", " + strconv.Itoa(at.Day()) + ". " + w.Months[at.Month()-1] + " " +
			strconv.Itoa(at.Year())
	},
	Clock: func(at time.Time) string { return at.Format("15:04") + " Uhr" },
	Placed: mailAbout{"Sie sind angemeldet",
		"Sie haben einen Platz. Wenn Sie doch nicht kommen können, melden Sie sich bitte ab, damit jemand " +
			"anderes ihn haben kann."},
	Waits: mailAbout{"Sie stehen auf der Warteliste",
		"Alle Plätze sind vergeben, und Sie stehen auf der Warteliste. Wird ein Platz für Sie frei, " +
			"erfahren Sie es."},
	Up: mailAbout{"Sie haben einen Platz",
		"Ein Platz ist frei geworden, und Sie haben ihn. Wenn Sie doch nicht kommen können, melden Sie sich " +
			"bitte ab, damit jemand anderes ihn haben kann."},
	Moved: mailAbout{"Zu einer anderen Zeit",
		"Sie sind hierfür angemeldet, und es findet jetzt zu einer anderen Zeit statt. Wenn Sie dann nicht " +
			"kommen können, melden Sie sich bitte ab."},
	Off: mailAbout{"Abgesagt", "Sie sind hierfür angemeldet. Es findet nicht statt."},
	OnAgain: mailAbout{"Findet statt",
		"Sie sind hierfür angemeldet und haben gehört, dass es abgesagt ist. Es findet doch statt."},
	Before: "Bisher",
	See:    "Ihre Anmeldung ansehen oder sich abmelden",
	Note: "Sie brauchen dafür kein Konto. Der Link ist nur für Sie, geben Sie ihn bitte nicht weiter. Wenn " +
		"Sie sich nicht selbst angemeldet haben, melden Sie sich bitte ab.",
}

// headerLine makes a typed text fit for a header: without line ends and control characters.
func headerLine(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text)), " ")
}
