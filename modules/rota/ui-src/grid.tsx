import { Button, Chip, type Column, IconButton, Menu, type MenuItem, Table } from "@narthex/kit";
import type { Assignment, Board, Role, Service, Status, Volunteer } from "./board";
import { isAway, neededIn, serving } from "./board";
import { hasMails, Mails } from "./mails";
import type { Place } from "./pick";
import type { Tools } from "./tools";

export interface GridProps {
	readonly tools: Tools;
	readonly board: Board;
	readonly services: readonly Service[];
	readonly byId: ReadonlyMap<string, Volunteer>;
	nameOf(assignment: Assignment): string;
	pick(place: Place): void;
	/** Asks how many people a service needs. */
	count(service: Service): void;
	set(assignment: Assignment, status: Status): Promise<void>;
	remove(assignment: Assignment): Promise<void>;
	send(assignments: readonly Assignment[]): Promise<void>;
	readonly copy: ((service: Service) => Promise<void>) | undefined;
}

/** With more roles a column may be narrower than a word of its chips. */
const mostWhole = 6;

/** A table with a row for each service and a column for each role; a list of cards on a narrow page. */
export function Grid(props: GridProps) {
	const { tools, board, services, copy, count } = props;
	const { say, moment } = tools;
	const mailed = services.some(hasMails);
	const columns: readonly Column<Service>[] = [
		{
			id: "when",
			head: say("service"),
			part: "title",
			width: "150px",
			cell: (service) => (
				<>
					<div class="d-name">{moment(service.start)}</div>
					<div class="d-second" dir="auto">
						{service.title}
					</div>
					<Button
						class="d-off-paper"
						kind="quiet"
						small
						icon="pencil"
						label={say("needsOf", { service: moment(service.start) })}
						onPress={() => count(service)}
					>
						{say("needs")}
					</Button>
					{copy && (
						<Button
							class="d-off-paper"
							kind="quiet"
							small
							icon="copy"
							label={say("copySlideOf", { service: moment(service.start) })}
							onPress={() => copy(service)}
						>
							{say("copySlide")}
						</Button>
					)}
				</>
			),
		},
		...board.roles.map((role) => ({
			id: role.id,
			head: role.name,
			cell: (service: Service) => <Cell {...props} service={service} role={role} />,
		})),
		...(mailed
			? [
					{
						id: "mail",
						head: say("mails"),
						width: "140px",
						cell: (service: Service) => <Mails {...props} service={service} />,
					},
				]
			: []),
	];
	const rowId = ({ id }: Service) => id;
	const kinds = [mailed ? " mailed" : "", board.roles.length <= mostWhole ? " whole" : ""].join("");
	return (
		<Table
			class={`grid${kinds} d-wide-paper`}
			label={say("tabMonth")}
			columns={columns}
			rows={services}
			rowId={rowId}
		/>
	);
}

/** The volunteers who have a role in a service. */
function Cell(props: GridProps & { readonly service: Service; readonly role: Role }) {
	const { tools, service, role, pick, nameOf } = props;
	const { say, moment, language } = tools;
	const needed = neededIn(service, role);
	const have = serving(service, role);
	const here = service.assignments
		.filter(({ roleId }) => roleId === role.id)
		.sort((a, b) => nameOf(a).localeCompare(nameOf(b), language));
	return (
		<div class="cell">
			<span class="d-in-card role" dir="auto">
				{role.name}
			</span>
			<ul>
				{here.map((assignment) => (
					<Person key={assignment.id} {...props} assignment={assignment} />
				))}
			</ul>
			{(have < needed ? needed > 1 : needed === 0) && (
				<span class="d-second">{needed === 0 ? say("notNeeded") : say("haveOf", { have, needed })}</span>
			)}
			<IconButton
				icon="plus"
				small
				label={say("addTo", { role: role.name, service: moment(service.start) })}
				onPress={() => pick({ service, role })}
			/>
		</div>
	);
}

const chips = {
	planned: { tone: "plain", door: "shut" },
	open: { tone: "info", door: "half" },
	yes: { tone: "ok", door: "lit" },
	no: { tone: "bad", door: "barred" },
} as const;

interface PersonProps extends GridProps {
	readonly service: Service;
	readonly role: Role;
	readonly assignment: Assignment;
}

/** A volunteer in a role with their response, and the possible actions. */
function Person({ tools, byId, service, role, assignment, nameOf, set, remove, send }: PersonProps) {
	const { say, moment, sends } = tools;
	const { status, volunteerId } = assignment;
	const state = say(status === "open" && assignment.was !== null ? "again" : status);
	const volunteer = byId.get(volunteerId);
	const name = nameOf(assignment);
	const noted = (to: Status): MenuItem => ({
		id: to,
		label: say(`note.${to}`),
		idle: status === to,
		onPick: () => set(assignment, to),
	});
	const items: MenuItem[] = [noted("yes"), noted("no")];
	if (sends && status !== "no" && volunteer?.email) {
		const label = say(status === "planned" ? "sendRequest" : status === "open" ? "askAgain" : "remind");
		items.unshift({ id: "send", label, icon: "mail", onPick: () => send([assignment]) });
	}
	const gone = () => remove(assignment);
	items.push({ id: "remove", label: say("removeAsk"), icon: "trash", grave: true, onPick: gone });
	const away = volunteer !== undefined && status !== "no" && isAway(volunteer, service);
	const twice =
		status !== "no" &&
		service.assignments.some((other) => other.id !== assignment.id && other.volunteerId === volunteerId);
	return (
		<li class={status === "no" ? "d-off-paper" : undefined}>
			<Menu
				label={say("personOf", { name, role: role.name, service: moment(service.start), state })}
				words={name}
				items={items}
			/>
			<Chip {...chips[status]}>{state}</Chip>
			{assignment.seeking && <Chip tone="warn">{say("seeking")}</Chip>}
			{away && <Chip tone="warn">{say("away")}</Chip>}
			{twice && <Chip tone="warn">{say("twice")}</Chip>}
		</li>
	);
}
