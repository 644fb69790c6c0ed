/** A row of a table with content. */
export interface Row {
	/** In the file, from 1. */
	readonly line: number;
	readonly cells: readonly string[];
}

/** Why a table is not read; codes as in imports of modules. */
export class TableError extends Error {
	constructor(readonly code: "TOO_MANY" | "WORKBOOK_UNREADABLE" | "FILE_TOO_LARGE") {
		super(code);
	}
}

/** Bounds of a table. */
export const maxRows = 5000;
export const maxColumns = 200;

/** Texts of a file, whatever program wrote it. guessed: its encoding is the likely one (Windows-1252). */
export function textOf(content: Uint8Array): { readonly text: string; readonly guessed: boolean } {
	const [first = 0, second = 0] = content;
	const utf16 = (label: string) => decoded(content, label);
	if ((first === 0xff && second === 0xfe) || (first > 0 && second === 0 && content.length > 1)) {
		return { text: utf16("utf-16le"), guessed: false };
	}
	if ((first === 0xfe && second === 0xff) || (first === 0 && second > 0)) {
		return { text: utf16("utf-16be"), guessed: false };
	}
	try {
		return { text: new TextDecoder("utf-8", { fatal: true }).decode(content).normalize(), guessed: false };
	} catch {
		return { text: decoded(content, "windows-1252"), guessed: true };
	}
}

const decoded = (content: Uint8Array, label: string): string =>
	new TextDecoder(label).decode(content).normalize();

/** The rows of a text: cells between commas, semicolons, tabs or bars, in quotes if they contain such. */
export function rowsOf(whole: string): readonly Row[] {
	const text = whole.replace(/\r\n?/g, "\n");
	const named = /^"?sep=(.)"?[ \t;,]*\n/i.exec(text);
	const separator = named?.[1] ?? separatorOf(text);
	const quotes = (text.match(/"/g) ?? []).length % 2 === 0; // else one is never closed, and each line is a row
	const rows: Row[] = [];
	let at = named?.[0].length ?? 0;
	let line = named ? 2 : 1;
	while (at < text.length) {
		const began = line;
		const cells: string[] = [];
		for (let more = true; more; ) {
			let cell = "";
			if (quotes && text[at] === '"') {
				for (at++; at < text.length; at++) {
					const end = text.indexOf('"', at);
					cell += text.slice(at, end < 0 ? text.length : end);
					at = end < 0 ? text.length : end + 1;
					if (text[at] !== '"') break;
					cell += '"';
				}
			}
			const from = at;
			while (at < text.length && text[at] !== separator && text[at] !== "\n") at++;
			cell += text.slice(from, at);
			line += (cell.match(/\n/g) ?? []).length;
			cells.push(cell.trim());
			more = text[at] === separator;
			if (more) at++;
			if (cells.length > maxColumns) throw new TableError("TOO_MANY");
		}
		at++;
		line++;
		addRow(rows, { line: began, cells });
	}
	return rows;
}

/** Adds a row with content. */
export function addRow(rows: Row[], row: Row): void {
	if (row.cells.every((cell) => cell === "")) return;
	if (rows.length > maxRows + 10) throw new TableError("TOO_MANY");
	rows.push(row);
}

/** The separator that is there most often in the first line that has one. */
function separatorOf(text: string): string {
	for (const line of text.slice(0, 20_000).split("\n", 10)) {
		const plain = line.replace(/"[^"]*"/g, "");
		const counts = [...";,\t|"].map((one) => ({ one, count: plain.split(one).length - 1 }));
		const best = counts.reduce((most, next) => (next.count > most.count ? next : most));
		if (best.count > 0) return best.one;
	}
	return ",";
}
