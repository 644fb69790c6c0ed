import type { App } from "../../app/app";
import { readFeeds } from "../../data/feeds";
import { Loaded } from "../../shell/loaded";
import { useOwn } from "../access/own";
import { readAccount } from "./feed";
import { Feeds } from "./feeds";
import { w } from "./words";

/** The section of the account for the addresses at which the person's programs read. */
export function OwnFeeds({ app }: { readonly app: App }) {
	return (
		<section>
			<div>
				<h2>{w("feeds")}</h2>
				<p class="d-muted">{w("feedsHelp")}</p>
			</div>
			<div>
				<OwnList app={app} />
			</div>
		</section>
	);
}

/** The addresses at which the person's programs read: made, renewed and ended. */
export function OwnList({ app }: { readonly app: App }) {
	const feeds = useOwn(app, () => readFeeds(app.platform));
	return (
		<Loaded resource={feeds} permission={readAccount} part>
			{(view) => (
				<Feeds
					app={app}
					feeds={view.feeds}
					offers={view.offers.filter(({ house }) => !house)}
					resource={feeds}
				/>
			)}
		</Loaded>
	);
}
