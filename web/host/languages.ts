/**
 * The languages that the browser prefers. Chromium under LANG=C reports en-US@posix, which is no tag, and
 * which every Intl constructor refuses.
 */
export const preferredLanguages = (given: readonly string[] = navigator.languages): readonly string[] =>
	given.filter((tag) => {
		try {
			return Intl.getCanonicalLocales(tag).length > 0;
		} catch {
			return false;
		}
	});
