import { Button, Checkbox, EmptyState, Note, ScreenHeader, Skeleton } from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Failed, Filled, Gap, Proposal } from "./api";
import { type Board, dayOf, type Service, servicesOf } from "./board";
import { Refused } from "./refused";
import { periodOf, type Tools } from "./tools";

interface FillProps {
	readonly tools: Tools;
	readonly board: Board;
	/** As that of the month's page. */
	readonly month: string;
}

/** What a plan is shown with: the words for roles and people. */
interface Names {
	ofRole(id: string): string;
	ofPerson(id: string): string;
}

const keyOf = ({ serviceId, roleId, volunteerId }: Proposal) => `${serviceId} ${roleId} ${volunteerId}`;

/** A plan for the empty places, which is stored only when it is applied. */
export function FillPage({ tools, board, month }: FillProps) {
	const { context, api, say, tell } = tools;
	const [filled, setFilled] = useState<Filled>();
	const [refused, setRefused] = useState<Failed>();
	const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
	const [busy, setBusy] = useState(false);
	const asked = useRef(0);
	useEffect(() => context.setTitle(say("fillTitle")), []);
	const load = async () => {
		const ask = ++asked.current;
		const { from, to } = periodOf(month, dayOf(context.serverNow()));
		const result = await api.fill(from, to);
		if (context.signal.aborted || ask !== asked.current) return;
		setRefused(result.ok ? undefined : result);
		if (result.ok) setFilled(result.value);
	};
	useEffect(() => void load(), [month, board.rev]); // a plan is made for one board
	const back = () => context.navigate(`board/${month}`);
	if (filled === undefined) {
		if (refused === undefined) return <Skeleton rows={6} />;
		return <Refused tools={tools} refused={refused} again={load} />;
	}
	const chosen = filled.proposals.filter((one) => !left.has(keyOf(one)));
	const apply = async (): Promise<void> => {
		setBusy(true);
		const add = chosen.map(({ serviceId, roleId, volunteerId }) => ({ serviceId, roleId, volunteerId }));
		const done = tell(await api.assign({ rev: filled.rev, add }), say("applied", { count: add.length }));
		if (context.signal.aborted) return;
		setBusy(false);
		if (done) back();
	};
	const choose = (one: Proposal, taken: boolean) => {
		const next = new Set(left);
		if (taken) next.delete(keyOf(one));
		else next.add(keyOf(one));
		setLeft(next);
	};
	const roles = new Map(board.roles.map(({ id, name }) => [id, name]));
	const people = new Map(board.volunteers.map(({ id, label }) => [id, label]));
	const names: Names = {
		ofRole: (id) => roles.get(id) ?? "",
		ofPerson: (id) => people.get(id) || say("erased"),
	};
	const empty = filled.gaps.reduce((sum, { places }) => sum + places, 0);
	const concerned = servicesOf(board).filter(
		({ id, assignments }) =>
			filled.proposals.some(({ serviceId }) => serviceId === id) ||
			filled.gaps.some(({ serviceId }) => serviceId === id) ||
			filled.conflicts.some(({ assignmentId }) => assignments.some((one) => one.id === assignmentId)),
	);
	return (
		<>
			<ScreenHeader
				sub={say("fillSub", { count: filled.proposals.length, empty })}
				actions={
					<>
						<Button onPress={back}>{say("cancel")}</Button>
						<Button
							kind="primary"
							busy={busy}
							busyWords={say("saving")}
							disabled={chosen.length === 0}
							onPress={apply}
						>
							{say("apply", { count: chosen.length })}
						</Button>
					</>
				}
			/>
			<Note>
				<p>{say("fillHelp")}</p>
				{filled.later > 0 && <p>{say("fillLater", { count: filled.later })}</p>}
			</Note>
			{concerned.length === 0 && <EmptyState title={say("fillNothing")} />}
			{concerned.map((service) => (
				<Part key={service.id} {...{ tools, filled, service, names, left, choose }} />
			))}
		</>
	);
}

interface PartProps {
	readonly tools: Tools;
	readonly filled: Filled;
	readonly service: Service;
	readonly names: Names;
	readonly left: ReadonlySet<string>;
	choose(proposal: Proposal, taken: boolean): void;
}

/** The plan of one service. */
function Part({ tools, filled, service, names, left, choose }: PartProps) {
	const { say, moment } = tools;
	const heading = `rota-fill-${service.id}`;
	const here = ({ serviceId }: { readonly serviceId: string }) => serviceId === service.id;
	const conflicts = filled.conflicts.flatMap((one) => {
		const assignment = service.assignments.find(({ id }) => id === one.assignmentId);
		return assignment ? [{ one, assignment }] : [];
	});
	return (
		<section class="d-card d-stack part" aria-labelledby={heading}>
			<h2 id={heading}>
				{moment(service.start)}, <bdi>{service.title}</bdi>
			</h2>
			<ul>
				{filled.proposals.filter(here).map((one) => (
					<li key={keyOf(one)}>
						<Checkbox
							label={say("proposed", { role: names.ofRole(one.roleId), name: names.ofPerson(one.volunteerId) })}
							checked={!left.has(keyOf(one))}
							onChange={(taken) => choose(one, taken)}
						/>
						<p class="d-second">{reason(tools, filled, one, names)}</p>
					</li>
				))}
			</ul>
			{filled.gaps.filter(here).map((one) => (
				<Note key={one.roleId} tone="warn">
					<p>{emptyBecause(tools, one, names)}</p>
				</Note>
			))}
			{conflicts.map(({ one, assignment }) => (
				<Note key={`${one.assignmentId} ${one.kind} ${one.other}`} tone="bad">
					<p>
						{say(`conflict.${one.kind}`, {
							...{ name: names.ofPerson(assignment.volunteerId), role: names.ofRole(assignment.roleId) },
							other: names.ofPerson(one.other),
						})}
					</p>
				</Note>
			))}
		</section>
	);
}

/** Why somebody is proposed, in one sentence. */
function reason({ say, day }: Tools, { since }: Filled, one: Proposal, names: Names): string {
	const { why, others, turns, last } = one;
	const sentence = say(why === "fewest" && turns === 0 ? "why.none" : `why.${why}`, {
		...{ count: turns, others, since: day(since), other: names.ofPerson(one.other) },
	});
	return last === "" ? sentence : `${sentence} ${say("lastTurn", { day: day(last) })}`;
}

const obstacles = ["away", "declined", "busy", "limit", "apart"] as const;

/** Why places stay empty, in one sentence. */
function emptyBecause({ say }: Tools, one: Gap, names: Names): string {
	const role = names.ofRole(one.roleId);
	const parts = obstacles
		.filter((what) => one[what] > 0)
		.map((what) => say(`gap.${what}`, { count: one[what] }));
	return one.able === 0
		? say("gapNobody", { role, count: one.places })
		: say("gapOf", { role, count: one.places, able: one.able, reasons: parts.join(", ") });
}
