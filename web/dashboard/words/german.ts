import { kitGerman } from "../../kit/german";
import type { Catalogue } from "./catalogue";
import type { english } from "./english";

/** english.ts in German. */
export const german: Catalogue<typeof english>["de"] = {
	...kitGerman,
	dashboard: "Dashboard",
	titleOf: "{screen} - Dashboard",
	skip: "Zum Inhalt springen",
	menu: "Menü",
	account: "Konto",
	accountOf: "{name}, Konto",
	accountAndSettings: "Konto und Einstellungen",
	modules: "Module",
	permissions: "Berechtigungen",
	screens: "Bildschirme",
	people: "Personen",
	person: "Person",
	activity: "Aktivität",
	navigation: "Navigation",
	module: "Modul",
	page: "Seite",
	settings: "Einstellungen",
	find: "Suchen oder öffnen",
	findHint: "Suchen oder öffnen …",
	findKeys: "Strg K",
	house: "Haus",
	administration: "Verwaltung",
	smallPrint: "{code}, {time}",
	nameRefused: "Dieser Name ist nicht möglich. Nehmen Sie Buchstaben, Ziffern und Zeichen, die man sieht.",

	badBuild: "Diese Seite hat eine Adresse, die nicht verwendet werden kann.",
	whoUnknown: "Wir können gerade nicht prüfen, wer Sie sind.",
	noServer: "Wir erreichen den Server gerade nicht.",
	notUnderstood: "Der Server hat eine Antwort gegeben, die diese Seite nicht versteht.",
	serverFailed: "Das hat gerade nicht geklappt.",
	offline: "Sie sind offline. Nichts ist verloren, aber noch nichts gespeichert.",
	conflict: "Jemand anderes hat das inzwischen geändert.",
	tooLarge: "Das ist zu groß.",
	tooOften: {
		one: "In {count} Sekunde können Sie es wieder versuchen.",
		other: "In {count} s können Sie es wieder versuchen.",
	},
	retriesItself: "Diese Seite versucht es von selbst wieder.",
	connectionLost: "Die Verbindung ist unterbrochen. Was Sie sehen, ist vielleicht nicht mehr aktuell.",
	stillWaiting:
		"Noch keine Antwort. Wenn viele Fenster dieser Website offen sind, schließen Sie einige davon.",

	sending: "Wird gesendet",
	saving: "Wird gespeichert",

	noAccess: "Sie haben keinen Zugang mehr ({permission}).",
	passkeyFirst:
		"Wer dieses Haus verwaltet, braucht einen Passkey. Fügen Sie zuerst unter „Konto“ einen hinzu.",
	accessWho: "Den gibt Ihnen, wer Inhaber:in ist oder Berechtigungen verwaltet.",
	notThere: "Unter dieser Adresse ist nichts.",
	moduleNotThere: "Dieses Modul gibt es hier nicht, oder Sie haben keinen Zugang.",
	moduleEnded: "{module} wurde ausgeschaltet, oder Sie haben keinen Zugang.",
	toHome: "Zum Start",

	leaveTitle: "Ohne Speichern verlassen?",
	leave: "Verlassen",

	signOut: "Abmelden",
	stillSignedIn: "Sie sind noch angemeldet.",

	newVersion: "Es gibt eine neue Version.",
	reload: "Neu laden",
};
