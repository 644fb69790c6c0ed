import type { App } from "../../app/app";
import type { Member } from "../../data/people";
import { locale } from "../../words/words";
import { w } from "./words";

/** What somebody is called here. */
export const callOf = ({ name, email, erasedAt, userId }: Member): string =>
	name || email || (erasedAt === null ? userId : w("erasedPerson"));

/** Whether somebody is the person who looks. */
export function isOneself(app: App, { userId }: Member): boolean {
	const who = app.session.who.value;
	return who.is === "person" && who.userId === userId;
}

/** Modules by their names, as people list things. */
export const moduleNames = (app: App, ids: readonly string[]): string =>
	new Intl.ListFormat(locale.value.tag).format(ids.map((id) => app.entry(id)?.name ?? id));
