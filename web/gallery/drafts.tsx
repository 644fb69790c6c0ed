import { useState } from "preact/hooks";
import { Button, DraftNote, Form, Note, OtherVersion, ScreenHeader, TextField, ZoneNote } from "../kit/index";
import { Part } from "./part";
import { say } from "./voice";

export function Drafts() {
	const [title, setTitle] = useState("Evening prayer");
	const [restored, setRestored] = useState(true);
	const discard = () => {
		setTitle("");
		setRestored(false);
	};
	return (
		<Part name="Draft">
			<Form onSubmit={() => say("Saved")}>
				<DraftNote draft={{ dirty: true, restored, discard }} />
				<TextField label="Title" value={title} onInput={setTitle} />
			</Form>
		</Part>
	);
}

export function OtherVersions() {
	const long = "Bring something to share, and tell the office by Wednesday what it is: ";
	return (
		<Part name="Other version">
			<Note tone="bad" role="alert">
				<p>Somebody else has changed this meanwhile. This is their version:</p>
				<OtherVersion
					fields={[
						["Title", "Shared lunch", "Shared lunch in the hall"],
						["Start", "10:00", "10:00"],
						["Text", "", long.repeat(3)],
						["Room", "Hall", ""],
						["Guests", "", "أهلا وسهلا بكم"],
					]}
				/>
				<div class="d-row">
					<Button onPress={() => say("Theirs")}>Take theirs</Button>
					<Button onPress={() => say("Mine")}>Keep mine</Button>
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
						6 services
						<ZoneNote zone="Pacific/Apia" after />
					</>
				}
				actions={
					<Button kind="primary" icon="plus">
						New service
					</Button>
				}
			/>
			<p>
				<ZoneNote zone="Pacific/Apia" />
			</p>
		</Part>
	);
}
