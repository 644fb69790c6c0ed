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

/** The attributes of a picture that covers a box. */
export function imageAttributes(picture: Addresses, box: Box): ImageAttributes {
	const { url: src, width, height } = picture;
	const srcset = [...picture.sizes, picture].map((one) => `${one.url} ${one.width}w`).join(", ");
	const shown = Math.max(1, Math.ceil(Math.max(box.width, (box.height * width) / height)));
	return { src, srcset, sizes: `${shown}px`, width, height };
}

/**
 * A picture on a board. It chooses its size itself: an element with srcset that is never attached to the page
 * stays in Chromium's memory as long as the page.
 */
export class Picture {
	readonly element: HTMLImageElement;
	readonly #picture: Addresses;
	#width = 0;

	constructor(picture: Addresses) {
		this.#picture = picture;
		this.element = new Image(picture.width, picture.height);
		this.element.alt = "";
	}

	/** Reads the smallest size that is sharp when the picture is shown whole in a box, or keeps a larger one. */
	fit(box: Box): void {
		const { width, height, sizes } = this.#picture;
		const needed = Math.min(box.width, (box.height * width) / height) * devicePixelRatio;
		const sharp = sizes.filter((size) => size.width >= needed).sort((a, b) => a.width - b.width);
		const size = sharp[0] ?? this.#picture;
		if (size.width <= this.#width) return;
		this.#width = size.width;
		this.element.src = size.url;
	}
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
	async decoded(id: string, box: Box): Promise<Picture | undefined> {
		const found = await this.addresses(id);
		if (found === undefined) return undefined;
		const picture = new Picture(found);
		picture.fit(box);
		let timer: ReturnType<typeof setTimeout> | undefined;
		const late = new Promise<never>((_, reject) => {
			timer = setTimeout(reject, decodeWithin, new Error("late"));
		});
		try {
			await Promise.race([picture.element.decode(), late]);
			return picture;
		} catch {
			this.#known.delete(id); // so that the next attempt fetches new ones
			picture.element.src = "";
			return undefined;
		} finally {
			clearTimeout(timer);
		}
	}
}
