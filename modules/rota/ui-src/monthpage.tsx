import { Button, EmptyState, Menu, Note, ScreenHeader, ZoneNote } from "@narthex/kit";
import { saveFile } from "@narthex/sdk";
import { useEffect, useState } from "preact/hooks";
import type { Assignment, Board, Change, Days, Service, Status } from "./board";
import { dayOf, emptyPlaces, servicesOf } from "./board";
import { Grid } from "./grid";
import { NeedsDialog } from "./needs";
import { NewsPanel } from "./news";
import { Pick, type Place } from "./pick";
import { slideText } from "./slidetext";
import { periodOf, type Tools } from "./tools";

/** How many requests one call of the server accepts. */
const perRequest = 90;

interface MonthProps {
	readonly tools: Tools;
	readonly board: Board;
	/** Fetches the board again. */
	again(): void;
	/** "2026-12"; "" for the next eight weeks. */
	readonly month: string;
}

/** Who serves in the next weeks or in a month, by service and role. */
export function MonthPage({ tools, board, again, month }: MonthProps) {
	const { context, api, say, tell } = tools;
	const [picking, setPicking] = useState<Place>();
	const [counting, setCounting] = useState<Service>();
	useEffect(() => context.setTitle(context.module.name), []);
	const services = servicesOf(board);
	const now = context.serverNow();
	const { from, to } = periodOf(month, dayOf(now));
	const inMonth = services.filter(({ start }) => from <= dayOf(start) && dayOf(start) <= to);
	const byId = new Map(board.volunteers.map((volunteer) => [volunteer.id, volunteer]));
	const nameOf = ({ volunteerId }: Assignment) => byId.get(volunteerId)?.label || say("erased");
	const coming = inMonth.filter(({ start }) => Date.parse(start) > now);
	const assigned = coming.flatMap(({ assignments }) => assignments);
	const planned = assigned.filter(({ status }) => status === "planned");
	const empty = coming
		.flatMap((service) => board.roles.map((role) => emptyPlaces(service, role)))
		.reduce((sum, places) => sum + places, 0);
	const sub = [
		...(empty > 0 ? [say("empty", { count: empty })] : []),
		...(planned.length > 0 ? [say("counts", { planned: planned.length })] : []),
	];
	const reachable = planned.filter(({ volunteerId }) => byId.get(volunteerId)?.email);

	const assign = async (change: Change, done: string, undo?: () => unknown): Promise<void> => {
		const result = await api.assign(change);
		tell(result, done, undo && { label: say("undo"), run: undo }, () => assign(change, done, undo));
	};
	const add = async ({ service, role }: Place, volunteerId: string): Promise<void> => {
		setPicking(undefined);
		const place = { serviceId: service.id, roleId: role.id, volunteerId };
		const result = await api.assign({ add: [place] });
		const [added] = result.ok ? (result.value as { assignments: readonly Assignment[] }).assignments : [];
		const name = byId.get(volunteerId)?.label ?? "";
		const undo = added && { label: say("undo"), run: () => remove(added) };
		tell(result, say("added", { name, role: role.name }), undo, () => add({ service, role }, volunteerId));
	};
	const remove = async (assignment: Assignment): Promise<void> => {
		const { id, rev, serviceId, roleId, volunteerId, status } = assignment;
		if (status === "open" || status === "yes") {
			const question = {
				title: say("removeTitle", { name: nameOf(assignment) }),
				body: say("removeHelp"),
				yes: say("remove"),
				no: say("keep"),
				danger: true,
			};
			if (!(await context.confirm(question))) return;
		}
		const back = () => assign({ add: [{ serviceId, roleId, volunteerId }] }, say("undone"));
		await assign({ remove: [{ id, rev }] }, say("removed", { name: nameOf(assignment) }), back);
	};
	const set = (assignment: Assignment, status: Status) =>
		assign(
			{ set: [{ id: assignment.id, rev: assignment.rev, status }] },
			say("noted", { name: nameOf(assignment) }),
		);
	const send = async (assignments: readonly Assignment[]): Promise<void> => {
		for (let from = 0; from < assignments.length; from += perRequest) {
			const ids = assignments.slice(from, from + perRequest).map(({ id }) => id);
			const result = await api.send("request", ids);
			if (!tell(result, say("sendingRequests"), undefined, () => send(assignments.slice(from)))) return;
		}
	};
	const copy = async (service: Service) => {
		try {
			await navigator.clipboard.writeText(slideText(tools, board, service));
			context.announce(say("copied"));
		} catch {
			context.announce(say("notCopied"), "assertive");
		}
	};

	if (board.unplanned) {
		return (
			<>
				<ScreenHeader />
				<Note tone="bad" role="alert">
					<p>{say("stageSilent")}</p>
				</Note>
				<div class="d-row">
					<Button kind="primary" onPress={again}>
						{say("tryAgain")}
					</Button>
				</div>
			</>
		);
	}
	const months = monthsOf(services, month);
	return (
		<>
			<ScreenHeader
				sub={
					<>
						<span class="d-off-paper">{sub.length > 0 ? sub.join(" · ") : say("allAsked")}</span>
						<span class="d-on-paper">
							{month === "" ? say("fromTo", spanOf(tools, from, to)) : tools.month(month)}
						</span>
						<ZoneNote after />
					</>
				}
				actions={
					<>
						{tools.sends && reachable.length > 0 && (
							<Button kind="primary" icon="mail" onPress={() => send(reachable)}>
								{say("sendRequests", { count: reachable.length })}
							</Button>
						)}
						<More tools={tools} from={from} to={to} />
					</>
				}
			/>
			<NewsPanel tools={tools} board={board} />
			<div class="toolbar d-off-paper">
				<label class="months">
					<span class="d-unseen">{say("month")}</span>
					<select
						value={month}
						onChange={({ currentTarget: { value } }) => context.navigate(`board/${value}`, { stay: true })}
					>
						<option value="">{say("nextWeeks")}</option>
						{months.map((one) => (
							<option key={one} value={one}>
								{tools.month(one)}
							</option>
						))}
					</select>
				</label>
				{empty > 0 && (
					<Button onPress={() => context.navigate(`fill/${month}`)}>{say("fill", { count: empty })}</Button>
				)}
			</div>
			{planned.length > reachable.length && (
				<Note tone="warn">
					<p>{say("unreachable", { count: planned.length - reachable.length })}</p>
				</Note>
			)}
			{board.roles.length === 0 ? (
				<EmptyState
					title={say("noRoles")}
					help={say("noRolesHelp")}
					action={
						<Button kind="primary" onPress={() => context.navigate("roles")}>
							{say("toRoles")}
						</Button>
					}
				/>
			) : inMonth.length === 0 ? (
				<EmptyState title={say(month === "" ? "noServicesSoon" : "noServices")} help={say("noServicesHelp")} />
			) : (
				<Grid
					{...{ tools, board, nameOf, set, remove, send, byId }}
					services={inMonth}
					pick={setPicking}
					count={setCounting}
					copy={board.announcements ? copy : undefined}
				/>
			)}
			{counting && (
				<NeedsDialog tools={tools} board={board} of={counting.id} close={() => setCounting(undefined)} />
			)}
			{picking && (
				<Pick
					tools={tools}
					board={board}
					place={picking}
					close={() => setPicking(undefined)}
					choose={(volunteerId) => add(picking, volunteerId)}
				/>
			)}
		</>
	);
}

/** The months that have services, and the one that is shown. */
function monthsOf(services: readonly Service[], shown: string): readonly string[] {
	const months = services.map(({ start }) => dayOf(start).slice(0, 7));
	return [...new Set(shown === "" ? months : [...months, shown])].sort();
}

const spanOf = ({ day }: Tools, from: string, to: string) => ({ from: day(from), to: day(to) });

function More({ tools, from, to }: { readonly tools: Tools } & Days) {
	const { context, api, say, sends, tell } = tools;
	const save = async (ending: "csv" | "ics"): Promise<void> => {
		const result = await api.export(`/plan.${ending}?from=${from}&to=${to}`);
		if (!result.ok) return void tell(result, "", undefined, () => save(ending));
		saveFile(result.value, `rota-${from}.${ending}`);
	};
	const test = async (): Promise<void> => {
		const result = await api.sendTest();
		if (!result.ok || result.value.outcome === "sent") {
			tell(result, result.ok ? say("testSent", { to: result.value.to }) : "", undefined, test);
			return;
		}
		const words = say(`mail.${result.value.outcome}` as "mail.tryAgain");
		context.announce(words, "assertive", { label: say("tryAgain"), run: test });
	};
	const transfer = {
		id: "transfer",
		label: say("transfer"),
		icon: "upload",
		onPick: () => context.navigate("transfer"),
	} as const;
	const sendTest = { id: "test", label: say("sendTest"), icon: "mail", onPick: test } as const;
	return (
		<Menu
			label={say("more")}
			items={[
				{ id: "print", label: say("print"), icon: "print", onPick: () => print() },
				{ id: "csv", label: say("saveTable"), icon: "list", onPick: () => save("csv") },
				{ id: "ics", label: say("saveCalendar"), icon: "calendar", onPick: () => save("ics") },
				...(sends ? [sendTest] : []),
				transfer,
			]}
		/>
	);
}
