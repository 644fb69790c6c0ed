/**
 * The API's origin: what the page's element says, or the page's own when it says nothing. Undefined when it
 * says anything but a canonical http or https origin: then no request may be made.
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
