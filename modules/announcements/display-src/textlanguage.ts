/** Scripts that one language of a house's notices uses more than all others. */
const scripts = [
	[/\p{Script=Arabic}/gu, "ar"],
	[/\p{Script=Hebrew}/gu, "he"],
	[/\p{Script=Greek}/gu, "el"],
	[/\p{Script=Cyrillic}/gu, "ru"],
] as const;

const word = (words: string): RegExp => new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, "giu");
const german = word(
	"und|der|die|das|den|dem|ein|eine|einen|im|am|für|mit|um|uhr|wir|sie|nach|zum|zur|ist|nicht|von|bei|" +
		"bitte|\\p{L}{7,}(?:ung|ungen|heit|keit|schaft|dienst|kreis|feier|haus|saal|raum)|\\p{L}*[äöüß]\\p{L}*",
);
const english = word("the|and|of|to|in|is|for|with|at|on|we|our|are|from|you|your|please|after|before|all");

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

/**
 * The language in which a notice is written, for its hyphens and its voice: that of its script, or German or
 * English in a house of one of the two. Otherwise it is the house's.
 */
export function languageOf(text: string, house: string): string {
	const letters = count(text, /\p{L}/gu);
	const script = scripts.find(([letter]) => count(text, letter) * 2 > letters);
	const base = house.split("-")[0] ?? house;
	const other = script !== undefined ? script[1] : spoken(text, base);
	return other === undefined || other === base ? house : other;
}

function spoken(text: string, base: string): string | undefined {
	if (base !== "de" && base !== "en") return undefined;
	const more = count(text, german) - count(text, english);
	return more === 0 ? undefined : more > 0 ? "de" : "en";
}
