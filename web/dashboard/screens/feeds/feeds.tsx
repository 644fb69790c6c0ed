import { useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Menu } from "../../../kit/menu";
import { ListRow } from "../../../kit/table";
import type { App } from "../../app/app";
import { endFeed, type Feed, type FeedList, type Offer, renewFeed } from "../../data/feeds";
import type { Failure } from "../../data/request";
import type { Resource } from "../../data/resource";
import { ago } from "../../words/times";
import { AddDialog } from "./adddialog";
import { AddressDialog, type Shown } from "./addressdialog";
import { failureWords, isNews, kindOf, titleOf } from "./feed";
import { w } from "./words";

interface FeedsProps {
	readonly app: App;
	readonly feeds: readonly Feed[];
	readonly offers: readonly Offer[];
	readonly resource: Resource<FeedList>;
}

/** A list of addresses, to which further ones can be added. */
export function Feeds({ app, feeds, offers, resource }: FeedsProps) {
	const [adding, setAdding] = useState(false);
	const [shown, setShown] = useState<Shown>();
	const live = feeds.filter(({ revokedAt }) => revokedAt === null);
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
		if (answer.ok) setShown({ label, url: answer.value.url, kind: kindNow(offers, feed) });
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
			{offers.length === 0 ? (
				<p class="d-muted">{w("nothingOffered")}</p>
			) : (
				<Button icon="plus" onPress={() => setAdding(true)}>
					{w("add")}
				</Button>
			)}
			{adding && (
				<AddDialog app={app} offers={inOrder(app, offers)} onClose={() => setAdding(false)} onMade={show} />
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

/** What an address is for, as far as its module still offers it. */
function kindNow(offers: readonly Offer[], { moduleId, path }: Feed): Shown["kind"] {
	const offer = offers.find((one) => one.moduleId === moduleId && one.path === path);
	return offer === undefined ? "calendar" : kindOf(offer);
}

const fail = (app: App, failure: Failure): void => app.announce(failureWords(failure), "assertive");
