import { signal } from "@preact/signals";

/**
 * The few words that the kit's components say themselves. The page that carries the kit gives them in its
 * language.
 */
export const kitEnglish = {
	close: "Close",
	optional: "optional",
	show: "Show",
	hide: "Hide",
	showPassword: "Show password",
	hidePassword: "Hide password",
	copy: "Copy",
	copied: "Copied",
	notCopied: "Not copied. Select it and copy it yourself.",
	tryAgain: "Try again",
	undo: "Undo",
	cancel: "Cancel",
	more: "More",
	loading: "Loading",
	date: "Date",
	time: "Time",
	zone: "Times are in the time zone {zone}.",
	noMatch: "Nothing matches.",
	matches: { one: "{count} match", other: "{count} matches" },
	moveRow: "Move {name}",
	moveUp: "Move up",
	moveDown: "Move down",
	movedTo: "{name} moved, position {position} of {count}",
} as const;

export type KitWordId = keyof typeof kitEnglish;
type Fillings = Readonly<Record<string, string | number>>;
export type KitSay = (id: KitWordId, fillings?: Fillings) => string;

function sayEnglish(id: KitWordId, fillings: Fillings = {}): string {
	const entry = kitEnglish[id];
	const text = typeof entry === "string" ? entry : entry[fillings["count"] === 1 ? "one" : "other"];
	return text.replace(/\{(\w+)\}/g, (_, name: string) => String(fillings[name] ?? ""));
}

/** The page that carries the kit sets this; a component that says something follows it. */
export const kitSay = signal<KitSay>(sayEnglish);

/** The language that dates and numbers are written in. */
export const kitLocale = signal("en");

export const k: KitSay = (id, fillings) => kitSay.value(id, fillings);
