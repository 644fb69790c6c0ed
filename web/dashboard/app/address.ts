import type { IconName } from "../../kit/icons";

/** The parameters of a screen in the fragment. */
export type Params = Readonly<Record<string, string>>;

/** The address of one of the Dashboard's own screens, and who may open it. */
export interface Address {
	/** Its fragment without "#/". ":id" matches any one segment, which the screen receives as a parameter. */
	readonly path: string;
	/** Any one of these permissions opens it; without any, every signed-in person may open it. */
	readonly permissions?: readonly string[];
	/** Its name in the sidebar and the palette. It is called again when the language changes. */
	title(): string;
	readonly icon: IconName;
}

/** The parameters of a path that matches a pattern; undefined if it does not match. */
export function matched(pattern: string, path: string): Params | undefined {
	const wanted = pattern.split("/");
	const parts = path.split("/");
	if (wanted.length !== parts.length) return undefined;
	const params: Record<string, string> = {};
	for (const [at, part] of parts.entries()) {
		const name = wanted[at] ?? "";
		if (!name.startsWith(":")) {
			if (name !== part.toLowerCase()) return undefined;
			continue;
		}
		if (part === "") return undefined;
		params[name.slice(1)] = decoded(part);
	}
	return params;
}

function decoded(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

/**
 * Whether these permissions open a screen. This only avoids requests that the server would refuse; the server
 * decides.
 */
export function opens({ permissions }: Address, held: readonly string[]): boolean {
	return permissions === undefined || permissions.some((permission) => held.includes(permission));
}

/** The administration screens that the sidebar and the palette offer to a person with these permissions. */
export function administrationFor(screens: readonly Address[], held: readonly string[]): Address[] {
	return screens.filter(
		(screen) => screen.path.startsWith("admin/") && !screen.path.includes(":") && opens(screen, held),
	);
}
