import type { App } from "../../app/app";
import type { Offer } from "../../data/feeds";
import type { Failure } from "../../data/request";
import { refusalOf } from "../../shell/refusal";
import type { Shown } from "./addressdialog";
import { w } from "./words";

export const readAccount = "core.account.read";

/** Whether it is for programs that read news, and not for calendars. */
export const isNews = ({ type }: Offer): boolean => type !== "text/calendar";

/** What an address is for. */
export const kindOf = (offer: Offer): Shown["kind"] =>
	offer.house ? "website" : isNews(offer) ? "news" : "calendar";

/** What an address shows: the module, and in which form. */
export const titleOf = (app: App, offer: Offer): string =>
	w(isNews(offer) ? "newsOf" : "calendarOf", { module: app.moduleName(offer.moduleId) });

/** The text for a refused write. */
export function failureWords(failure: Failure): string {
	if (failure.code === "FEED_LIMIT") return w("limit");
	if (failure.code === "FEED_NOT_FOUND") return w("gone");
	return refusalOf(failure, readAccount);
}
