import { Icon } from "../../kit/icons";
import type { App } from "../app/app";
import { wordsOf } from "../words/words";
import { Link } from "./anchor";

const w = wordsOf({ en: { trail: "Where you are" }, de: { trail: "Wo Sie sind" } });

interface TrailProps {
	readonly app: App;
	/** The fragments and names of the screens above this one. */
	readonly steps: readonly (readonly [to: string, name: string])[];
	readonly here: string;
}

/** The breadcrumb from a list to one of its items. */
export function Trail({ app, steps, here }: TrailProps) {
	return (
		<nav class="host-trail" aria-label={w("trail")}>
			{steps.map(([to, name]) => (
				<>
					<Link app={app} to={to}>
						<bdi>{name}</bdi>
					</Link>
					<Icon name="chevronRight" size={16} />
				</>
			))}
			<bdi>{here}</bdi>
		</nav>
	);
}
