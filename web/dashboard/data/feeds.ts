import type { Platform } from "./platform";
import type { Result } from "./request";
import { listOf, object, orNull, text } from "./shape";

const feed = object({
	id: text,
	moduleId: text,
	path: text,
	label: text,
	createdAt: text,
	lastUsedAt: orNull(text),
	revokedAt: orNull(text),
});
const offer = object({ moduleId: text, path: text, type: text });
const list = object({ feeds: listOf(feed), offers: listOf(offer) });
const made = object({ id: text, url: text });

/** What is known of an address at which a program fetches what its person may see. */
export type Feed = ReturnType<typeof feed>;
/** A read of a module for which an address can be made. */
export type Offer = ReturnType<typeof offer>;
export type FeedList = ReturnType<typeof list>;
/** The only answer that has an address. */
export type MadeFeed = ReturnType<typeof made>;

const base = "/api/v1/feeds";

export const readFeeds = (platform: Platform): Promise<Result<FeedList>> => platform.read(base, list);
export const makeFeed = (
	platform: Platform,
	{ moduleId, path }: Offer,
	label: string,
): Promise<Result<MadeFeed>> => platform.send("POST", base, { moduleId, path, label }, made);
export const renewFeed = (platform: Platform, id: string): Promise<Result<MadeFeed>> =>
	platform.send("POST", `${base}/${id}/renew`, {}, made);
export const endFeed = (platform: Platform, id: string): Promise<Result<Feed>> =>
	platform.send("POST", `${base}/${id}/revoke`, {}, feed);
