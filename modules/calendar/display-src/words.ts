/** The texts of a screen. */
export interface Words {
	readonly title: string;
	readonly now: string;
	readonly free: string;
	readonly elsewhere: string;
	readonly nothing: string;
	until(time: string): string;
}

const english: Words = {
	title: "Today in this house",
	now: "Now",
	free: "Free for the rest of the day",
	elsewhere: "Also today",
	nothing: "Nothing more is on today.",
	until: (time) => `until ${time}`,
};

const german: Words = {
	title: "Heute im Haus",
	now: "Jetzt",
	free: "Heute nicht mehr belegt",
	elsewhere: "Außerdem heute",
	nothing: "Heute findet nichts mehr statt.",
	until: (time) => `bis ${time}`,
};

export const wordsFor = (locale: string): Words => (locale.startsWith("de") ? german : english);
