import type { ComponentType } from "preact";
import type { IconName } from "../../kit/icons";
import type { App } from "./app";

/** The parameters of a screen in the fragment. */
export type Params = Readonly<Record<string, string>>;

export interface ScreenProps {
	readonly app: App;
	readonly params: Params;
}

/** One of the Dashboard's own screens, as registered in its table. */
export interface Screen {
	/** Its fragment without "#/". ":id" matches any one segment, which the screen receives as a parameter. */
	readonly path: string;
	/** Any one of these permissions opens it; without any, every signed-in person may open it. */
	readonly permissions?: readonly string[];
	/** Its name in the sidebar and the palette. It is called again when the language changes. */
	title(): string;
	readonly icon: IconName;
	/** Loads its component. It is called when the caller may open the screen. */
	load(): Promise<ComponentType<ScreenProps>>;
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
export function opens({ permissions }: Screen, held: readonly string[]): boolean {
	return permissions === undefined || permissions.some((permission) => held.includes(permission));
}

/** The administration screens that the sidebar and the palette offer to a person with these permissions. */
export function administrationFor(screens: readonly Screen[], held: readonly string[]): Screen[] {
	return screens.filter(
		(screen) => screen.path.startsWith("admin/") && !screen.path.includes(":") && opens(screen, held),
	);
}
