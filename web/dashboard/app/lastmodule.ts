import { keep, kept } from "./preferences";
import { parseRoute } from "./route";

/** The storage key for the URL of the last shown module's script. */
const key = "narthex.module";

export const keepModule = (artifactUrl: string): void => keep(key, artifactUrl);
export const forgetModule = (): void => keep(key, "");

/** The URL of the script of the module in the fragment, if it was the last one shown. */
export function lastModule(hash: string): string | undefined {
	const route = parseRoute(hash, []);
	const path = kept(key);
	return route.to === "module" && path.startsWith(`/api/v1/module-ui/${route.moduleId}/`) ? path : undefined;
}
