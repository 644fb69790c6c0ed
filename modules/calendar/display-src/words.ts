/** The texts of a screen. */
export interface Words {
	readonly title: string;
	readonly from: string;
	readonly until: string;
	readonly then: string;
	readonly allDay: string;
	readonly free: string;
	readonly elsewhere: string;
	readonly nothing: string;
}

const english: Words = {
	title: "Today in this house",
	from: "from",
	until: "until",
	then: "then",
	allDay: "all day",
	free: "Free for the rest of the day",
	elsewhere: "Also today",
	nothing: "Nothing more is on today.",
};

const german: Words = {
	title: "Heute im Haus",
	from: "ab",
	until: "bis",
	then: "dann",
	allDay: "ganztags",
	free: "Heute nicht mehr belegt",
	elsewhere: "Außerdem heute",
	nothing: "Heute findet nichts mehr statt.",
};

export const wordsFor = (locale: string): Words => (locale.startsWith("de") ? german : english);
