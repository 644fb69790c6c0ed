import { Button } from "../../../kit/button";
import type { App } from "../../app/app";
import { t } from "../../words/words";
import { w } from "./words";

/** The two ways to sign out: in this browser, or on every device. */
export function SignOut({ app }: { readonly app: App }) {
	const everywhere = async () => {
		const sure = await app.questions.ask({
			title: w("everywhereTitle"),
			body: [w("everywhereEffect"), ...(app.drafts.unsaved ? [t("leaveHelp")] : [])],
			yes: w("everywhere"),
			no: w("stay"),
			danger: true,
		});
		if (sure) await app.signOutEverywhere();
	};
	return (
		<>
			<section>
				<div>
					<h2>{t("signOut")}</h2>
					<p class="d-muted">{w("signOutHelp")}</p>
				</div>
				<div>
					<Button icon="signOut" onPress={() => app.signOut()}>
						{t("signOut")}
					</Button>
				</div>
			</section>
			<section>
				<div>
					<h2>{w("everywhere")}</h2>
					<p class="d-muted">{w("everywhereHelp")}</p>
				</div>
				<div>
					<Button onPress={everywhere}>{w("everywhere")}</Button>
				</div>
			</section>
		</>
	);
}
