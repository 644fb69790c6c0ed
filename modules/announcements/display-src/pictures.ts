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

/** Where a slide has its picture: over the whole of it, beside or above its words, or alone. */
export type Place = "bleed" | "beside" | "above" | "alone";

/** How much of a picture has to be seen so that it may cover the whole slide, or be cut at all. */
const seenOfBleeding = 0.65;
const seenBeside = 0.4;

/** The parts of a slide that a picture beside or above its words takes: usually, and with many words. */
export const shares = [0.47, 0.34] as const;

/** The part of a covered slide that many words may take. */
export const deep = 0.82;

/** The part of a picture that is seen when it covers a box. */
const seenOf = (ratio: number, { width, height }: Box): number =>
	Math.min(width / height / ratio, ratio / (width / height));

/** Whether a picture of this ratio may cover the whole slide, with the words on it. */
export const mayBleed = (ratio: number, room: Box): boolean => seenOf(ratio, room) >= seenOfBleeding;

/** The box that a picture gets at a place, and whether it covers it or is shown whole. */
export function boxOf(
	place: Place,
	ratio: number,
	room: Box,
	share: number = shares[0],
): Box & { readonly covered: boolean } {
	if (place === "bleed") return { ...room, covered: true };
	if (place === "alone") return { ...room, covered: false };
	const box =
		place === "beside"
			? { width: Math.min(share * room.width, (room.height * ratio) / seenOfBleeding), height: room.height }
			: { width: room.width, height: Math.min(share * room.height, room.width / ratio / seenOfBleeding) };
	return { ...box, covered: seenOf(ratio, box) >= seenBeside };
}

/**
 * A picture on a board. It chooses its size itself: an element with srcset that is never attached to the page
 * stays in Chromium's memory as long as the page.
 */
export class Picture {
	readonly element: HTMLImageElement;
	/** Its width in parts of its height. */
	readonly ratio: number;
	readonly #picture: Addresses;
	#width = 0;

	constructor(picture: Addresses) {
		this.#picture = picture;
		this.ratio = picture.width / picture.height;
		this.element = new Image(picture.width, picture.height);
		this.element.alt = "";
	}

	/** Reads the smallest size that is sharp in a box, or keeps a larger one. */
	fit({ width, height, covered }: ReturnType<typeof boxOf>): void {
		this.element.style.objectFit = covered ? "cover" : "contain";
		const larger = covered ? Math.max : Math.min;
		const needed = larger(width, height * this.ratio) * devicePixelRatio;
		const sharp = this.#picture.sizes.filter((size) => size.width >= needed).sort((a, b) => a.width - b.width);
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

	/** A decoded picture for a slide of this size, alone or with words; undefined if that fails now. */
	async decoded(id: string, room: Box, alone: boolean): Promise<Picture | undefined> {
		const found = await this.addresses(id);
		if (found === undefined) return undefined;
		const picture = new Picture(found);
		const { ratio } = picture;
		const upright = room.width < room.height;
		const place = alone ? "alone" : mayBleed(ratio, room) ? "bleed" : upright ? "above" : "beside";
		picture.fit(boxOf(place, ratio, room));
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
