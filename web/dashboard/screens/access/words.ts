import { wordsOf } from "../../words/words";

export const w = wordsOf({
	en: {
		sessions: "Where you are signed in",
		sessionsHelp: "Do you not know one of these? End it, and choose a new password.",
		unknownBrowser: "Unknown browser",
		thisBrowser: "This browser",
		sessionTimes: "Since {since}, last seen {seen}",
		sinceTime: "Since {since}",
		endSession: "End",
		endNamed: "End the session: {browser}",
		endTitle: "End this session?",
		endEffect: "{browser} asks for the password again.",
		keepSession: "Keep it",
		sessionEnded: "Ended",
	},
	de: {
		sessions: "Wo Sie angemeldet sind",
		sessionsHelp: "Kennen Sie eine davon nicht? Beenden Sie sie und wählen Sie ein neues Passwort.",
		unknownBrowser: "Unbekannter Browser",
		thisBrowser: "Dieser Browser",
		sessionTimes: "Seit {since}, zuletzt gesehen {seen}",
		sinceTime: "Seit {since}",
		endSession: "Beenden",
		endNamed: "Sitzung beenden: {browser}",
		endTitle: "Diese Sitzung beenden?",
		endEffect: "{browser} fragt wieder nach dem Passwort.",
		keepSession: "Behalten",
		sessionEnded: "Beendet",
	},
});
