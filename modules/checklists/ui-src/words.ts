import { houseTime } from "@narthex/kit";
import { type Context, type Text, type Words, words } from "@narthex/sdk";

/** Every text in English and in German. */
const texts = {
	tile: ["Checklists", "Checklisten"],
	overview: ["To do", "Zu tun"],
	lists: ["Lists", "Listen"],
	pages: ["Pages of the checklists", "Seiten der Checklisten"],
	done: ["Done", "Erledigt"],
	startNow: ["Start now", "Jetzt beginnen"],
	startHelp: ["For what is not in the calendar.", "Für alles, was nicht im Kalender steht."],
	nothing: ["Nothing is to be done this week", "Diese Woche ist nichts zu tun"],
	noLists: ["There are no lists yet", "Es gibt noch keine Listen"],
	noListsHelp: [
		"Write down once what has to be done when the house is opened or closed.",
		"Einmal aufschreiben, was zu tun ist, wenn das Haus geöffnet oder geschlossen wird.",
	],
	progress: ["{done} of {count}", "{done} von {count}"],
	late: ["Overdue", "Überfällig"],
	until: ["until {time}", "bis {time}"],
	finishedAt: ["done {time}", "erledigt {time}"],
	nobody: ["Nobody has taken this yet.", "Das hat noch niemand übernommen."],
	another: ["{name} does this.", "{name} macht das."],
	yours: ["You do this.", "Sie machen das."],
	someone: ["Somebody", "Jemand"],
	take: ["I will do it", "Übernehmen"],
	takeOver: ["Take it over", "Selbst übernehmen"],
	giveBack: ["Give it back", "Zurückgeben"],
	remindAt: ["Remind me by mail at", "Erinnerung per Mail an"],
	remindHelp: [
		"Only if something is not ticked off in time.",
		"Nur wenn etwas nicht pünktlich abgehakt ist.",
	],
	remind: ["Save the address", "Adresse speichern"],
	saved: ["Saved", "Gespeichert"],
	taken: ["You have taken it", "Sie haben es übernommen"],
	given: ["Given back", "Zurückgegeben"],
	allDone: ["Everything is done. Thank you!", "Alles ist erledigt. Vielen Dank!"],
	discard: ["Started by mistake", "Versehentlich begonnen"],
	discarded: ["Discarded", "Verworfen"],
	newList: ["New list", "Neue Liste"],
	stepCount: [
		{ one: "{count} step", other: "{count} steps" },
		{ one: "{count} Schritt", other: "{count} Schritte" },
	],
	tryAgain: ["Try again", "Noch einmal versuchen"],
	denied: ["You no longer have access (checklists.edit).", "Sie haben keinen Zugang mehr (checklists.edit)."],
	readDenied: ["You cannot see this (checklists.use).", "Sie können das nicht sehen (checklists.use)."],
	address: ["This is no mail address.", "Das ist keine Mailadresse."],
	invalid: ["That cannot be saved.", "Das lässt sich nicht speichern."],
	gone: ["It is not there any more.", "Das gibt es nicht mehr."],
	conflict: ["It has changed meanwhile.", "Das hat sich inzwischen geändert."],
	tooLarge: ["That is too much.", "Das ist zu viel."],
	busy: ["The house is busy just now.", "Das Haus ist gerade überlastet."],
	offline: ["There is no network.", "Es gibt kein Netz."],
	failed: ["It was not saved.", "Das wurde nicht gespeichert."],
} satisfies Record<string, readonly [english: Text, german: Text]>;

export type WordId = keyof typeof texts;

/** The words, and when something is: "Sun 22:15", in the zone of the house. */
export interface Say extends Words<WordId> {
	when(moment: string): string;
}

const of = (at: 0 | 1) =>
	Object.fromEntries(Object.entries(texts).map(([id, both]) => [id, both[at]])) as Record<WordId, Text>;
const all = { en: of(0), de: of(1) };

export function wordsOf(context: Pick<Context, "locale">): Say {
	const say = words(context, all);
	return Object.assign(say, {
		when: houseTime(say.language, { weekday: "short", hour: "numeric", minute: "2-digit" }),
	});
}
