import type { Room, Taken } from "./event";
import { namesOf, type Tools } from "./tools";

interface RoomFieldsProps {
	readonly tools: Tools;
	readonly rooms: readonly Room[];
	readonly chosen: readonly number[];
	onChange(chosen: readonly number[]): void;
}

/** The rooms that an event needs. */
export function RoomFields({ tools: { say, context }, rooms, chosen, onChange }: RoomFieldsProps) {
	return (
		<fieldset class="d-field">
			<legend>{say("rooms")}</legend>
			{rooms.length === 0 && (
				<p class="d-help">
					{say("noRooms")} <a href={`#/m/${context.module.id}/rooms`}>{say("addRooms")}</a>
				</p>
			)}
			<div class="weekdays">
				{rooms.map(({ id, name }) => (
					<label class="d-choice" key={id}>
						<input
							type="checkbox"
							checked={chosen.includes(id)}
							onChange={({ currentTarget: { checked } }) =>
								onChange(checked ? [...chosen, id] : chosen.filter((one) => one !== id))
							}
						/>
						<bdi>{name}</bdi>
					</label>
				))}
			</div>
		</fieldset>
	);
}

interface TakenNoteProps {
	readonly tools: Tools;
	readonly taken: readonly Taken[];
	readonly rooms: readonly Room[];
}

/** The bookings that have the rooms, one line each. */
export function TakenNote({ tools: { say, forms }, taken, rooms }: TakenNoteProps) {
	if (taken.length === 0) return null;
	return (
		<ul class="taken">
			{taken.map((one, at) => (
				<li key={at}>
					{say("takenBy", {
						room: namesOf(rooms, [one.room]),
						when: `${forms.day(one.from.slice(0, 10))}, ${forms.time(one.from)} – ${forms.time(one.until)}`,
						title: one.title,
					})}
				</li>
			))}
		</ul>
	);
}
