import { useState } from "preact/hooks";
import { Checkbox, Combobox, Menu, Segments, SelectField, Switch } from "../kit/index";
import { Part } from "./part";
import { say } from "./voice";

export function Choices() {
	const [on, setOn] = useState(true);
	const [view, setView] = useState<"person" | "permission">("person");
	const [day, setDay] = useState("monday");
	return (
		<Part name="Switch, choice, segments">
			<Switch label="Start after restart" checked={on} onChange={setOn} />
			<Switch label="Busy" busy checked={false} onChange={() => undefined} />
			<Checkbox label="I can see this code on the screen right now" checked={on} onChange={setOn} />
			<div>
				<Segments
					name="view"
					label="View"
					chosen={view}
					onChoose={(id) => setView(id)}
					segments={[
						{ id: "person", label: "By person", count: 12 },
						{ id: "permission", label: "By permission" },
					]}
				/>
			</div>
			<SelectField
				label="Week begins on"
				value={day}
				onInput={setDay}
				options={[
					{ value: "monday", label: "Monday" },
					{ value: "sunday", label: "Sunday" },
				]}
			/>
		</Part>
	);
}

export function Pickers() {
	const [person, setPerson] = useState<string>();
	return (
		<Part name="Menu and combobox">
			<div class="d-row">
				<Menu
					label="More for Welcome"
					items={[
						{ id: "edit", label: "Edit", icon: "pencil", onPick: () => say("Edit") },
						{ id: "show", label: "Show now", icon: "play", onPick: () => say("Show now") },
						{ id: "copy", label: "Copy as text", icon: "copy", idle: true, onPick: () => say("Copy") },
						{ id: "delete", label: "Delete …", icon: "trash", grave: true, onPick: () => say("Delete") },
					]}
				/>
			</div>
			<Combobox
				label="Person"
				chosen={person}
				onChoose={setPerson}
				options={[
					{ id: "1", label: "Reader 1", detail: "reader1@example.org" },
					{ id: "2", label: "Sound 2", detail: "sound2@example.org" },
					{ id: "3", label: "Reader 3", detail: "Deactivated" },
				]}
			/>
		</Part>
	);
}
