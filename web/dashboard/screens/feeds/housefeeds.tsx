import { Tile } from "../../../kit/layout";
import type { App } from "../../app/app";
import { readHouseFeeds } from "../../data/feeds";
import { Loaded } from "../../shell/loaded";
import { useOwn } from "../access/own";
import { manageLinks } from "../modules/permissions";
import { Feeds } from "./feeds";
import { w } from "./words";

/** The addresses at which everybody reads what the house shows on its website. */
export function HouseFeeds({ app }: { readonly app: App }) {
	const feeds = useOwn(app, () => readHouseFeeds(app.platform));
	return (
		<div class="d-card">
			<div class="host-thing">
				<Tile icon="globe" />
				<div>
					<h2>{w("houseFeeds")}</h2>
					<p class="d-second">{w("houseFeedsHelp")}</p>
					<Loaded resource={feeds} permission={manageLinks} part>
						{(view) => <Feeds app={app} feeds={view.feeds} offers={view.offers} resource={feeds} />}
					</Loaded>
				</div>
			</div>
		</div>
	);
}
