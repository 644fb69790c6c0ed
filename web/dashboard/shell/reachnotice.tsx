import { Icon } from "../../kit/icons";
import type { App } from "../app/app";
import { t } from "../words/words";

/** Tells the person that the page does not follow changes, or waits for a response. */
export function ReachNotice({ app }: { readonly app: App }) {
	const problem = app.reach.problem.value;
	return (
		<div class="host-reach" role="status">
			{problem && (
				<p class="d-note d-warn">
					<Icon name="offline" />
					{t(problem)}
				</p>
			)}
		</div>
	);
}
