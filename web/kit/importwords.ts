import { fillIn, type Text } from "../sdk/narthex-sdk"; // its name is unknown where the types are made
import { kitLocale } from "./words";

/** The texts of imports, which are loaded with their components. */
const english = {
	importLine: "Line {line}: {problem}",
	importRefused: "Nothing was changed. This file cannot be imported:",
	importLeft: { one: "{count} row is left out:", other: "{count} rows are left out:" },
	importLeftSave: "Save these rows as a file",
	importLeftName: "-left-out.csv",
	importReason: "Reason",
	importNotes: { one: "{count} thing comes in differently:", other: "{count} things come in differently:" },
	importMore: { one: "and {count} more", other: "and {count} more" },
	importTake: "Import",
	importUnderWay: "The file is being imported. A large one takes some seconds.",
	importWhich: "Which column is which? These are the first rows of the file.",
	importFirstRows: "The first rows of the file",
	importAbove: {
		one: "The first row has headings, and nothing to import",
		other: "The first {count} rows have headings, and nothing to import",
	},
	importNoColumn: "not in the file",
	importNeeds: "Choose the column: {columns}.",
	importOr: " or ",
	importLook: "Show what would come in",
	importOther: "Choose the columns yourself",
	importsPast: "Imports of the last day",
	importsPastHelp:
		"Undo takes back what an import has brought and changed, except what somebody has changed or used since.",
	importUndoOf: "Undo the import of {when}",
	importUndone: "Undone. Removed: {removed}. As before the import: {restored}.",
	importKept: {
		one: "{count} stays, because somebody has changed or used it since{names}",
		other: "{count} stay, because somebody has changed or used them since{names}",
	},
} as const;

type WordId = keyof typeof english;

const german: Readonly<Record<WordId, Text>> = {
	importLine: "Zeile {line}: {problem}",
	importRefused: "Es wurde nichts geändert. Diese Datei lässt sich nicht importieren:",
	importLeft: { one: "{count} Zeile wird ausgelassen:", other: "{count} Zeilen werden ausgelassen:" },
	importLeftSave: "Diese Zeilen als Datei speichern",
	importLeftName: "-ausgelassen.csv",
	importReason: "Grund",
	importNotes: {
		one: "{count} Angabe wird anders übernommen:",
		other: "{count} Angaben werden anders übernommen:",
	},
	importMore: { one: "und {count} weitere", other: "und {count} weitere" },
	importTake: "Importieren",
	importUnderWay: "Die Datei wird importiert. Eine große braucht einige Sekunden.",
	importWhich: "Welche Spalte ist welche? Das sind die ersten Zeilen der Datei.",
	importFirstRows: "Die ersten Zeilen der Datei",
	importAbove: {
		one: "Die erste Zeile hat Überschriften und nichts zu importieren",
		other: "Die ersten {count} Zeilen haben Überschriften und nichts zu importieren",
	},
	importNoColumn: "nicht in der Datei",
	importNeeds: "Wählen Sie die Spalte: {columns}.",
	importOr: " oder ",
	importLook: "Zeigen, was hereinkäme",
	importOther: "Spalten selbst wählen",
	importsPast: "Importe des letzten Tages",
	importsPastHelp:
		"Rückgängig machen nimmt zurück, was ein Import gebracht und geändert hat, außer was jemand seitdem " +
		"geändert oder verwendet hat.",
	importUndoOf: "Import vom {when} rückgängig machen",
	importUndone: "Rückgängig gemacht. Entfernt: {removed}. Wie vor dem Import: {restored}.",
	importKept: {
		one: "{count} bleibt, weil jemand es seitdem geändert oder verwendet hat{names}",
		other: "{count} bleiben, weil jemand sie seitdem geändert oder verwendet hat{names}",
	},
};

export const w = (id: WordId, fillings: Readonly<Record<string, string | number>> = {}): string => {
	const words: Readonly<Record<WordId, Text>> = kitLocale.value.startsWith("de") ? german : english;
	return fillIn(words[id], fillings, kitLocale.value);
};
