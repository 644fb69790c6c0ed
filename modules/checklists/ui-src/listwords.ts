/** The words of the lists' screen. */
export const listWords = {
	en: {
		title: "Lists",
		add: "New list",
		empty: "There are no lists yet",
		emptyHelp: "Write down once what has to be done when the house is opened or closed.",
		deleteHelp: "What was ticked off on it is deleted, too.",
		fields: {
			title: "Title",
			moment: {
				label: "When",
				options: {
					open: "Before the first event of a day",
					close: "After the last event of a day",
					event: "Before each event",
					hand: "Whenever somebody starts it",
				},
			},
			minutes: {
				label: "Minutes",
				help: "Before the beginning, or after the end. Of lists that somebody starts: how long they may take.",
			},
			steps: "Steps, one in each line",
		},
		refusals: {
			LIST_TITLE_TAKEN: "There is a list of this title already.",
			TOO_MANY_LISTS: "There are 30 lists, and there cannot be more.",
			REQUEST_INVALID: "A step has up to 200 characters, and there are up to 60 steps.",
		},
	},
	de: {
		title: "Listen",
		add: "Neue Liste",
		empty: "Es gibt noch keine Listen",
		emptyHelp: "Einmal aufschreiben, was zu tun ist, wenn das Haus geöffnet oder geschlossen wird.",
		deleteHelp: "Auch was darauf abgehakt wurde, wird gelöscht.",
		fields: {
			title: "Titel",
			moment: {
				label: "Wann",
				options: {
					open: "Vor dem ersten Termin eines Tages",
					close: "Nach dem letzten Termin eines Tages",
					event: "Vor jedem Termin",
					hand: "Wenn jemand sie beginnt",
				},
			},
			minutes: {
				label: "Minuten",
				help: "Vor dem Beginn oder nach dem Ende. Bei Listen, die jemand beginnt: wie lange sie dauern dürfen.",
			},
			steps: "Schritte, einer je Zeile",
		},
		refusals: {
			LIST_TITLE_TAKEN: "Eine Liste mit diesem Titel gibt es schon.",
			TOO_MANY_LISTS: "Es gibt 30 Listen, und mehr gehen nicht.",
			REQUEST_INVALID: "Ein Schritt hat bis zu 200 Zeichen, und es gibt bis zu 60 Schritte.",
		},
	},
};
