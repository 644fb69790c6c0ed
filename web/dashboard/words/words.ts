import type { WordId } from "./english";
import { type Fillings, say } from "./language";
import { locale } from "../app/preferences";

/** The words of an id in the language that is shown. A component that uses it follows the language. */
export const t = (id: WordId, fillings?: Fillings): string => say(locale.value, id, fillings);

/** A time of day as people write it. */
export const clockTime = (date: Date): string =>
	new Intl.DateTimeFormat(locale.value.tag, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(
		date,
	);
