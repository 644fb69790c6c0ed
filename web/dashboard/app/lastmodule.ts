import { keep } from "./preferences";

/** The storage key for the URL of the last shown module's script, with which index.html begins. */
const key = "narthex.module";

export const keepModule = (artifactUrl: string): void => keep(key, artifactUrl);
export const forgetModule = (): void => keep(key, "");
