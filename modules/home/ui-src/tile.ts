/** The definition of a contribution to home.tiles: one card of Home. README.md is for authors of tiles. */
export interface Tile {
	/** The heading of the card, in the given language. */
	title(locale: string): string;
	/** Fills the container. It may return a function that ends the tile. */
	render(container: HTMLElement, tools: TileTools): Dispose | Promise<Dispose>;
}

type Dispose = (() => void) | void;

/** The tools that a tile gets. */
export interface TileTools {
	/** Sends a request to the routes of the tile's own module, as the signed-in person. */
	api(path: string, init?: RequestInit): Promise<Response>;
	/** Milliseconds since 1970, by the server's clock. */
	serverNow(): number;
	readonly locale: string;
	readonly dir: "ltr" | "rtl";
	/** The tile's own module, for links: "#/m/<module id>/<part of its address>". */
	readonly moduleId: string;
	/** Aborted when the tile is ended. */
	readonly signal: AbortSignal;
	/** Calls the listener every 15 s while the page is seen, and when the person returns to it. */
	refresh(listener: () => unknown): void;
	/**
	 * When this person's previous visit ended, in milliseconds since 1970: what is newer is new to them.
	 * Undefined on the first visit.
	 */
	readonly lastVisit: number | undefined;
	/**
	 * Says a few words below the module's name at its door. With waits, something waits there for this
	 * person: the door is lit, and the card is among the first the next time. "" says nothing.
	 */
	door(line: string, waits?: boolean): void;
	/** There is nothing to show to this person: hides the card until a refresh that does not call hide. */
	hide(): void;
}
