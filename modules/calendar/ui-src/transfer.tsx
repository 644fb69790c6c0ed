import type { Tools } from "./tools";

export function Transfer(_: { readonly tools: Tools }) {
	return null;
}
