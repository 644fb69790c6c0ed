import { type Context, jsonRequest } from "@narthex/sdk";

/** How long an address is reused, in milliseconds. The server makes it valid for an hour. */
const addressLasts = 20 * 60_000;
/** A picture that takes longer is omitted, so that its words need not wait. In milliseconds. */
const decodeWithin = 8_000;
const mostAddresses = 200;

/** Pictures that are decoded before they are shown, so that a new slide appears at once. */
export class Pictures {
	readonly #addresses = new Map<string, { readonly url: string; readonly until: number }>();

	constructor(
		readonly context: Pick<Context, "api">,
		/** The route of the addresses: "/images", or "/board/images" for screens. */
		readonly root: string,
	) {}

	/** The temporary address of a picture; undefined if there is none. */
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

	/** A decoded picture; undefined if that fails now. */
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
			this.#addresses.delete(id); // so that the next attempt fetches a new one
			image.src = "";
			return undefined;
		} finally {
			clearTimeout(timer);
		}
	}
}
