import { useState } from "preact/hooks";
import { Button, DraftNote, Form, Note, OtherVersion, ScreenHeader, TextField, ZoneNote } from "../kit/index";
import { s } from "./german";
import { Part } from "./part";
import { say } from "./voice";

export function Drafts() {
	const [title, setTitle] = useState(s("Evening prayer"));
	const [restored, setRestored] = useState(true);
	const discard = () => {
		setTitle("");
		setRestored(false);
	};
	return (
		<Part name="Draft">
			<Form onSubmit={() => say("Saved")}>
				<DraftNote draft={{ dirty: true, restored, discard }} />
				<TextField label={s("Title")} value={title} onInput={setTitle} />
			</Form>
		</Part>
	);
}

export function OtherVersions() {
	const long = s("Bring something to share, and tell the office by Wednesday what it is: ");
	return (
		<Part name="Other version">
			<Note tone="bad" role="alert">
				<p>{s("Somebody else has changed this meanwhile. This is their version:")}</p>
				<OtherVersion
					fields={[
						[s("Title"), s("Shared lunch"), s("Shared lunch in the hall")],
						[s("Start"), "10:00", "10:00"],
						[s("Text"), "", long.repeat(3)],
						[s("Room"), s("Hall"), ""],
						[s("Guests"), "", "أهلا وسهلا بكم"],
					]}
				/>
				<div class="d-row">
					<Button onPress={() => say("Theirs")}>{s("Take theirs")}</Button>
					<Button onPress={() => say("Mine")}>{s("Keep mine")}</Button>
				</div>
			</Note>
		</Part>
	);
}

export function Headers() {
	return (
		<Part name="Screen header and zone">
			<ScreenHeader
				sub={
					<>
						{s("6 services")}
						<ZoneNote zone="Pacific/Apia" after />
					</>
				}
				actions={
					<Button kind="primary" icon="plus">
						{s("New service")}
					</Button>
				}
			/>
			<p>
				<ZoneNote zone="Pacific/Apia" />
			</p>
		</Part>
	);
}
