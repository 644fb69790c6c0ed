/** The form in which texts are compared, as on the server: without marks (ö is o) and case, with ß as ss. */
export const folded = (text: string): string =>
	text
		.normalize("NFKD")
		.toUpperCase()
		.toLowerCase()
		.normalize("NFKD")
		.replace(/[\p{Mn}\p{Me}\p{Cf}]/gu, "")
		.replaceAll("ς", "σ");

/** Whether a text has every word of a search. */
export function hasWords(text: string, typed: string): boolean {
	const all = folded(text);
	return folded(typed)
		.split(/\s+/)
		.every((word) => all.includes(word));
}

/** Where a text has a search, as written there: the first index and the one after the last. */
export function placeOf(text: string, typed: string): [number, number] | undefined {
	const query = folded(typed.trim());
	if (query === "") return undefined;
	let all = "";
	const from: number[] = []; // of each character of the folded text, its index in the text
	let index = 0;
	for (const character of text) {
		const part = folded(character);
		for (let unit = 0; unit < part.length; unit++) from.push(index);
		all += part;
		index += character.length;
	}
	from.push(index);
	const at = all.indexOf(query);
	if (at < 0) return undefined;
	const last = from[at + query.length - 1] ?? index;
	return [from[at] ?? 0, from.slice(at + query.length).find((place) => place > last) ?? index];
}
