import { useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Note } from "../../../kit/layout";
import type { App } from "../../app/app";
import { replaceHouse } from "../../data/house";
import type { House } from "../../data/platform";
import { refuse } from "../../shell/live";
import { t } from "../../words/words";
import { manageHouse } from "../modules/permissions";
import { w } from "./words";

interface ZoneQuestionProps {
	readonly app: App;
	readonly stored: House;
}

/** While the house has no time zone, this browser's is one press away. */
export function ZoneQuestion({ app, stored }: ZoneQuestionProps) {
	const [busy, setBusy] = useState(false);
	const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
	const use = async () => {
		setBusy(true);
		const answer = await replaceHouse(app.platform, { ...stored, timeZone: zone });
		setBusy(false);
		if (!answer.ok) return refuse(app, answer, manageHouse, use);
		app.data.house.take(answer.value);
		app.announce(w("zoneChosen", { zone }));
	};
	return (
		<Note tone="warn">
			<div class="d-row">
				<p>{w("zoneMissing")}</p>
				<Button small busy={busy} busyWords={t("saving")} onPress={use}>
					{w("useZone", { zone })}
				</Button>
			</div>
		</Note>
	);
}
