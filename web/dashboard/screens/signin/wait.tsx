import { useState } from "preact/hooks";
import { Note } from "../../../kit/layout";
import { t } from "../../words/words";

/** Seconds to wait when the server does not say, or the browser may not read it. */
export const defaultWait = 10;

/** How long the wait still is: shown as it goes, and said once. */
export function Wait({ seconds }: { readonly seconds: number }) {
	const [first] = useState(seconds);
	return (
		<Note tone="warn" icon="clock">
			<p aria-hidden="true">{t("tooOften", { count: seconds })}</p>
			<p class="unseen" role="alert">
				{t("tooOften", { count: first })}
			</p>
		</Note>
	);
}
