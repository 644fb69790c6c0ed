import type { App } from "../../app/app";
import type { Member } from "../../data/people";
import { locale } from "../../words/words";
import { w } from "./words";

/** The name shown for a person. */
export const displayName = ({ name, email, erasedAt, userId }: Member): string =>
	name || email || (erasedAt === null ? userId : w("erasedPerson"));

/** Whether the person is the signed-in one. */
export function isOneself(app: App, { userId }: Member): boolean {
	const who = app.session.who.value;
	return who.is === "person" && who.userId === userId;
}

/** A list of modules by their names, in the format of the language. */
export const moduleNames = (app: App, ids: readonly string[]): string =>
	new Intl.ListFormat(locale.value.tag).format(ids.map((id) => app.moduleName(id)));
