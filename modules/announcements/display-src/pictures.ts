import { type Context, jsonRequest } from "@narthex/sdk";

/** How long addresses are reused, in milliseconds. The server makes them valid for four hours at least. */
const addressesLast = 2 * 60 * 60_000;
/** A picture that takes longer is omitted, so that its words need not wait. In milliseconds. */
const decodeWithin = 8_000;
const mostAddresses = 200;

interface Address {
	readonly url: string;
	/** In pixels, as the picture is shown. */
	readonly width: number;
	readonly height: number;
}

/** Where a picture can be read in its own size and in smaller ones, for some hours. */
export interface Addresses extends Address {
	readonly sizes: readonly Address[];
}

/** A place for a picture, in CSS pixels. */
export interface Box {
	readonly width: number;
	readonly height: number;
}

/** The attributes of an image element, so that the browser reads the smallest size that is sharp. */
export interface ImageAttributes {
	readonly src: string;
	readonly srcset: string;
	readonly sizes: string;
	readonly width: number;
	readonly height: number;
}

/** The attributes of a picture that is shown whole in a box, or that covers it. */
export function imageAttributes(picture: Addresses, box: Box, fit: "contain" | "cover"): ImageAttributes {
	const { url: src, width, height } = picture;
	const srcset = [...picture.sizes, picture].map((one) => `${one.url} ${one.width}w`).join(", ");
	return { src, srcset, sizes: shownAs(picture, box, fit), width, height };
}

/** How wide a picture is shown, for the attribute sizes. */
export function shownAs({ width, height }: Box, box: Box, fit: "contain" | "cover"): string {
	const least = fit === "cover" ? Math.max : Math.min;
	return `${Math.max(1, Math.ceil(least(box.width, (box.height * width) / height)))}px`;
}

/** Pictures that are decoded before they are shown, so that a new slide appears at once. */
export class Pictures {
	readonly #known = new Map<string, { readonly found: Addresses; readonly until: number }>();

	constructor(
		readonly context: Pick<Context, "api">,
		/** The route of the addresses: "/images", or "/board/images" for screens. */
		readonly root: string,
	) {}

	/** The temporary addresses of a picture; undefined if there are none. */
	async addresses(id: string): Promise<Addresses | undefined> {
		const known = this.#known.get(id);
		if (known && known.until > performance.now()) return known.found;
		try {
			const found = await jsonRequest<Addresses>(this.context, "GET", `${this.root}/${id}/url`);
			if (this.#known.size >= mostAddresses) this.#known.clear();
			this.#known.set(id, { found, until: performance.now() + addressesLast });
			return found;
		} catch {
			return undefined;
		}
	}

	/** A decoded picture that is shown whole in a box; undefined if that fails now. */
	async decoded(id: string, box: Box): Promise<HTMLImageElement | undefined> {
		const found = await this.addresses(id);
		if (found === undefined) return undefined;
		const { src, srcset, sizes, width, height } = imageAttributes(found, box, "contain");
		const image = new Image(width, height);
		image.sizes = sizes;
		image.srcset = srcset;
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
			this.#known.delete(id); // so that the next attempt fetches new ones
			image.srcset = "";
			image.src = "";
			return undefined;
		} finally {
			clearTimeout(timer);
		}
	}
}
