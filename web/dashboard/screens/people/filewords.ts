import { wordsOf } from "../../words/words";

/** The words of a table of people, which are loaded with its reader. */
export const fileWords = wordsOf({
	en: {
		reading: "The file is being read.",
		wouldList: {
			one: "{count} person would come into the list. Nobody is invited yet.",
			other: "{count} people would come into the list. Nobody is invited yet.",
		},
		email: "E-mail",
		name: "Whole name",
		first: "First name",
		last: "Last name",
		EMAIL_MISSING: "there is no e-mail address: {detail}",
		EMAIL_INVALID: "this is not an e-mail address: {detail}",
		NAME_INVALID: "this name cannot be used: {detail}",
		TWICE: "this address is there twice: {detail}",
		EMPTY: "There is no row below the headings.",
		COLUMNS_UNKNOWN: "There is no column with e-mail addresses. Found: {detail}",
		TOO_MANY: "There are more than 5,000 rows or 200 columns. Split the file.",
		WORKBOOK_UNREADABLE: "This file cannot be read. Save it as .xlsx or .csv, without a password.",
		FILE_TOO_LARGE: "This file is too large: at most 4 MiB.",
		ENCODING_GUESSED: "The file does not say how its letters are written. Look whether names are right.",
	},
	de: {
		reading: "Die Datei wird gelesen.",
		wouldList: {
			one: "{count} Person käme in die Liste. Noch ist niemand eingeladen.",
			other: "{count} Personen kämen in die Liste. Noch ist niemand eingeladen.",
		},
		email: "E-Mail",
		name: "Ganzer Name",
		first: "Vorname",
		last: "Nachname",
		EMAIL_MISSING: "Es fehlt eine E-Mail-Adresse: {detail}",
		EMAIL_INVALID: "Das ist keine E-Mail-Adresse: {detail}",
		NAME_INVALID: "Dieser Name geht nicht: {detail}",
		TWICE: "Diese Adresse ist zweimal da: {detail}",
		EMPTY: "Unter den Überschriften steht keine Zeile.",
		COLUMNS_UNKNOWN: "Es gibt keine Spalte mit E-Mail-Adressen. Gefunden: {detail}",
		TOO_MANY: "Das sind mehr als 5.000 Zeilen oder 200 Spalten. Teilen Sie die Datei.",
		WORKBOOK_UNREADABLE:
			"Diese Datei lässt sich nicht lesen. Speichern Sie sie als .xlsx oder .csv, ohne Kennwort.",
		FILE_TOO_LARGE: "Diese Datei ist zu groß: höchstens 4 MiB.",
		ENCODING_GUESSED: "Die Datei sagt nicht, wie ihre Buchstaben geschrieben sind. Prüfen Sie die Namen.",
	},
});

type WordId = Parameters<typeof fileWords>[0];

const problems = [
	...(["EMAIL_MISSING", "EMAIL_INVALID", "NAME_INVALID", "TWICE", "EMPTY", "COLUMNS_UNKNOWN"] as const),
	...(["TOO_MANY", "WORKBOOK_UNREADABLE", "FILE_TOO_LARGE", "ENCODING_GUESSED"] as const),
];

/** What a code means. */
export const problemWord = (code: string): WordId =>
	problems.find((known) => known === code) ?? "WORKBOOK_UNREADABLE";
