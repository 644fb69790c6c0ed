package main

import (
	"testing"

	"github.com/narthex-platform/narthex/services/emails/mailtexts"
)

// TestMailTexts: what each mail says, in each language. MAILS=write writes testdata/mails.
func TestMailTexts(t *testing.T) {
	t.Parallel()
	for language, when := range map[string]string{
		"en": "Saturday 12 June 2027, 14:00",
		"de": "Samstag, 12. Juni 2027, 14:00 Uhr",
	} {
		words := mailWordsOf(language)
		title := map[string]string{"en": "Summer party in the garden", "de": "Sommerfest im Garten"}[language]
		for name, about := range map[string]mailAbout{
			"placed": words.Placed, "waits": words.Waits, "up": words.Up,
		} {
			mailtexts.Assert(t, language+"-"+name, about.Subject+": "+title,
				words.text(about, title, when, "https://church.example.org/l/calendar/3fK9sQx2"))
		}
	}
}
