import { useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Menu } from "../../../kit/menu";
import { ListRow } from "../../../kit/table";
import type { App } from "../../app/app";
import { endFeed, type Feed, type FeedList, type Offer, readFeeds, renewFeed } from "../../data/feeds";
import type { Failure } from "../../data/request";
import type { Resource } from "../../data/resource";
import { Loaded } from "../../shell/loaded";
import { ago } from "../../words/times";
import { useOwn } from "../access/own";
import { AddDialog } from "./adddialog";
import { AddressDialog, type Shown } from "./addressdialog";
import { failureWords, isNews, readAccount, titleOf } from "./feed";
import { w } from "./words";

/** The addresses at which the person's programs read: made, renewed and ended. */
export function OwnFeeds({ app }: { readonly app: App }) {
	const feeds = useOwn(app, () => readFeeds(app.platform));
	return (
		<section>
			<div>
				<h2>{w("feeds")}</h2>
				<p class="d-muted">{w("feedsHelp")}</p>
			</div>
			<div>
				<Loaded resource={feeds} permission={readAccount} part>
					{(view) => <Feeds app={app} view={view} resource={feeds} />}
				</Loaded>
			</div>
		</section>
	);
}

interface FeedsProps {
	readonly app: App;
	readonly view: FeedList;
	readonly resource: Resource<FeedList>;
}

function Feeds({ app, view, resource }: FeedsProps) {
	const [adding, setAdding] = useState(false);
	const [shown, setShown] = useState<Shown>();
	const live = view.feeds.filter(({ revokedAt }) => revokedAt === null);
	const show = (address: Shown) => {
		setAdding(false);
		setShown(address);
		void resource.load();
	};
	const renew = async (feed: Feed) => {
		const { id, label } = feed;
		const agreed = await app.questions.ask({
			title: w("renewTitle", { name: label }),
			body: [w("renewEffect")],
			yes: w("renewIt"),
			no: w("keepIt"),
			danger: true,
		});
		if (!agreed) return;
		const answer = await app.data.write(renewFeed(app.platform, id), resource);
		if (answer.ok) setShown({ label, url: answer.value.url, news: isNewsFeed(view, feed) });
		else fail(app, answer);
	};
	const end = async ({ id, label }: Feed) => {
		const agreed = await app.questions.ask({
			title: w("endTitle", { name: label }),
			body: [w("endEffect")],
			yes: w("endIt"),
			no: w("keepIt"),
			danger: true,
		});
		if (!agreed) return;
		const answer = await app.data.write(endFeed(app.platform, id), resource);
		if (answer.ok) app.announce(w("ended"));
		else fail(app, answer);
	};
	return (
		<>
			{live.length > 0 && (
				<ul class="host-feeds">
					{live.map((feed) => (
						<ListRow
							key={feed.id}
							title={<bdi>{feed.label}</bdi>}
							second={secondOf(app, feed)}
						>
							<Menu
								label={w("more", { name: feed.label })}
								items={[
									{ id: "renew", label: w("renew"), icon: "refresh", onPick: () => renew(feed) },
									{ id: "end", label: w("end"), icon: "trash", grave: true, onPick: () => end(feed) },
								]}
							/>
						</ListRow>
					))}
				</ul>
			)}
			{view.offers.length === 0 ? (
				<p class="d-muted">{w("nothingOffered")}</p>
			) : (
				<Button icon="plus" onPress={() => setAdding(true)}>
					{w("add")}
				</Button>
			)}
			{adding && (
				<AddDialog app={app} offers={inOrder(app, view.offers)} onClose={() => setAdding(false)} onMade={show} />
			)}
			{shown && <AddressDialog app={app} {...shown} onClose={() => setShown(undefined)} />}
		</>
	);
}

/** Calendars first, each by its title. */
const inOrder = (app: App, offers: readonly Offer[]): readonly Offer[] =>
	[...offers].sort(
		(one, other) =>
			Number(isNews(one)) - Number(isNews(other)) || titleOf(app, one).localeCompare(titleOf(app, other)),
	);

const secondOf = (app: App, { moduleId, lastUsedAt }: Feed): string => {
	const used = lastUsedAt === null ? w("notUsed") : w("used", { when: ago(lastUsedAt, app.clock.now()) });
	return `${app.moduleName(moduleId)}, ${used}`;
};

/** Whether a feed is one of news, as far as its module still offers it. */
const isNewsFeed = ({ offers }: FeedList, { moduleId, path }: Feed): boolean =>
	offers.some((offer) => offer.moduleId === moduleId && offer.path === path && isNews(offer));

const fail = (app: App, failure: Failure): void => app.announce(failureWords(failure), "assertive");
