import type { ComponentType } from "preact";
import type { Address, Params } from "./address";
import type { App } from "./app";

export interface ScreenProps {
	readonly app: App;
	readonly params: Params;
}

/** One of the Dashboard's own screens, as registered in its table. */
export interface Screen extends Address {
	/** Loads its component. It is called when the caller may open the screen. */
	load(): Promise<ComponentType<ScreenProps>>;
}
