import { Button, Combobox, type ComboboxOption, Dialog } from "@narthex/kit";
import { useState } from "preact/hooks";
import { type Board, dayOf, isAway, type Role, type Service, servicesOf, type Volunteer } from "./board";
import type { Tools } from "./tools";

/** A cell of the grid. */
export interface Place {
	readonly service: Service;
	readonly role: Role;
}

interface PickProps {
	readonly tools: Tools;
	readonly board: Board;
	readonly place: Place;
	choose(volunteerId: string): unknown;
	close(): void;
}

/** Chooses a volunteer for a role, and shows who is away or serves elsewhere. */
export function Pick({ tools, board, place: { service, role }, choose, close }: PickProps) {
	const { say, moment } = tools;
	const [chosen, setChosen] = useState<string>();
	const there = new Set(
		service.assignments.filter(({ roleId }) => roleId === role.id).map(({ volunteerId }) => volunteerId),
	);
	const able = (volunteer: Volunteer) => volunteer.roleIds.includes(role.id);
	const free = board.volunteers.filter(({ id, label }) => label !== "" && !there.has(id));
	const option = (volunteer: Volunteer, group: string): ComboboxOption => {
		const detail = hintFor(tools, board, service, volunteer);
		return { id: volunteer.id, label: volunteer.label, group, ...(detail ? { detail } : {}) };
	};
	/** The options of some volunteers: first those who have nothing else to do. */
	const optionsOf = (some: readonly Volunteer[], group: string) =>
		some
			.map((volunteer) => option(volunteer, group))
			.sort((one, other) => Number("detail" in one) - Number("detail" in other));
	const options = [
		...optionsOf(free.filter(able), role.name),
		...optionsOf(
			free.filter((volunteer) => !able(volunteer)),
			say("others"),
		),
	];
	const picked = options.find(({ id }) => id === chosen);
	return (
		<Dialog
			title={say("pickTitle", { role: role.name })}
			size="medium"
			onClose={close}
			footer={
				<>
					<Button onPress={close}>{say("cancel")}</Button>
					<Button
						kind="primary"
						disabled={chosen === undefined}
						onPress={() => chosen !== undefined && choose(chosen)}
					>
						{say("add")}
					</Button>
				</>
			}
		>
			<p class="d-muted">
				{moment(service.start)}, <bdi>{service.title}</bdi>
			</p>
			<div class="pick-room">
				<Combobox
					label={say("volunteer")}
					options={options}
					chosen={chosen}
					expanded
					help={picked?.detail ? say("hint", { hint: picked.detail }) : undefined}
					onChoose={setChosen}
				/>
			</div>
		</Dialog>
	);
}

/** Why a volunteer may be unable to serve; "" if nothing is known. */
function hintFor({ say }: Tools, board: Board, service: Service, volunteer: Volunteer): string {
	const hints = isAway(volunteer, service) ? [say("away")] : [];
	const day = dayOf(service.start);
	const roles = new Map(board.roles.map(({ id, name }) => [id, name]));
	for (const other of servicesOf(board)) {
		if (dayOf(other.start) !== day) continue;
		for (const { volunteerId, roleId, status } of other.assignments) {
			if (volunteerId === volunteer.id && status !== "no")
				hints.push(say("serves", { role: roles.get(roleId) ?? "" }));
		}
	}
	return hints.join(", ");
}
