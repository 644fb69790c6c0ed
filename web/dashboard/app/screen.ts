import type { ComponentType } from "preact";
import type { IconName } from "../../kit/icons";
import type { App } from "./app";

/** What the fragment says beside the screen's name. */
export type Params = Readonly<Record<string, string>>;

export interface ScreenProps {
	readonly app: App;
	readonly params: Params;
}

/** One of the Dashboard's own screens, as its table registers it. */
export interface Screen {
	/** Its fragment without "#/". ":id" takes any one part, and gives it to the screen. */
	readonly path: string;
	/** Any one of these opens it; without any, everybody who is signed in may. */
	readonly permissions?: readonly string[];
	/** What the sidebar and the palette call it. It is said again when the language changes. */
	title(): string;
	readonly icon: IconName;
	/** Brings its component. It is called once the caller may see the screen. */
	load(): Promise<ComponentType<ScreenProps>>;
}

/** The parts that a pattern names in a path; undefined where the path is another. */
export function matched(pattern: string, path: string): Params | undefined {
	const wanted = pattern.split("/");
	const parts = path.split("/");
	if (wanted.length !== parts.length) return undefined;
	const params: Record<string, string> = {};
	for (const [at, part] of parts.entries()) {
		const name = wanted[at] ?? "";
		if (!name.startsWith(":")) {
			if (name !== part) return undefined;
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

/** Whether these permissions open a screen. The server decides: this spares people what it would refuse. */
export function opens({ permissions }: Screen, held: readonly string[]): boolean {
	return permissions === undefined || permissions.some((permission) => held.includes(permission));
}

/** The administration screens that the sidebar and the palette offer to the holder of these permissions. */
export function administrationFor(screens: readonly Screen[], held: readonly string[]): Screen[] {
	return screens.filter(
		(screen) => screen.path.startsWith("admin/") && !screen.path.includes(":") && opens(screen, held),
	);
}
