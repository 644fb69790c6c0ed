import { wordsOf } from "../../words/words";

export const w = wordsOf({
	en: {
		home: "Home",
		morning: "Good morning",
		day: "Good afternoon",
		evening: "Good evening",
		morningName: "Good morning, {name}",
		dayName: "Good afternoon, {name}",
		eveningName: "Good evening, {name}",
		empty: "Nothing here for you yet.",
		emptyHelp: "Whoever looks after this place can give you access. They need your ID.",
		yourId: "Your ID",
		copyMyId: "Copy my ID",
	},
	de: {
		home: "Start",
		morning: "Guten Morgen",
		day: "Guten Tag",
		evening: "Guten Abend",
		morningName: "Guten Morgen, {name}",
		dayName: "Guten Tag, {name}",
		eveningName: "Guten Abend, {name}",
		empty: "Hier ist noch nichts für Sie.",
		emptyHelp: "Wer diese Seite betreut, kann Ihnen Zugang geben und braucht dafür Ihre Kennung.",
		yourId: "Ihre Kennung",
		copyMyId: "Meine Kennung kopieren",
	},
});
