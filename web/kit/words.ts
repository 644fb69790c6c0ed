import { signal } from "@preact/signals";
import { fillIn } from "../sdk/narthex-sdk"; // its name is unknown where the types are made

/** The texts of the kit's own components. The page sets them in its language. */
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
	incomplete: "This date or time is incomplete.",
	skipped: "The clock skips {time} on this day. Choose {first} or {second}.",
	zone: "Times are in the time zone {zone}.",
	noMatch: "Nothing matches.",
	matches: { one: "{count} match", other: "{count} matches" },
	moveRow: "Move {name}",
	moveUp: "Move up",
	moveDown: "Move down",
	draftKept: "Your draft is kept.",
	discard: "Discard",
	discardTitle: "Discard what you have typed?",
	leaveHelp: "What you have not saved is lost.",
	stay: "Stay",
	nameHidden: "This has a character that nobody sees ({code}). Delete it, or type the name again.",
	nameBlank: "Nobody can see this name. Use letters or digits.",
	nameLong: { one: "At most {count} character.", other: "At most {count} characters." },
	notLoaded: "This part of the page could not be loaded.",
} as const;

export type KitWordId = keyof typeof kitEnglish;
type Fillings = Readonly<Record<string, string | number>>;
export type KitSay = (id: KitWordId, fillings?: Fillings) => string;

const sayEnglish: KitSay = (id, fillings = {}) => fillIn(kitEnglish[id], fillings, "en");

/** Set by the page; components with a text of their own re-render when it changes. */
export const kitSay = signal<KitSay>(sayEnglish);

/** The language for formatting dates and numbers. */
export const kitLocale = signal("en");

export const k: KitSay = (id, fillings) => kitSay.value(id, fillings);
