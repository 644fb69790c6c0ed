import { wordsOf } from "../../words/words";

export const w = wordsOf({
	en: {
		yourId: "Your ID",
		yourIdHelp: "Whoever gives you access needs it.",
		copyMyId: "Copy my ID",
		appearance: "Appearance",
		themeSystem: "System",
		themeLight: "Light",
		themeDark: "Dark",
		language: "Language",
		languageSystem: "As in the browser",
		signOutHelp: "Every tab of this browser is signed out.",
	},
	de: {
		yourId: "Ihre Kennung",
		yourIdHelp: "Wer Ihnen Zugang gibt, braucht sie.",
		copyMyId: "Meine Kennung kopieren",
		appearance: "Darstellung",
		themeSystem: "System",
		themeLight: "Hell",
		themeDark: "Dunkel",
		language: "Sprache",
		languageSystem: "Wie im Browser",
		signOutHelp: "Alle Tabs dieses Browsers werden abgemeldet.",
	},
});
