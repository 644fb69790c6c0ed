package main

import (
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/emails/mailtexts"
)

// TestMailTexts: what each mail says, in each language. MAILS=write writes testdata/mails.
func TestMailTexts(t *testing.T) {
	t.Parallel()
	const page = "https://church.example.org/"
	for _, sample := range []struct {
		language, team, name, title, other, welcome, read string
	}{
		{"en", "Welcome team", "Martha", "Morning service", "Evening prayer", "Welcome", "Reading"},
		{"de", "Begrüßungsteam", "Martha", "Gottesdienst", "Abendandacht", "Begrüßung", "Lesung"},
	} {
		words := wordsOf(sample.language)
		first := time.Date(2027, 6, 13, 10, 0, 0, 0, inZone(t, "Europe/Berlin"))
		line := func(at time.Time, role, title string) date {
			return date{at, words.moment(at) + ": " + role + " (" + title + ")", true}
		}
		dates := []date{line(first, sample.welcome, sample.title),
			line(first.AddDate(0, 0, 14).Add(8*time.Hour), sample.read, sample.other)}
		of := func(c content, link, note string) content {
			c.link, c.note, c.greeting = page+link, note, words.greeting(sample.name)
			return c
		}
		planned := newRota()
		planned.place.Store(first.Location())
		news := words.News
		news.lines = []string{planned.newsLine(words, toTell{newsItem: newsItem{Kind: newsRemoved,
			Title: sample.title, Start: first.UTC(), Role: sample.read}})}
		digest := words.digest([]listing{
			{words.moment(first) + ": " + sample.title, []string{sample.welcome + ": Martha (" + words.DidYes +
				"), Jonas (" + words.DidOpen + ")", sample.read + ": " + words.Nobody}},
			{words.moment(first.Add(8*time.Hour)) + ": " + sample.other, []string{sample.welcome + ": Lydia (" +
				words.DidYes + ")"}},
		})
		digest.link = page + "#/m/rota/board"
		test := words.test()
		test.link = page + "#/m/rota/board"
		for kind, c := range map[string]content{
			"invitation": of(words.invitation(), "#/m/rota/claim/8Yw2pTz5", words.ConnectNote),
			"request":    of(words.request(dates), "l/rota/8Yw2pTz5", words.LinkNote),
			"reminder":   of(words.reminder(dates), "l/rota/8Yw2pTz5", words.LinkNote),
			"substitute": of(words.substitute(dates[:1]), "l/rota/8Yw2pTz5", words.LinkNote),
			"news":       of(news, "l/rota/8Yw2pTz5", words.LinkNote),
			"digest":     digest,
			"test":       test,
		} {
			mailtexts.Assert(t, sample.language+"-"+kind, c.subject, c.asText(sample.team))
		}
	}
}
