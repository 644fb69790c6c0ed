/** One time that something happens. Times are on the house's clock; of a whole day they are days. */
export interface Occurrence {
	readonly event: string;
	/** Which date of a repeating event. */
	readonly date: string;
	readonly title: string;
	readonly text: string;
	readonly start: string;
	readonly end: string;
	readonly startsAt: string;
	readonly endsAt: string;
	readonly allDay: boolean;
	readonly repeats: boolean;
	readonly changed: boolean;
	readonly rooms: readonly number[];
	/** Rooms that something else has. */
	readonly waiting: readonly number[];
	readonly rev: number;
}

export interface Room {
	readonly id: number;
	readonly name: string;
	readonly rev: number;
}

/** A part of the calendar, as the server has it. */
export interface Window {
	readonly rev: number;
	readonly zone: string;
	readonly zoneWrong: boolean;
	readonly weekStartsOn: "monday" | "sunday";
	readonly today: string;
	readonly horizon: string;
	readonly more: boolean;
	readonly waiting: number;
	readonly rooms: readonly Room[];
	readonly occurrences: readonly Occurrence[];
}

/** An event as its writer has it. */
export interface Event {
	readonly id: string;
	readonly title: string;
	readonly text: string;
	readonly start: string;
	readonly end: string;
	readonly allDay: boolean;
	readonly rule: string;
	readonly rooms: readonly number[];
	readonly rev: number;
	readonly cancelled: readonly string[];
	readonly moved: readonly string[];
}

/** What has a room that was wanted. */
export interface Taken {
	readonly room: number;
	readonly start: string;
	readonly title: string;
	readonly from: string;
	readonly until: string;
}

/** A booking that waits for its room. */
export interface Waiting {
	readonly event: string;
	readonly date: string;
	readonly title: string;
	readonly start: string;
	readonly room: number;
	readonly by: string;
}
