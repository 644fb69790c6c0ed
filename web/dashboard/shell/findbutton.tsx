import { Icon } from "../../kit/icons";
import { t } from "../words/words";

const apple = /Mac|iPhone|iPad/.test(navigator.platform);

/** A button that looks like a search field and opens the palette. */
export function FindButton({ find }: { find(): void }) {
	return (
		<button
			type="button"
			class="host-find-button"
			aria-haspopup="dialog"
			aria-keyshortcuts={apple ? "Meta+K" : "Control+K"}
			onClick={find}
		>
			<Icon name="search" size={16} />
			{t("findHint")}
			<kbd aria-hidden="true">{apple ? "⌘K" : t("findKeys")}</kbd>
		</button>
	);
}
