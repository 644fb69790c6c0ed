import type { ComboboxOption } from "../../../kit/combobox";
import type { App } from "../../app/app";
import { nameOf } from "../../app/people";
import type { Person } from "../../data/directory";
import { type Permission, readGrants } from "../../data/grants";
import { manageGrants } from "../modules/permissions";
import { t } from "../../words/words";
import { w } from "./words";

export const personOption = (person: Person): ComboboxOption => ({
	id: person.userId,
	label: nameOf(person),
	detail: person.email ?? person.userId,
});

/** The description of a permission, or its id if there is none. */
export const purposeOf = (permission: Permission | undefined, id: string): string =>
	permission?.description ?? id;

/** The name of the module to which a permission belongs. */
export const moduleOf = ({ moduleId, moduleName }: Permission): string =>
	moduleId === null ? t("administration") : (moduleName ?? moduleId);

export function permissionOption(permission: Permission): ComboboxOption {
	const { id, baseline } = permission;
	const note = baseline === "authenticated" ? { detail: w("everybody") } : {};
	return { id, label: purposeOf(permission, id), code: id, group: moduleOf(permission), ...note };
}

/** The end of the caller's own right to give permissions; null if it has none, or is gone. */
export async function ownEnd(app: App): Promise<string | null> {
	const who = app.session.who.peek();
	if (who.is !== "person") return null;
	const answer = await readGrants(app.platform, { userId: who.userId, permissionId: manageGrants }, 1);
	return answer.ok ? (answer.value.grants[0]?.expiresAt ?? null) : null;
}
