export type View = "month" | "week" | "list";

/** The dates of a repeating event that a change affects. */
export type Scope = "all" | "one" | "following";

/** A view of the calendar; day "" is today. */
export interface ViewPage {
	readonly is: "view";
	readonly view: View;
	readonly day: string;
}

/** What is on in each room, in the week of a day. */
export interface DoorsPage {
	readonly is: "doors";
	readonly day: string;
}

/** A new event, with or without a day, or an event to be changed. */
export interface EditPage {
	readonly is: "edit";
	readonly id: string | undefined;
	readonly scope: Scope;
	/** The date of a repeating event, or the day of a new one; "" for none. */
	readonly date: string;
}

/** An event, or one date of a series, for which one signs up, or the list of those who have. */
export interface SignUpsPage {
	readonly is: "signup" | "signups";
	readonly id: string;
	/** Of a series; "" for none. */
	readonly date: string;
}

/** The part of an address that names an event, or one date of a series. */
export const pathOf = (id: string, date: string): string => (date === "" ? id : `${id}/${date}`);

export type Page =
	| ViewPage
	| EditPage
	| SignUpsPage
	| DoorsPage
	| { readonly is: "rooms" }
	| { readonly is: "transfer" };

const views = /^(month|week|list)(?:\/(\d{4}-\d\d-\d\d))?$/;
const doors = /^doors(?:\/(\d{4}-\d\d-\d\d))?$/;
const edits = /^edit\/([0-9a-f-]{36})(?:\/(one|following)\/(\d{4}-\d\d-\d\dT\d\d:\d\d))?$/;
const signs = /^(signups?)\/([0-9a-f-]{36})(?:\/(\d{4}-\d\d-\d\dT\d\d:\d\d))?$/;
const news = /^new(?:\/(\d{4}-\d\d-\d\d))?$/;

/** The page of a part of the address. An unknown one shows this month. */
export function pageOf(subpath: string): Page {
	if (subpath === "rooms" || subpath === "transfer") return { is: subpath };
	const ofDoors = doors.exec(subpath);
	if (ofDoors) return { is: "doors", day: ofDoors[1] ?? "" };
	const added = news.exec(subpath);
	if (added) return { is: "edit", id: undefined, scope: "all", date: added[1] ?? "" };
	const [, signing, event, date = ""] = signs.exec(subpath) ?? [];
	if (event !== undefined) return { is: signing as SignUpsPage["is"], id: event, date };
	const edited = edits.exec(subpath);
	if (edited) {
		return {
			is: "edit",
			id: edited[1],
			scope: (edited[2] as Scope | undefined) ?? "all",
			date: edited[3] ?? "",
		};
	}
	const [, view = "month", day = ""] = views.exec(subpath) ?? [];
	return { is: "view", view: view as View, day };
}
