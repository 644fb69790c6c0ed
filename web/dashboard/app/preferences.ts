import { computed, effect, signal } from "@preact/signals";
import { preferredLanguages } from "../../host/languages";
import { kitLocale, kitSay } from "../../kit/words";
import { chosenLanguage } from "../words/language";
import { locale, t } from "../words/words";

/** Theme and language: the only preferences stored in the browser. */
const themeKey = "narthex.theme";
const languageKey = "narthex.language";

export type ThemeChoice = "system" | "light" | "dark";

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const systemDark = signal(prefersDark.matches);
prefersDark.addEventListener("change", () => (systemDark.value = prefersDark.matches));

/** What the browser has stored under a key, or "". */
export function kept(key: string): string {
	try {
		return localStorage.getItem(key) ?? "";
	} catch {
		return ""; // storage is disabled: the choice lasts only as long as the page
	}
}

/** Stores a text in the browser, if that is possible. */
export function keep(key: string, value: string): void {
	try {
		if (value === "") localStorage.removeItem(key);
		else localStorage.setItem(key, value);
	} catch {
		return;
	}
}

function keptTheme(): ThemeChoice {
	const value = kept(themeKey);
	return value === "light" || value === "dark" ? value : "system";
}

export const themeChoice = signal<ThemeChoice>(keptTheme());
export const theme = computed<"light" | "dark">(() =>
	themeChoice.value === "system" ? (systemDark.value ? "dark" : "light") : themeChoice.value,
);

/** The tag of the chosen language, or "" to follow the browser. */
export const languageChoice = signal(kept(languageKey));

/** Stores the preferences and applies them to the document. */
export function applyPreferences(): void {
	kitSay.value = t;
	effect(() => {
		keep(themeKey, themeChoice.value === "system" ? "" : themeChoice.value);
		document.documentElement.dataset["theme"] = theme.value;
	});
	effect(() => {
		keep(languageKey, languageChoice.value);
		const shown = chosenLanguage(languageChoice.value, preferredLanguages());
		document.documentElement.lang = shown.tag;
		document.documentElement.dir = shown.dir;
		locale.value = shown;
		kitLocale.value = shown.tag;
	});
}
