import { kindOf, lookedAt } from "./picturekind";

/** The server's limit, in bytes. */
const maxBytes = 8 << 20;
/** The longer side of a picture on a screen, in pixels. */
const maxSide = 1920;

type Refused = "imageInvalid" | "imageTooLarge" | "imagePhone" | "imageMoving";

/**
 * Reduces a picture for a slow connection, turns it upright, and removes a camera's metadata, such as the
 * place. If the browser cannot read the picture, or the picture moves, it returns the reason.
 */
export async function shrink(file: Blob): Promise<Blob | Refused> {
	const kind = kindOf(new Uint8Array(await file.slice(0, lookedAt).arrayBuffer()));
	if (kind === "moving") return "imageMoving"; // its first frame alone would be another picture
	let bitmap: ImageBitmap;
	try {
		bitmap = await createImageBitmap(file); // Safari reads what iPhones write
	} catch {
		if (kind === "phone") return "imagePhone";
		return file.size > maxBytes ? "imageTooLarge" : "imageInvalid";
	}
	const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
	const canvas = document.createElement("canvas");
	canvas.width = Math.max(1, Math.round(bitmap.width * scale));
	canvas.height = Math.max(1, Math.round(bitmap.height * scale));
	const brush = canvas.getContext("2d");
	if (brush === null) return "imageInvalid";
	brush.imageSmoothingQuality = "high";
	brush.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
	bitmap.close();
	// Photographs have no transparent parts. A browser that cannot write WebP writes PNG.
	const type = file.type === "image/jpeg" ? "image/jpeg" : "image/webp";
	const small = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.9));
	if (small === null) return "imageInvalid";
	return small.size > maxBytes ? "imageTooLarge" : small;
}
