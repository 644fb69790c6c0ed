import { localTime } from "@narthex/kit";

/** The days from one day to another, both included. */
export interface Days {
	readonly from: string;
	readonly to: string;
}

export type Status = "planned" | "open" | "yes" | "no";

/** The shown part of the last mail about something. */
export interface Mail {
	readonly kind: string;
	readonly outcome: "queued" | "sent" | "notSetUp" | "refused" | "deferred" | "tryAgain";
	readonly at: string;
}

export interface Assignment {
	readonly id: string;
	readonly serviceId: string;
	readonly roleId: string;
	readonly volunteerId: string;
	readonly status: Status;
	/** The start that they said yes to, of a service that was moved since and that they are asked for again. */
	readonly was: string | null;
	/** They look for somebody who takes it over. */
	readonly seeking: boolean;
	readonly mail: Mail | null;
	readonly rev: number;
}

export interface Service {
	readonly id: string;
	readonly title: string;
	readonly start: string;
	/** Where it needs another number of people than usual. */
	readonly needs: readonly Need[];
	readonly assignments: readonly Assignment[];
}

export interface Need {
	readonly roleId: string;
	readonly needed: number;
	readonly rev: number;
}

export interface Role {
	readonly id: string;
	readonly name: string;
	/** How many people it needs in a service that has no number of its own. */
	readonly needed: number;
}

/** Another volunteer with whom somebody likes to serve, or must never be in the same service (apart). */
export interface Pair {
	readonly id: string;
	readonly apart: boolean;
}

export interface Volunteer {
	readonly id: string;
	/** Empty for an erased person. */
	readonly label: string;
	readonly email: string;
	readonly language: string;
	readonly digest: boolean;
	readonly roleIds: readonly string[];
	readonly away: readonly Days[];
	/** When they would like to serve. */
	readonly wishes: readonly Days[];
	/** How often in a calendar month at most; 0: as often as needed. */
	readonly perMonth: number;
	readonly pairs: readonly Pair[];
	readonly connected: boolean;
	readonly mail: Mail | null;
	readonly rev: number;
}

/** Something that a coordinator must know of. The name is empty for a service, and for an erased person. */
export interface News {
	readonly id: number;
	readonly kind: "moved" | "cancelled" | "restored" | "declined" | "away" | "removed" | "replaced";
	readonly serviceId: string;
	readonly title: string;
	readonly start: string;
	readonly was: string | null;
	readonly people: number;
	readonly role: string;
	readonly name: string;
	/** Whom it concerns and no mail told: they have no address, or it was refused. */
	readonly unreached: readonly string[];
}

/** Everything that coordinators work with. */
export interface Board {
	readonly serverTime: string;
	readonly rev: number;
	/** Another text when something is different that the rev does not count, such as the services. */
	readonly outside: string;
	readonly rolesRev: number;
	readonly announcements: boolean;
	readonly weekStartsOn: "monday" | "sunday";
	/** The module that plans services did not respond, so the board has no services. */
	readonly unplanned: boolean;
	/** What no coordinator has seen yet, the last one first. */
	readonly news: readonly News[];
	readonly roles: readonly Role[];
	readonly volunteers: readonly Volunteer[];
	readonly weeks: readonly { readonly begins: string; readonly services: readonly Service[] }[];
}

/** The newest board: the snapshot of its stream. */
export type Head = Pick<Board, "serverTime" | "rev" | "outside">;

/** One change of the board. Everything that is not in it stays the same. */
export interface BoardUpdate {
	readonly rev: number;
	readonly assignments?: readonly Assignment[];
	readonly removed?: readonly string[];
	readonly volunteers?: readonly Volunteer[];
	readonly news?: readonly News[];
}

/** The changes of a coordinator in one request. With a rev, only if that board is still the newest one. */
export interface Change {
	readonly rev?: number;
	readonly add?: readonly Pick<Assignment, "serviceId" | "roleId" | "volunteerId">[];
	readonly set?: readonly { readonly id: string; readonly status: Status; readonly rev: number }[];
	readonly remove?: readonly { readonly id: string; readonly rev: number }[];
}

/**
 * Returns the board after a change; the same board if it already contains the change. Returns undefined if a
 * change in between is missing, or if the update contains only a rev. Then a new snapshot is needed.
 */
export function applied(board: Board, update: BoardUpdate): Board | undefined {
	const { rev, assignments, removed, volunteers, news } = update;
	if (rev <= board.rev) return board;
	if (rev > board.rev + 1 || (!assignments && !removed && !volunteers && !news)) return undefined;
	return {
		...board,
		rev,
		news: news ?? board.news,
		volunteers: volunteers ? withVolunteers(board.volunteers, volunteers) : board.volunteers,
		weeks: withAssignments(board.weeks, assignments ?? [], removed ?? []),
	};
}

function withVolunteers(before: readonly Volunteer[], changed: readonly Volunteer[]): readonly Volunteer[] {
	const ids = new Set(changed.map(({ id }) => id));
	const all = [...before.filter(({ id }) => !ids.has(id)), ...changed];
	return all.sort((a, b) => a.label.localeCompare(b.label) || (a.id < b.id ? -1 : 1));
}

function withAssignments(
	weeks: Board["weeks"],
	changed: readonly Assignment[],
	removed: readonly string[],
): Board["weeks"] {
	const gone = new Set([...removed, ...changed.map(({ id }) => id)]);
	const services = new Set(changed.map(({ serviceId }) => serviceId));
	return weeks.map((week) => ({
		...week,
		services: week.services.map((service) => {
			if (!services.has(service.id) && !service.assignments.some(({ id }) => gone.has(id))) return service;
			const kept = service.assignments.filter(({ id }) => !gone.has(id));
			const added = changed.filter(({ serviceId }) => serviceId === service.id);
			return { ...service, assignments: [...kept, ...added].sort((a, b) => (a.id < b.id ? -1 : 1)) };
		}),
	}));
}

/** All services in their order. */
export const servicesOf = ({ weeks }: Board): readonly Service[] => weeks.flatMap(({ services }) => services);

/** The day of a moment in the house: "2026-12-06". */
export const dayOf = (moment: string | number): string => localTime(moment).slice(0, 10);

/** How many people a role needs in a service. */
export const neededIn = ({ needs }: Service, role: Role): number =>
	needs.find(({ roleId }) => roleId === role.id)?.needed ?? role.needed;

/** How many people a role has in a service, without those who have said no. */
export const serving = ({ assignments }: Service, role: Role): number =>
	assignments.filter(({ roleId, status }) => roleId === role.id && status !== "no").length;

/** How many places of a role are empty in a service. */
export const emptyPlaces = (service: Service, role: Role): number =>
	Math.max(neededIn(service, role) - serving(service, role), 0);

/** Whether a volunteer is away on the day of a service. */
export function isAway(volunteer: Volunteer, service: Service): boolean {
	const day = dayOf(service.start);
	return volunteer.away.some(({ from, to }) => from <= day && day <= to);
}
