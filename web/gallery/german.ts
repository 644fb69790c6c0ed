import { kitLocale } from "../kit/words";

/** The words of the gallery's samples in German, by the English ones. */
const words: Readonly<Record<string, string>> = {
	"Copy my ID": "Meine ID kopieren",
	Name: "Name",
	"Back wall": "Rückwand",
	"Reply to": "Antwort an",
	"Answers go there.": "Antworten gehen dorthin.",
	"New password": "Neues Passwort",
	"At least 8 characters: 1 more.": "Mindestens 8 Zeichen: noch 1.",
	"Code on the screen": "Code auf dem Bildschirm",
	Title: "Titel",
	"A notice needs a title.": "Ein Aushang braucht einen Titel.",
	"Check the form": "Formular prüfen",
	Ends: "Ende",
	Begins: "Beginn",
	"The end must come after the start.": "Das Ende muss nach dem Beginn liegen.",
	"Evening prayer": "Abendandacht",
	"Somebody else has changed this meanwhile. This is their version:":
		"Jemand anderes hat dies inzwischen geändert. Das ist die andere Fassung:",
	"Shared lunch": "Gemeinsames Mittagessen",
	"Shared lunch in the hall": "Gemeinsames Mittagessen im Gemeindesaal",
	Start: "Beginn",
	Text: "Text",
	"Bring something to share, and tell the office by Wednesday what it is: ":
		"Bringen Sie etwas zum Teilen mit, und sagen Sie dem Gemeindebüro bis Mittwoch, was es ist: ",
	Room: "Raum",
	Hall: "Saal",
	Guests: "Gäste",
	"Take theirs": "Die andere Fassung übernehmen",
	"Keep mine": "Meine Fassung behalten",
	"6 services": "6 Gottesdienste",
	"New service": "Neuer Gottesdienst",
	"Switch off Announcements?": "Aushänge ausschalten?",
	"Countdown will not start.": "Der Countdown startet dann nicht.",
	"Nothing happens before the next restart.": "Vor dem nächsten Neustart geschieht nichts.",
	"Switch off": "Ausschalten",
	"Leave it on": "Eingeschaltet lassen",
	Rename: "Umbenennen",
	"Rename Back wall": "Rückwand umbenennen",
	Cancel: "Abbrechen",
	"Rename it": "Umbenennen",
	"New name": "Neuer Name",
	"Rename without the network": "Ohne Netzwerk umbenennen",
};

/** A sample's words in the language of the page; English, if there are no others. */
export const s = (english: string): string =>
	kitLocale.value === "de" ? (words[english] ?? english) : english;
