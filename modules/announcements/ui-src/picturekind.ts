/** How many bytes from the beginning of a file are enough to know its kind. */
export const lookedAt = 1 << 20;

/** The brands of pictures that phones write and most browsers cannot read: HEIC, HEIF. */
const phoneBrands = /^ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1)$/;

/**
 * What a file is by its content: a picture that moves (GIF, PNG, WebP), one in the format of phones (HEIC),
 * or anything else.
 */
export function kindOf(content: Uint8Array): "moving" | "phone" | "other" {
	const text = (from: number, length: number) => String.fromCharCode(...content.subarray(from, from + length));
	if (phoneBrands.test(text(4, 8))) return "phone";
	const moves =
		(text(0, 4) === "GIF8" && framesOfGIF(content) > 1) ||
		(text(1, 3) === "PNG" && isMovingPNG(content, text)) ||
		// the bit for an animation, in the head of an extended WebP
		(text(0, 4) === "RIFF" && text(8, 8) === "WEBPVP8X" && ((content[20] ?? 0) & 2) !== 0);
	return moves ? "moving" : "other";
}

/** Counts the frames of a GIF up to two (GIF89a, 17 to 26). A file that is cut off ends the count. */
function framesOfGIF(content: Uint8Array): number {
	const colours = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1));
	/** The end of blocks that each begin with their length; the last one is empty. */
	const afterBlocks = (from: number) => {
		let at = from;
		while ((content[at] ?? 0) > 0) at += (content[at] ?? 0) + 1;
		return at + 1;
	};
	let frames = 0;
	let at = 13 + colours(content[10] ?? 0);
	while (at < content.length && frames < 2) {
		if (content[at] === 0x21) at = afterBlocks(at + 2);
		else if (content[at] === 0x2c) {
			frames++;
			at = afterBlocks(at + 11 + colours(content[at + 9] ?? 0));
		} else break;
	}
	return frames;
}

/** A PNG that moves has the chunk acTL before its pixels. */
function isMovingPNG(content: Uint8Array, text: (from: number, length: number) => string): boolean {
	const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
	for (let at = 8; at + 8 <= content.length; at += 12 + view.getUint32(at)) {
		const chunk = text(at + 4, 4);
		if (chunk === "acTL" || chunk === "IDAT") return chunk === "acTL";
	}
	return false;
}
