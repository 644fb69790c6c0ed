import { computed } from "@preact/signals";
import { preferredLanguages } from "../host/languages";
import { houseLanguage } from "./house";
import { languageFor } from "./language";

/** All texts of a display's own screens. Braces enclose placeholders. */
export interface Words {
	readonly pairHow: string;
	readonly codeRenews: string;
	readonly codeLabel: string;
	readonly qrLabel: string;
	readonly pairedAs: string;
	readonly leaveOn: string;
	readonly starting: string;
	readonly waiting: string;
	readonly noContent: string;
	readonly unpaired: string;
	readonly noCode: string;
	readonly signedIn: string;
	readonly signOut: string;
	readonly stillSignedIn: string;
	readonly removed: string;
	readonly newCode: string;
	readonly switchedOff: string;
	readonly noDisplay: string;
	readonly looksAgain: string;
	readonly cannotStart: string;
	readonly wrongAddress: string;
	readonly noCookies: string;
	readonly allowCookies: string;
	readonly reconnecting: string;
	readonly reconnectingSince: string;
	readonly recovering: string;
	readonly recoveringSince: string;
	readonly backOnline: string;
}

export const english: Words = {
	pairHow: "In the Dashboard: Administration > Screens, then type this code.",
	codeRenews: "The code renews by itself",
	codeLabel: "Code",
	qrLabel: "QR code that opens this screen in the Dashboard",
	pairedAs: 'Paired as "{label}"',
	leaveOn: "Leave this screen on for a minute.",
	starting: "Starting",
	waiting: "Waiting for the network",
	noContent: "Waiting for content",
	unpaired: "This screen is not paired.",
	noCode: "No code is free at the moment. This screen asks again by itself.",
	signedIn: "Somebody is signed in here. Sign out first to make this a screen.",
	signOut: "Sign out",
	stillSignedIn: "That did not work. Please try again.",
	removed: "This screen was removed.",
	newCode: "New code below.",
	switchedOff: "{module} is switched off here.",
	noDisplay: "There is no display at this address.",
	looksAgain:
		"This screen looks again every minute. The addresses are in the Dashboard: Administration > Screens.",
	cannotStart: "{module} cannot start on this screen.",
	wrongAddress: "Screens are not paired at this address.",
	noCookies: "This browser blocks cookies.",
	allowCookies: "A screen keeps its pairing in a cookie. Allow cookies for {host} in the browser's settings.",
	reconnecting: "Reconnecting",
	reconnectingSince: "Reconnecting, last update {time}",
	recovering: "Starting again",
	recoveringSince: "Starting again, last update {time}",
	backOnline: "Back online",
};

export const german: Words = {
	pairHow: "Im Dashboard: Verwaltung > Bildschirme, dann diesen Code eingeben.",
	codeRenews: "Der Code erneuert sich von selbst",
	codeLabel: "Code",
	qrLabel: "QR-Code, der diesen Bildschirm im Dashboard öffnet",
	pairedAs: "Gekoppelt als „{label}“",
	leaveOn: "Lassen Sie diesen Bildschirm noch eine Minute an.",
	starting: "Startet",
	waiting: "Wartet auf das Netzwerk",
	noContent: "Wartet auf Inhalte",
	unpaired: "Dieser Bildschirm ist nicht gekoppelt.",
	noCode: "Im Moment ist kein Code frei. Dieser Bildschirm fragt von selbst wieder.",
	signedIn: "Hier ist jemand angemeldet. Melden Sie sich erst ab, damit dies ein Bildschirm wird.",
	signOut: "Abmelden",
	stillSignedIn: "Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.",
	removed: "Dieser Bildschirm wurde entfernt.",
	newCode: "Neuer Code unten.",
	switchedOff: "{module} ist hier ausgeschaltet.",
	noDisplay: "Unter dieser Adresse gibt es keine Anzeige.",
	looksAgain:
		"Dieser Bildschirm sieht jede Minute nach. Die Adressen stehen im Dashboard: Verwaltung > Bildschirme.",
	cannotStart: "{module} kann auf diesem Bildschirm nicht starten.",
	wrongAddress: "Unter dieser Adresse werden keine Bildschirme gekoppelt.",
	noCookies: "Dieser Browser blockiert Cookies.",
	allowCookies:
		"Ein Bildschirm behält seine Kopplung in einem Cookie. " +
		"Erlauben Sie in den Einstellungen des Browsers Cookies für {host}.",
	reconnecting: "Verbindet neu",
	reconnectingSince: "Verbindet neu, letzter Stand {time}",
	recovering: "Startet neu",
	recoveringSince: "Startet neu, letzter Stand {time}",
	backOnline: "Wieder verbunden",
};

/** The language of this page, with its texts. */
export const language = computed(() =>
	languageFor(houseLanguage.value, preferredLanguages(), { en: english, de: german }),
);

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * The text of an id. Inserted text is isolated, because its direction may differ from that of the text around
 * it.
 */
export function t(id: keyof Words, fillings: Readonly<Record<string, string>> = {}): string {
	const { words, dir } = language.value;
	return words[id].replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = fillings[name] ?? "";
		return dir === "rtl" || rightToLeft.test(value) ? `\u2068${value}\u2069` : value;
	});
}
