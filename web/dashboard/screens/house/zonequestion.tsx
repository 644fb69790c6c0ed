import { useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Note } from "../../../kit/layout";
import type { App } from "../../app/app";
import { replaceHouse } from "../../data/house";
import { Link } from "../../shell/anchor";
import { useLive } from "../../shell/live";
import { refuse } from "../../shell/refusal";
import { t } from "../../words/words";
import { manageHouse } from "../modules/permissions";
import { w } from "./words";

interface ZoneQuestionProps {
	readonly app: App;
	/** The question stands on another screen than that of the house. */
	readonly elsewhere?: boolean;
}

/** While the house has no time zone, this browser's is one press away. */
export function ZoneQuestion({ app, elsewhere }: ZoneQuestionProps) {
	const [busy, setBusy] = useState(false);
	useLive(app.data.house, undefined, app.router.opened.peek() === 0); // the page begins with it
	const stored = app.data.house.value.value;
	if (stored?.timeZone !== null) return null;
	const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
	const use = async () => {
		setBusy(true);
		const wanted = { ...stored, timeZone: zone };
		const answer = await app.data.write(replaceHouse(app.platform, wanted), app.data.house);
		setBusy(false);
		if (!answer.ok) return refuse(app, answer, manageHouse, answer.status === 409 ? undefined : use);
		app.announce(w("zoneChosen", { zone }));
	};
	return (
		<Note tone={elsewhere ? "info" : "warn"}>
			<div class="d-row">
				<p>{w("zoneMissing")}</p>
				<Button small busy={busy} busyWords={t("saving")} onPress={use}>
					{w("useZone", { zone })}
				</Button>
				{elsewhere && (
					<Link app={app} to="#/admin/house">
						{w("otherZone")}
					</Link>
				)}
			</div>
		</Note>
	);
}
