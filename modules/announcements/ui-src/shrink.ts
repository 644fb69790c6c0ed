/** What the server takes, bytes. */
const maxBytes = 8 << 20;
/** The longer side of what a screen shows, pixels. */
const maxSide = 1920;

/**
 * Makes a picture small enough for a slow line, upright, and free of what a camera noted beside it, such as
 * the place. What the browser cannot read is answered as the reason.
 */
export async function shrink(file: Blob): Promise<Blob | "imageInvalid" | "imageTooLarge"> {
	let bitmap: ImageBitmap;
	try {
		bitmap = await createImageBitmap(file);
	} catch {
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
	// Photographs have no transparent parts; a browser that writes no WebP writes PNG.
	const type = file.type === "image/jpeg" ? "image/jpeg" : "image/webp";
	const small = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.9));
	if (small === null) return "imageInvalid";
	return small.size > maxBytes ? "imageTooLarge" : small;
}
