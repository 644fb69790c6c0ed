/** QR codes (ISO/IEC 18004) for addresses that a phone opens. */
import { toSvgPath } from "lean-qr/extras/svg";
import { correction, generate } from "lean-qr/nano";

/** A code as an SVG path of its dark modules, one unit each, in a square of size units. */
export interface QrCode {
	readonly size: number;
	readonly path: string;
}

/** Level M tolerates a reflection or a scratch, and keeps the modules large. */
export function qrCode(text: string): QrCode {
	const drawn = generate(text, { minCorrectionLevel: correction.M });
	return { size: drawn.size, path: toSvgPath(drawn) };
}
