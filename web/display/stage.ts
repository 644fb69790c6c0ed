import type { Display, StreamState, Unmount } from "@narthex/sdk";
import { loadArtifact } from "../host/artifact";
import { contextOf } from "../host/context";
import type { Connection } from "./connection";
import type { Language } from "./language";
import type { Descriptor } from "./platform";

/** How long its script may take, then mount, and then the first snapshot, in milliseconds. */
const scriptLimit = 50_000; // the network may be slow
const mountLimit = 10_000;
const snapshotLimit = 10_000;

/** mount took too long. */
export class MountTimeout extends Error {}

/** No snapshot came, so there would be nothing to see. */
export class NoSnapshot extends Error {}

/** The module has thrown before it had content, which may be incomplete. */
export class BrokenContent extends Error {}

type Spoken = Pick<Language<unknown>, "tag" | "dir">;

export interface StageOptions {
	readonly connection: Connection;
	/** The language in which to mount. */
	language(): Spoken;
	/** Called when the server responds to the module with 401 or 403. */
	denied(): void;
	/** Called with an artifact's URL after it was loaded. */
	loaded(address: string): void;
}

/**
 * Holds the mounted module, and for a moment a second one behind it. What is shown stays until the new one is
 * ready.
 */
export class Stage {
	#front: Layer | undefined;
	#count = 0;

	constructor(
		readonly element: HTMLElement,
		readonly options: StageOptions,
	) {}

	/** The mounted display. */
	get shown(): Descriptor | undefined {
		return this.#front?.descriptor;
	}

	/** Whether this display is mounted, in the current language. */
	shows(descriptor: Descriptor): boolean {
		const { tag } = this.options.language();
		const same = JSON.stringify(this.shown) === JSON.stringify(descriptor); // permissions may be read at mount
		return same && this.#front?.language.tag === tag;
	}

	/**
	 * Mounts a display behind what is visible, waits until it has content, and then replaces what is visible.
	 * If that fails, it rejects with the reason, and the old one is still shown. It also fails if no snapshot
	 * came, or if an error was thrown before the new one had content.
	 */
	async present(descriptor: Descriptor, sound: () => boolean): Promise<void> {
		const { connection, loaded } = this.options;
		const ended = new AbortController();
		const timer = setTimeout(() => ended.abort(), scriptLimit);
		const display = await loadArtifact<Display>("display", descriptor.artifactUrl, ended.signal).finally(() =>
			clearTimeout(timer),
		);
		loaded(descriptor.artifactUrl);
		const old = this.#front;
		const layer = new Layer(this.element, descriptor, this.options.language(), ended, ++this.#count);
		try {
			await layer.mount(display, this.options);
			const filled = await layer.ready();
			if (!sound()) throw new BrokenContent();
			if (!filled) throw new NoSnapshot();
		} catch (error) {
			layer.end();
			throw error;
		}
		this.#front = layer;
		old?.end();
		for (const [stream, state] of old?.streams ?? []) if (state) connection.changed(stream, undefined);
		layer.takeOver(connection);
	}

	/** Unmounts everything. */
	clear(): void {
		this.#front?.end();
		this.#front = undefined;
		this.options.connection.clear();
	}
}

/** One mounted display in a container of its own. */
class Layer {
	readonly container = document.createElement("div");
	readonly streams = new Map<object, StreamState | undefined>();
	#unmount: Unmount | undefined;
	#connection: Connection | undefined;
	#snapshot: () => void = () => undefined;
	readonly #snapshotCame = new Promise<void>((resolve) => (this.#snapshot = resolve));

	constructor(
		parent: HTMLElement,
		readonly descriptor: Descriptor,
		readonly language: Spoken,
		readonly ended: AbortController,
		readonly number: number,
	) {
		this.container.className = "host-layer";
		this.container.dataset["module"] = descriptor.moduleId;
		this.container.dataset["layer"] = String(number);
		this.container.lang = language.tag;
		this.container.dir = language.dir;
		parent.prepend(this.container); // behind the visible one
	}

	async mount(display: Display, options: StageOptions): Promise<void> {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const late = new Promise<never>((_, reject) => {
			timer = setTimeout(() => reject(new MountTimeout()), mountLimit);
		});
		const mounted = (async () => {
			this.#unmount = (await display.mount(this.container, this.#context(options))) ?? undefined;
			if (this.ended.signal.aborted) this.#release();
		})();
		try {
			await Promise.race([mounted, late]);
		} finally {
			clearTimeout(timer);
			mounted.catch(() => undefined);
		}
	}

	/**
	 * Waits until the first snapshot was painted; false: none came. A display without a stream is ready when it
	 * is mounted.
	 */
	async ready(): Promise<boolean> {
		if (this.streams.size > 0) {
			const came = await Promise.race([
				this.#snapshotCame.then(() => true),
				new Promise<false>((resolve) => setTimeout(() => resolve(false), snapshotLimit)),
			]);
			if (!came) return false;
		}
		const pictures = [...this.container.querySelectorAll("img")];
		const decoded = Promise.allSettled(pictures.map((picture) => picture.decode()));
		await Promise.race([decoded, new Promise((resolve) => setTimeout(resolve, 2_000))]);
		for (let frame = 0; frame < 2; frame++)
			await new Promise((resolve) => {
				requestAnimationFrame(resolve);
				setTimeout(resolve, 200); // a hidden page has no frames
			});
		return true;
	}

	/** From now on the connection follows this layer's streams. */
	takeOver(connection: Connection): void {
		this.#connection = connection;
		for (const [stream, state] of this.streams) connection.changed(stream, state);
	}

	/** Unmounts. Errors of the module's own code are ignored from then on. */
	end(): void {
		if (this.ended.signal.aborted) return;
		this.ended.abort();
		this.#release();
		this.container.remove();
	}

	#release(): void {
		const unmount = this.#unmount;
		this.#unmount = undefined;
		try {
			unmount?.();
		} catch (error) {
			console.error(error);
		}
	}

	#context(options: StageOptions) {
		return Object.freeze(
			contextOf({
				entry: this.descriptor,
				container: this.container,
				clock: options.connection.clock,
				identity: "screen",
				locale: this.language.tag,
				dir: this.language.dir,
				address: (path) => new URL(path, location.origin).href,
				denied: () => options.denied(),
				contributionsCall: false,
				pausesWhenHidden: false,
				styledWithin: `[data-layer="${this.number}"]`,
				watch: {
					changed: (stream, state) => {
						if (state === undefined) this.streams.delete(stream);
						else this.streams.set(stream, state);
						this.#connection?.changed(stream, state);
					},
					heard: (event) => {
						if (event === "snapshot") this.#snapshot();
						this.#connection?.heard(event);
					},
				},
				loaded: (address) => options.loaded(new URL(address).pathname),
				signal: this.ended.signal,
			}),
		);
	}
}
