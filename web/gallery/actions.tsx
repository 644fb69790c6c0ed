import { useRef } from "preact/hooks";
import { Button, Chip, CopyButton, IconButton } from "../kit/index";
import { s } from "./german";
import { Part } from "./part";
import { say, toasts } from "./voice";

export function Buttons() {
	return (
		<Part name="Button">
			<div class="d-row">
				<Button kind="primary">Save</Button>
				<Button>Cancel</Button>
				<Button icon="undo">Undo the last move</Button>
				<Button kind="text">Go to it</Button>
				<Button kind="quiet">Take down</Button>
				<Button kind="danger">Remove</Button>
			</div>
			<div class="d-row">
				<Button kind="primary" busy busyWords="Saving">
					Save
				</Button>
				<Button busy>Check again</Button>
				<Button disabled>Not now</Button>
				<Button small>Small</Button>
				<IconButton icon="pencil" label="Edit" />
				<CopyButton text="4f1c" label={s("Copy my ID")} toasts={toasts} />
			</div>
			<Sending />
		</Part>
	);
}

/**
 * A button whose action ends when the other button is pressed, which shows how often the action was started.
 */
function Sending() {
	const work = useRef({ started: 0, end: () => {} });
	const send = () => {
		work.current.started++;
		return new Promise<void>((resolve) => (work.current.end = resolve));
	};
	const arrive = () => {
		work.current.end();
		say(`Started: ${work.current.started}`);
	};
	return (
		<div class="d-row">
			<Button onPress={send}>Send</Button>
			<Button onPress={arrive}>Let it arrive</Button>
		</div>
	);
}

export function Chips() {
	return (
		<Part name="Chip">
			<div class="d-row">
				<Chip tone="ok" door="lit">
					RUNNING
				</Chip>
				<Chip door="shut">OFF</Chip>
				<Chip tone="bad" door="barred">
					BLOCKED
				</Chip>
				<Chip tone="warn" door="half">
					Stops at the next restart
				</Chip>
				<Chip tone="info" door="half">
					Scheduled
				</Chip>
				<Chip tone="warn" door="shut">
					Silent
				</Chip>
			</div>
		</Part>
	);
}
