import { signal } from "@preact/signals";
import { houseTime } from "../../kit/house";
import { type Catalogue, type Entries, type Fillings, type Locale, say } from "./catalogue";
import { english } from "./english";
import { german } from "./german";
import { standard } from "./language";

/** The current language. The preferences set it. */
export const locale = signal<Locale>(standard);

/** Returns a screen's texts by id; also holds their catalogue. */
export interface Words<English extends Entries> {
	(id: keyof English, fillings?: Fillings): string;
	readonly catalogue: Catalogue<English>;
}

/**
 * The texts of a screen, from its own catalogue, in the current language. A component that uses them
 * re-renders when the language changes.
 */
export function wordsOf<const English extends Entries>(catalogue: Catalogue<English>): Words<English> {
	const words = (id: keyof English, fillings?: Fillings) => say(catalogue, locale.value, id, fillings);
	return Object.assign(words, { catalogue });
}

/** The texts that all screens share. */
export const t = wordsOf({ en: english, de: german });

/** Formats in the current language and the house's zone. */
export const formatted =
	(options: Intl.DateTimeFormatOptions) =>
	(at: string | Date): string =>
		houseTime(locale.value.tag, options)(at);

/** A time of day. */
export const clockTime = formatted({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
