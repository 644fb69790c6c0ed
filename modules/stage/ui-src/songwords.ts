/** The words of the songs' screen. */
export const songWords = {
	en: {
		title: "Songs",
		add: "New song",
		empty: "No songs yet.",
		emptyHelp: "Write one, or import many at once.",
		search: "Search for a song",
		fields: {
			title: "Title",
			credit: { label: "Words by", help: "Who wrote it, and when." },
			words: {
				label: "Words",
				help:
					"An empty line is between two sections. The first line of a section can be its name: [Verse 1]. " +
					"Chords stand in brackets before their syllable: [G]Amazing [C]grace.",
			},
			verseOrder: {
				label: "Sung in this order",
				help: "The names of the sections, such as: Verse 1, Chorus, Verse 2, Chorus. Empty: each one once.",
			},
			copyright: { label: "Copyright", help: "Screens do not show it." },
			ccli: "CCLI song number",
		},
		refusals: {
			REQUEST_INVALID: "Too long: a song has at most 30 sections, 300 lines and 12,000 characters.",
			SONG_IN_USE: "A service has this song. Take it out there first.",
		},
	},
	de: {
		title: "Lieder",
		add: "Neues Lied",
		empty: "Noch keine Lieder.",
		emptyHelp: "Schreiben Sie eines, oder importieren Sie viele auf einmal.",
		search: "Lied suchen",
		fields: {
			title: "Titel",
			credit: { label: "Text von", help: "Wer es geschrieben hat, und wann." },
			words: {
				label: "Text",
				help:
					"Zwischen zwei Strophen steht eine leere Zeile. Die erste Zeile kann die Strophe nennen: " +
					"[Strophe 1]. Akkorde stehen in Klammern vor ihrer Silbe: [G]Lobe den [C]Herren.",
			},
			verseOrder: {
				label: "Reihenfolge beim Singen",
				help: "Die Namen der Strophen, etwa: Strophe 1, Refrain, Strophe 2, Refrain. Leer: jede einmal.",
			},
			copyright: { label: "Urheberrecht", help: "Bildschirme zeigen das nicht." },
			ccli: "CCLI-Liednummer",
		},
		refusals: {
			REQUEST_INVALID: "Zu lang: Ein Lied hat höchstens 30 Strophen, 300 Zeilen und 12.000 Zeichen.",
			SONG_IN_USE: "Ein Gottesdienst hat dieses Lied. Nehmen Sie es dort zuerst heraus.",
		},
	},
};
