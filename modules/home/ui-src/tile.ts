/** What a contribution to home.tiles defines: one card of Home. README.md is for who writes one. */
export interface Tile {
	/** The heading of the card, in the given language. */
	title(locale: string): string;
	/** Fills the container. It may answer what ends it. */
	render(container: HTMLElement, tools: TileTools): Dispose | Promise<Dispose>;
}

type Dispose = (() => void) | void;

/** What a tile is given. */
export interface TileTools {
	/** A request to the routes of the tile's own module, as the person who is signed in. */
	api(path: string, init?: RequestInit): Promise<Response>;
	/** Milliseconds since 1970 by the server's clock. */
	serverNow(): number;
	readonly locale: string;
	readonly dir: "ltr" | "rtl";
	/** The tile's own module, for links: "#/m/<module id>/<part of its address>". */
	readonly moduleId: string;
	/** Aborted when the tile is ended. */
	readonly signal: AbortSignal;
	/** Calls the listener each minute, and when the page is seen again. */
	refresh(listener: () => unknown): void;
	/** There is nothing for this person: the card leaves, until a refresh that does not hide it again. */
	hide(): void;
}
