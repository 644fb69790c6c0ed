import type { Failure } from "../data/request";
import { t } from "./words";

/** Explains a failure to a person: one sentence for each kind, the same on every screen. */
export function sentenceOf(failure: Failure): string {
	if (failure.code === "PRINCIPAL_RESOLUTION_FAILED") return t("whoUnknown");
	if (failure.code === "MALFORMED") return t("notUnderstood");
	switch (failure.status) {
		case 0:
			return navigator.onLine ? t("noServer") : t("offline");
		case 409:
			return t("conflict");
		case 413:
			return t("tooLarge");
		case 429:
			return t("tooOften", { count: failure.retryAfter ?? 10 });
		default:
			return t("serverFailed");
	}
}
