/**
 * The API's origin: the content of the page's element, or the page's own origin if that is empty. Undefined
 * if the content is not a canonical http or https origin: then no request may be sent.
 */
export function apiOrigin(content: string, own: string): string | undefined {
	if (content === "") return own;
	let url: URL;
	try {
		url = new URL(content);
	} catch {
		return undefined;
	}
	return (url.protocol === "https:" || url.protocol === "http:") && url.origin === content
		? content
		: undefined;
}
