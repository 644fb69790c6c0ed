import { wordsOf } from "../../words/words";

export const w = wordsOf({
	en: {
		home: "Home",
		empty: "Nothing here for you yet.",
		emptyHelp: "Whoever looks after this place can give you access. They need your ID.",
	},
	de: {
		home: "Start",
		empty: "Hier ist noch nichts für Sie.",
		emptyHelp: "Wer diese Seite betreut, kann Ihnen Zugang geben und braucht dafür Ihre Kennung.",
	},
});
