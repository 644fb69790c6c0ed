import { signal } from "@preact/signals";
import type { App } from "../../app/app";
import { keptSteps, noSteps } from "../../app/lastvisit";
import { keep, kept } from "../../app/preferences";
import type { House } from "../../data/platform";
import { type Shape, listOf, object, orNull, text } from "../../data/shape";
import { holds, manageDevices, managePeople } from "../modules/permissions";

/** What a new house needs first, in this order. */
export type Step = "name" | "colour" | "person" | "screen" | "notice";

/** The steps that this person may take, and whether each is done. */
export type Steps = ReadonlyMap<Step, boolean>;

/** Stored under keptSteps: the first colour is the right one. */
const blue = "blue";
export const stepsKept = signal(kept(keptSteps));
export function keepSteps(word: typeof blue | typeof noSteps): void {
	keep(keptSteps, word);
	stepsKept.value = word;
}

const notices = "announcements";
const any: Shape<unknown> = (value) => value;
const people = object({ people: listOf(any) });
const invitations = object({ invitations: listOf(any) });
const screens = object({ devices: listOf(object({ revokedAt: orNull(text) })), displays: listOf(any) });
const slides = object({ slides: listOf(any) });

/** All steps, from the house and from what the server has found. */
export const stepsOf = (house: House, found: Steps): Steps =>
	new Map<Step, boolean>([
		["name", house.name !== null && house.timeZone !== null],
		["colour", house.accent !== "blue" || stepsKept.value === blue],
		...found,
	]);

/** Asks the server what of the house is there. A step whose answer is missing is left out this time. */
export async function readSteps(app: App): Promise<{ readonly ok: true; readonly value: Steps }> {
	const board = app.entry(notices)?.ui;
	const read = async <Value>(path: string, shape: Shape<Value>, may: boolean): Promise<Value | undefined> => {
		const answer = may ? await app.platform.read(path, shape) : undefined;
		return answer?.ok ? answer.value : undefined;
	};
	const [members, open, paired, written] = await Promise.all([
		read("/api/v1/people?limit=2", people, holds(app, managePeople)),
		read("/api/v1/invitations?state=open&limit=1", invitations, holds(app, managePeople)),
		read("/api/v1/devices", screens, holds(app, manageDevices)),
		read(`${board?.apiRoot}/slides`, slides, board?.permissions.includes(`${notices}.slides.manage`) ?? false),
	]);
	const steps = new Map<Step, boolean>();
	if (members && open) steps.set("person", members.people.length > 1 || open.invitations.length > 0);
	if (paired && paired.displays.length > 0)
		steps.set("screen", paired.devices.some(({ revokedAt }) => revokedAt === null));
	if (written) steps.set("notice", written.slides.length > 0);
	return { ok: true, value: steps };
}
