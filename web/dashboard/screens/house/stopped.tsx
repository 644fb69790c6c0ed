import { Note } from "../../../kit/layout";
import type { App } from "../../app/app";
import { nameAndAddress } from "../../app/people";
import { readFactorless } from "../../data/house";
import { Loaded, useResource } from "../../shell/loaded";
import { manageHouse } from "../modules/permissions";
import { w } from "./words";

/** Whom it stops that administrators are asked for a passkey, before that is saved, too. */
export function Stopped({ app }: { readonly app: App }) {
	const resource = useResource(app, () => readFactorless(app.platform));
	return (
		<Loaded resource={resource} permission={manageHouse} part>
			{({ without, more }) =>
				without.length === 0 ? (
					<p class="d-muted">{w("stopsNobody")}</p>
				) : (
					<Note tone="warn" role="status">
						<p>{w("stops")}</p>
						<ul>
							{without.map((person) => (
								<li key={person.userId}>{nameAndAddress(person)}</li>
							))}
							{more && <li>…</li>}
						</ul>
					</Note>
				)
			}
		</Loaded>
	);
}
