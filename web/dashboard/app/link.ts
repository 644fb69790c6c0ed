import { hashOfPath } from "./route";

const purposes = ["verify-email", "reset-password", "accept-invitation"] as const;

type Purpose = (typeof purposes)[number];

/** The purpose of an emailed link. The token is kept only here. */
export interface Link {
	readonly purpose: Purpose;
	readonly token: string;
}

/** Reads the query of an emailed link. */
export function parseLink(search: string): Link | undefined {
	const query = new URLSearchParams(search);
	const purpose = purposes.find((known) => known === query.get("service_auth"));
	if (purpose === undefined) return undefined;
	return { purpose, token: query.get("token") ?? "" };
}

/**
 * Reads the link with which the page was opened, and removes it from the address bar and the history. A path
 * that somebody typed becomes a fragment.
 */
export function takeLink(): Link | undefined {
	const link = parseLink(location.search);
	if (location.search !== "" || location.pathname !== "/")
		history.replaceState(null, "", link ? "/" : "/" + hashOfPath(location));
	return link;
}
