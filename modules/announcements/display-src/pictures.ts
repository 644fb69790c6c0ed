import { type Context, jsonRequest } from "@narthex/sdk";

/** How long an address is used again, milliseconds; the server gives it an hour. */
const addressLasts = 20 * 60_000;
/** A picture that takes longer is left out: its words do not wait for it. Milliseconds. */
const decodeWithin = 8_000;
const mostAddresses = 200;

/** Pictures, decoded before they are shown, so that a swap never waits or flashes. */
export class Pictures {
	readonly #addresses = new Map<string, { readonly url: string; readonly until: number }>();

	constructor(
		readonly context: Pick<Context, "api">,
		/** Where the addresses are: "/images", or "/board/images" for screens. */
		readonly root: string,
	) {}

	/** Where a picture can be read for a while; undefined when it cannot be had. */
	async address(id: string): Promise<string | undefined> {
		const known = this.#addresses.get(id);
		if (known && known.until > performance.now()) return known.url;
		try {
			const { url } = await jsonRequest<{ readonly url: string }>(
				this.context,
				"GET",
				`${this.root}/${id}/url`,
			);
			if (this.#addresses.size >= mostAddresses) this.#addresses.clear();
			this.#addresses.set(id, { url, until: performance.now() + addressLasts });
			return url;
		} catch {
			return undefined;
		}
	}

	/** A decoded picture; undefined when it cannot be had now. */
	async decoded(id: string): Promise<HTMLImageElement | undefined> {
		const src = await this.address(id);
		if (src === undefined) return undefined;
		const image = new Image();
		image.src = src;
		image.alt = "";
		let timer: ReturnType<typeof setTimeout> | undefined;
		const late = new Promise<never>((_, reject) => {
			timer = setTimeout(reject, decodeWithin, new Error("late"));
		});
		try {
			await Promise.race([image.decode(), late]);
			return image;
		} catch {
			this.#addresses.delete(id); // the next time with a new one
			image.src = "";
			return undefined;
		} finally {
			clearTimeout(timer);
		}
	}
}
