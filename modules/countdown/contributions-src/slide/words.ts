const english = {
	kind: "Countdown",
	label: "The service starts in",
	labelField: "What is counted down to",
	target: "Day and time",
	targetNeeded: "Choose a day. Until then the last one counts.",
	after: "When the time has come",
	zero: "Stay at 00:00",
	hide: "Leave the slide out",
};

const german: Record<keyof typeof english, string> = {
	kind: "Countdown",
	label: "Der Gottesdienst beginnt in",
	labelField: "Worauf gezählt wird",
	target: "Tag und Uhrzeit",
	targetNeeded: "Wählen Sie einen Tag. Bis dahin gilt der letzte.",
	after: "Wenn es so weit ist",
	zero: "Auf 00:00 stehen bleiben",
	hide: "Die Folie weglassen",
};

export type Say = (id: keyof typeof english) => string;

export const wordsFor = (locale: string): Say => {
	const words = /^de\b/.test(locale) ? german : english;
	return (id) => words[id];
};
