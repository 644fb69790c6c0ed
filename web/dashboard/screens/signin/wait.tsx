import { useState } from "preact/hooks";
import { Note } from "../../../kit/layout";
import { t } from "../../words/words";

/** Seconds to wait if the server sends none, or the browser may not read them. */
export const defaultWait = 10;

/** The remaining wait: counted down visibly, and read only once by screen readers. */
export function Wait({ seconds }: { readonly seconds: number }) {
	const [first] = useState(seconds);
	return (
		<Note tone="warn" icon="clock">
			<p aria-hidden="true">{t("tooOften", { count: seconds })}</p>
			<p class="d-unseen" role="alert">
				{t("tooOften", { count: first })}
			</p>
		</Note>
	);
}
