import { useEffect, useState } from "preact/hooks";
import type { ComboboxOption } from "../../../kit/combobox";
import type { App } from "../../app/app";
import { findPeople, type Permission, type Person, readGrants } from "../../data/grants";
import { manageGrants } from "../modules/permissions";
import { w } from "./words";

/** The delay between the last key press and the search, in milliseconds. */
const pause = 200;

/** The people who match the typed text. The previous ones stay until the new ones are found. */
export function usePeople(app: App, typed: string | undefined): readonly Person[] {
	const [found, setFound] = useState<readonly Person[]>([]);
	useEffect(() => {
		if (typed === undefined) return;
		let wanted = true;
		const timer = setTimeout(async () => {
			const answer = await findPeople(app.platform, typed.trim());
			if (wanted && answer.ok) setFound(answer.value);
		}, pause);
		return () => {
			wanted = false;
			clearTimeout(timer);
		};
	}, [typed]);
	return found;
}

export const nameOf = ({ name, email, userId }: Person): string => name || email || userId;

export const personOption = (person: Person): ComboboxOption => ({
	id: person.userId,
	label: nameOf(person),
	detail: person.email ?? person.userId,
});

/** The description of a permission, or its id if there is none. */
export const purposeOf = (permission: Permission | undefined, id: string): string =>
	permission?.description ?? id;

export function permissionOption(permission: Permission, module: string): ComboboxOption {
	const { id, baseline } = permission;
	const note = baseline === "authenticated" ? { detail: w("everybody") } : {};
	return { id, label: purposeOf(permission, id), code: id, group: module, ...note };
}

/** The end of the caller's own right to give permissions; null if it has none, or is gone. */
export async function ownEnd(app: App): Promise<string | null> {
	const who = app.session.who.peek();
	if (who.is !== "person") return null;
	const answer = await readGrants(app.platform, { userId: who.userId, permissionId: manageGrants }, 1);
	return answer.ok ? (answer.value.grants[0]?.expiresAt ?? null) : null;
}
