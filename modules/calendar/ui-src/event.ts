import type { ImportAnswer } from "@narthex/kit";

/** An occurrence of an event. Times are local times of the house; whole days have only days. */
export interface Occurrence {
	readonly event: string;
	/** The date of a repeating event that identifies the occurrence. */
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
	/** Rooms that another booking has. */
	readonly waiting: readonly number[];
	readonly rev: number;
	/** It is a service, which the module that plans services owns. */
	readonly service: boolean;
	/** It takes sign-ups. */
	readonly signUp: boolean;
}

export interface Room {
	readonly id: number;
	readonly name: string;
	readonly rev: number;
}

/** A part of the calendar, as the server returns it. */
export interface Window {
	readonly rev: number;
	readonly zone: string;
	readonly weekStartsOn: "monday" | "sunday";
	readonly today: string;
	readonly horizon: string;
	readonly more: boolean;
	readonly waiting: number;
	/** Whether services are among them as they are now, as they were, or nobody plans services here. */
	readonly services: "here" | "unsure" | "absent";
	readonly rooms: readonly Room[];
	readonly occurrences: readonly Occurrence[];
}

/** An event in the form in which it is edited. */
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
	readonly service: boolean;
	readonly cancelled: readonly string[];
	readonly moved: readonly string[];
}

/** An exceptional date for which a changed series has no date any more. */
export interface Dropped {
	readonly date: string;
	readonly title: string;
	readonly start: string;
	readonly cancelled: boolean;
	/** It can be moved to the nearest date of the series. */
	readonly moves: boolean;
}

/** A booking that has a needed room. */
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

/** The changes that an import makes, or would make. */
export interface Outcome extends ImportAnswer {
	readonly events: number;
	readonly rooms: number;
	readonly known: number;
	/** The first events. */
	readonly examples: readonly { readonly title: string; readonly start: string }[];
}
