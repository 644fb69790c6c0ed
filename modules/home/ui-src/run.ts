import type { Contribution, Door, ModuleUiContext } from "@narthex/sdk";
import type { Tile, TileTools } from "./tile";

/** How long a tile may take to load, to fill its card, or to refresh, in milliseconds. */
const limit = 10_000;

/** The state of a card. */
export interface Look {
	readonly is: "loading" | "shown" | "hidden";
	/** The tile's own title; undefined until its script is loaded. */
	readonly title: string | undefined;
	/** The last call of the tile failed. Its previous content is still shown. */
	readonly failed: boolean;
	/** What the tile says at the door of its module. */
	readonly door: Door | undefined;
}

type Given = Pick<ModuleUiContext, "locale" | "dir" | "serverNow" | "signal" | "home">;

/** The module of a contribution. */
export const moduleOf = (id: string): string => id.split(".", 1)[0] ?? "";

/** One tile, from loading its script to its end. Its errors do not affect other tiles. */
export class TileRun {
	#title: string | undefined;
	#ended = new AbortController(); // of the current content of the card
	#dispose: (() => void) | void = undefined;
	#listeners: (() => unknown)[] = [];
	#filled = false;
	#busy = false;
	#hides = false;
	#hidden: boolean;
	#door: Door | undefined;

	constructor(
		readonly contribution: Contribution,
		readonly context: Given,
		readonly container: HTMLElement,
		readonly changed: (look: Look) => void,
		/** Whether the card was hidden when this person was here before, and what the door said. */
		before: Pick<Look, "door"> & { readonly hidden: boolean },
	) {
		this.#hidden = before.hidden;
		this.#door = before.door;
	}

	/** Fills the card, or refreshes it. A call during another one does nothing. */
	async run(): Promise<void> {
		if (this.#busy) return;
		this.#busy = true;
		this.#hides = false;
		try {
			await inTime(this.#filled ? this.#refresh() : this.#fill());
			this.#hidden = this.#hides;
			this.#tell(false);
		} catch (error) {
			if (this.context.signal.aborted) return;
			console.error(`The tile ${this.contribution.id} failed:`, error);
			if (!this.#filled) this.#empty();
			this.#tell(true); // a tile that was hidden stays hidden
		} finally {
			this.#busy = false;
		}
	}

	/** Ends the tile. Ending it twice is fine. */
	end(): void {
		this.#empty();
	}

	async #fill(): Promise<void> {
		const ended = new AbortController();
		this.#ended = ended;
		const tile = (await this.contribution.load()) as Tile;
		this.#title = tile.title(this.context.locale);
		if (ended.signal.aborted) return;
		const dispose = await tile.render(this.container, this.#tools(ended.signal));
		if (ended.signal.aborted) return tolerant(dispose); // it finished too late
		this.#dispose = dispose;
		this.#filled = true;
	}

	async #refresh(): Promise<void> {
		await Promise.all(this.#listeners.map((listener) => listener()));
	}

	#tools(signal: AbortSignal): TileTools {
		const { contribution, context } = this;
		return {
			api: (path, init = {}) =>
				contribution.api(path, {
					...init,
					signal: init.signal ? AbortSignal.any([init.signal, signal]) : signal,
				}),
			serverNow: () => context.serverNow(),
			locale: context.locale,
			dir: context.dir,
			moduleId: moduleOf(contribution.id),
			signal,
			refresh: (listener) => void (signal.aborted || this.#listeners.push(listener)),
			lastVisit: context.home?.lastVisit,
			door: (line, waits = false) => {
				if (signal.aborted) return;
				this.#door = line === "" ? undefined : { line, waits };
				if (!this.#busy) this.#tell(false);
			},
			hide: () => {
				if (signal.aborted) return;
				this.#door = undefined;
				this.#hides = true;
				if (this.#busy) return; // run reports it at the end
				this.#hidden = true;
				this.#tell(false);
			},
		};
	}

	#tell(failed: boolean): void {
		if (this.context.signal.aborted) return;
		this.changed({ is: this.#hidden ? "hidden" : "shown", title: this.#title, failed, door: this.#door });
	}

	#empty(): void {
		this.#ended.abort();
		this.#listeners = [];
		const dispose = this.#dispose;
		this.#dispose = undefined;
		this.#filled = false;
		tolerant(dispose);
		this.container.replaceChildren();
	}
}

/** Runs dispose. An error in it must not affect other tiles. */
function tolerant(dispose: (() => void) | void): void {
	try {
		dispose?.();
	} catch (error) {
		reportError(error);
	}
}

async function inTime(work: Promise<void>): Promise<void> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error("It took more than ten seconds.")), limit);
	});
	try {
		await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
		work.catch(() => undefined); // after the timeout its error is ignored
	}
}
