import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { PageHeader } from "../../../kit/layout";
import { Segments } from "../../../kit/switch";
import type { App } from "../../app/app";
import { useKept } from "../../app/kept";
import type { ScreenProps } from "../../app/screen";
import { type Listed, type Member, readInvitations, readMembers } from "../../data/people";
import type { Resource } from "../../data/resource";
import { Filter } from "../../shell/filter";
import { Heading } from "../../shell/heading";
import { useLive } from "../../shell/live";
import { Loaded, useResource } from "../../shell/loaded";
import { t } from "../../words/words";
import { managePeople } from "../modules/permissions";
import { InvitationTable } from "./invitationtable";
import { InviteDialog } from "./invitedialog";
import { MemberTable } from "./membertable";
import { w } from "./words";

/** Beyond this many pages, the people are read again only when the person returns to the page. */
const livePages = 3;
const rarely = 3_600_000;

/** The delay between the last key press and the search, in milliseconds. */
const pause = 200;

/** The people of the house, or one of them, and the people invited to it. */
export function PeopleScreen({ app, params }: ScreenProps) {
	const alone = params["person"];
	const [view, setView] = useState<"members" | "invited">("members");
	const [typed, setTyped] = useState("");
	const [inviting, setInviting] = useKept(app, "admin/people", "inviting", false);
	const members = useMembers(app, useDebounced(typed.trim()) || (alone ?? ""));
	const [invitedPages, setInvitedPages] = useState(1);
	const invitations = useResource(app, () => readInvitations(app.platform, invitedPages), [invitedPages]);
	const invited = invitations.value.value;
	usePolling(invited?.items.some(({ delivery }) => delivery === "QUEUED") ?? false, () => invitations.load());
	useEffect(() => setTyped(""), [params]);
	return (
		<Loaded resource={members.resource} permission={managePeople}>
			{(list) => (
				<>
					<PageHeader
						heading={<Heading title={t("people")} />}
						sub={typed.trim() === "" && alone === undefined ? countOf(list) : undefined}
						actions={
							<Button kind="primary" icon="plus" onPress={() => setInviting(true)}>
								{w("invitePeople")}
							</Button>
						}
					/>
					<div class="host-toolbar">
						<Segments
							name="view"
							label={w("view")}
							chosen={view}
							onChoose={(id) => setView(id)}
							segments={[
								{ id: "members", label: w("segmentMembers") },
								{
									id: "invited",
									label: w("segmentInvited"),
									...(invited && !invited.more ? { count: invited.items.length } : {}),
								},
							]}
						/>
						{view === "members" && (
							<Filter label={w("filter")} value={typed} maxLength={100} onInput={setTyped} />
						)}
					</div>
					{view === "members" && alone !== undefined && typed.trim() === "" && (
						<p class="d-row">
							{w("onlyOne")}{" "}
							<Button onPress={() => app.router.go("#/admin/people")}>{w("everybody")}</Button>
						</p>
					)}
					{view === "invited" ? (
						<Loaded resource={invitations} permission={managePeople} part>
							{(found) => (
								<>
									<InvitationTable app={app} list={found} resource={invitations} />
									<More
										shown={found.more}
										onPress={() => setInvitedPages(invitedPages + 1)}
									/>
								</>
							)}
						</Loaded>
					) : (
						<>
							{list.items.length === 0 ? (
								<p>{w("noOne")}</p>
							) : (
								<MemberTable
									app={app}
									members={list.items}
									changed={[members.resource, invitations]}
								/>
							)}
							<More shown={list.more} onPress={members.more} />
						</>
					)}
					{inviting && (
						<InviteDialog
							app={app}
							onClose={() => setInviting(false)}
							onInvited={() => {
								setView("invited");
								void invitations.load();
							}}
						/>
					)}
				</>
			)}
		</Loaded>
	);
}

/**
 * The people who match, and how to load more of them. The previous ones stay until the new ones are found.
 */
function useMembers(app: App, query: string) {
	const [{ of, pages }, setPages] = useState({ of: query, pages: 1 });
	const wanted = of === query ? pages : 1;
	const last = useRef<Resource<Listed<Member>> | undefined>(undefined);
	const resource = useMemo(() => {
		const next = app.data.resource(() => readMembers(app.platform, query, wanted));
		const before = last.current?.value.peek();
		if (before !== undefined) next.take(before);
		return (last.current = next);
	}, [query, wanted]);
	useLive(resource, wanted > livePages ? rarely : undefined);
	return { resource, more: () => setPages({ of: query, pages: wanted + 1 }) };
}

/** A text after it has not changed for a moment. */
function useDebounced(text: string): string {
	const [settled, setSettled] = useState(text);
	useEffect(() => {
		const timer = setTimeout(() => setSettled(text), pause);
		return () => clearTimeout(timer);
	}, [text]);
	return settled;
}

/** Polls while something is in progress. */
function usePolling(underWay: boolean, look: () => unknown): void {
	useEffect(() => {
		if (!underWay) return;
		const timer = setInterval(look, 2_000);
		return () => clearInterval(timer);
	}, [underWay]);
}

function More({ shown, onPress }: { readonly shown: boolean; onPress(): void }) {
	return shown ? (
		<div class="host-more">
			<Button onPress={onPress}>{w("showMore")}</Button>
		</div>
	) : null;
}

function countOf({ items, more }: Listed<Member>): string {
	if (more) return w("firstMembers", { count: items.length });
	const there = items.filter(({ erasedAt }) => erasedAt === null);
	const people = w("members", { count: there.length });
	const deactivated = there.filter(({ deactivatedAt }) => deactivatedAt !== null).length;
	return deactivated === 0 ? people : w("subDeactivated", { people, deactivated });
}
