/** What an emailed link asks for. The token lives here and nowhere else. */
export interface Link {
	readonly purpose: "verify-email" | "reset-password";
	readonly token: string;
}

/** Reads the query of an emailed link. */
export function parseLink(search: string): Link | undefined {
	const query = new URLSearchParams(search);
	const purpose = query.get("service_auth");
	if (purpose !== "verify-email" && purpose !== "reset-password") return undefined;
	return { purpose, token: query.get("token") ?? "" };
}

/** Reads the link that the page was opened with, and takes it out of the address bar and the history. */
export function takeLink(): Link | undefined {
	const link = parseLink(location.search);
	if (location.search !== "") history.replaceState(null, "", link ? "/" : "/" + location.hash);
	return link;
}
