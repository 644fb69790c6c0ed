import { useEffect, useState } from "preact/hooks";
import { findPeople, type Person } from "../data/directory";
import type { App } from "./app";

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

/** A person by name and address, because two people can have the same name; "" if both are gone. */
export function nameAndAddress({ name, email }: Pick<Person, "name" | "email">): string {
	return name && email ? `${name} (${email})` : name || email || "";
}

/** The places of a person in People and in Permissions. */
export const personHash = (userId: string): string => `#/admin/people/${userId}`;
export const permissionsHash = (userId: string): string => `#/admin/permissions/person/${userId}`;

/** The place of a permission and the people who hold it. */
export const holdersHash = (permissionId: string): string =>
	`#/admin/permissions/permission/${encodeURIComponent(permissionId)}`;
