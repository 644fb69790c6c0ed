import type { ImportAnswer, ImportProblem, TablePreview } from "../../../../kit/transfer";
import { nameError } from "../../../../kit/names";
import { type Addressee, isAddress } from "../addresses";
import { maxRows, type Row } from "./rows";

/**
 * What the columns of a table may be called, by what Planning Center, ChurchTools, ChurchSuite, Elvanto and
 * address books write. How headings are written (capitals, spaces, hyphens) makes no difference.
 */
const headings = {
	first: ["first name", "given name", "forename", "vorname"],
	called: ["preferred name", "preferred first name", "rufname"], // if there is one, instead of the first name
	last: ["last name", "surname", "family name", "nachname", "familienname"],
	name: ["name", "full name", "display name", "vollständiger name", "anzeigename", "person"],
	email: [
		...["email", "mail", "email address", "home email", "primary email", "e-mail 1 - value"],
		...["e-mail-adresse", "mailadresse", "e-mail privat"],
	],
	otherEmail: [
		...["work email", "other email", "secondary email", "alternative email", "e-mail beruflich"],
		...["e-mail geschäftlich", "weitere e-mail"],
	],
} as const;
type Column = keyof typeof headings;
const columns = Object.keys(headings) as Column[];

/** The people of a table, and what of it is left out. */
export interface Invited extends ImportAnswer {
	readonly people: readonly Addressee[];
}

type Places = Partial<Record<Column, number>>;

/** Reads the people of a table. chosen: where its columns are, if a person has said it: "above:1,email:2". */
export function invitedIn(rows: readonly Row[], chosen?: string): Invited {
	const { above, at } = chosen === undefined ? placesIn(rows) : placesOf(chosen);
	const head = rows[above - 1]?.cells ?? [];
	const table: TablePreview = {
		rows: rows.slice(0, 6).map(({ cells }) => cells.slice(0, 40).map((cell) => cell.slice(0, 60))),
		...{ above, columns, needed: [["email", "otherEmail"]], at: at as Readonly<Record<string, number>> },
	};
	const refused = (code: string): Invited => ({
		...{ people: [], problems: [{ line: 0, code, detail: head.join(", ") }], problemCount: 1, table },
	});
	if (rows.length === 0 || rows.length === above) return refused("EMPTY");
	if (at.email === undefined && at.otherEmail === undefined) return refused("COLUMNS_UNKNOWN");
	if (rows.length - above > maxRows) return refused("TOO_MANY");
	const people = new Map<string, Addressee>();
	const skipped: ImportProblem[] = [];
	for (const { line, cells } of rows.slice(above)) {
		const of = (column: Column) => cells[at[column] ?? -1] ?? "";
		const email = (of("email") || of("otherEmail")).replace(/^mailto:|^.*<|>.*$/gi, "").trim().toLowerCase();
		const name = nameOf(of("called") || of("first"), of("last"), of("name"));
		const out = (code: string, field: string, detail: string) =>
			skipped.push({ ...{ line, code, field, detail, row: cells } });
		if (email === "") out("EMAIL_MISSING", "email", name);
		else if (!isAddress(email)) out("EMAIL_INVALID", "email", email);
		else if (name !== "" && nameError(name, 200) !== undefined) out("NAME_INVALID", "name", name);
		else if (people.has(email)) out("TWICE", "email", email);
		else people.set(email, name === "" ? { email } : { email, name });
	}
	return {
		people: [...people.values()],
		...{ problems: [], problemCount: 0, skipped, skippedCount: skipped.length, columns: head, table },
	};
}

/** Beside a first name, the column Name is the family name if there is no column for that. */
function nameOf(first: string, last: string, name: string): string {
	return (first === "" ? name || last : `${first} ${last || name}`).replace(/\s+/g, " ").trim();
}

/** The row of the first ten that has the most headings. */
function placesIn(rows: readonly Row[]): { readonly above: number; readonly at: Places } {
	let best: { above: number; at: Places } = { above: 1, at: {} };
	for (const [n, { cells }] of rows.slice(0, 10).entries()) {
		const keys = cells.map(keyOf);
		const at: Places = {};
		for (const column of columns) {
			const found = headings[column].map((name) => keys.indexOf(keyOf(name))).find((place) => place >= 0);
			if (found !== undefined) at[column] = found;
		}
		if (Object.keys(at).length > Object.keys(best.at).length) best = { above: n + 1, at };
	}
	return best;
}

const keyOf = (heading: string): string => heading.toLowerCase().replace(/[^\p{L}\d]/gu, "");

function placesOf(chosen: string): { readonly above: number; readonly at: Places } {
	const { above = 0, ...at } = Object.fromEntries(
		chosen.split(",").map((part) => [part.split(":")[0], Number(part.split(":")[1])]),
	) as Places & { above?: number };
	return { above, at };
}
