import type { ComponentType } from "preact";
import type { InviteFileProps } from "../screens/people/invitefile";

type Load = () => Promise<ComponentType<InviteFileProps>>;

let load: Load = () => Promise.reject(new Error("not set"));

/** Sets how the page loads the reader of tables of people, which is in another script than its screen. */
export function loadInviteFileBy(loader: Load): void {
	load = loader;
}

export const loadInviteFile: Load = () => load();
