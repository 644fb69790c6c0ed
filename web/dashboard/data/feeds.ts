import type { Platform } from "./platform";
import type { Result } from "./request";
import { listOf, object, orNull, text, yesOrNo } from "./shape";

const feed = object({
	id: text,
	moduleId: text,
	path: text,
	label: text,
	createdAt: text,
	lastUsedAt: orNull(text),
	revokedAt: orNull(text),
});
const offer = object({ moduleId: text, path: text, type: text, house: yesOrNo });
const list = object({ feeds: listOf(feed), offers: listOf(offer) });
const made = object({ id: text, url: text });

/** What is known of an address at which a program fetches what its person may see. */
export type Feed = ReturnType<typeof feed>;
/** A read of a module for which an address can be made; with house, one of the house. */
export type Offer = ReturnType<typeof offer>;
export type FeedList = ReturnType<typeof list>;
/** The only answer that has an address. */
export type MadeFeed = ReturnType<typeof made>;

const base = "/api/v1/feeds";

export const readFeeds = (platform: Platform): Promise<Result<FeedList>> => platform.read(base, list);
/** The feeds of the house, as for its website. */
export const readHouseFeeds = (platform: Platform): Promise<Result<FeedList>> =>
	platform.read(`${base}/house`, list);
/** Makes one of the house's for an offer with house, and else one's own. */
export const makeFeed = (
	platform: Platform,
	{ moduleId, path, house }: Offer,
	label: string,
): Promise<Result<MadeFeed>> =>
	platform.send("POST", base, { moduleId, path, label, ...(house && { house }) }, made);
export const renewFeed = (platform: Platform, id: string): Promise<Result<MadeFeed>> =>
	platform.send("POST", `${base}/${id}/renew`, {}, made);
export const endFeed = (platform: Platform, id: string): Promise<Result<Feed>> =>
	platform.send("POST", `${base}/${id}/revoke`, {}, feed);
