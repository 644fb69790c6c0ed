import { keep, kept } from "./preferences";
import { parseRoute } from "./route";

/** Where the script of the module that was shown last is, as the navigation named it. */
const key = "narthex.module";

export const keepModule = (artifactUrl: string): void => keep(key, artifactUrl);
export const forgetModule = (): void => keep(key, "");

/** The address of the module's script that the page begins with, if it was shown last. */
export function lastModule(hash: string): string | undefined {
	const route = parseRoute(hash, []);
	const path = kept(key);
	return route.to === "module" && path.startsWith(`/api/v1/module-ui/${route.moduleId}/`) ? path : undefined;
}
