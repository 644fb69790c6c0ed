import { useState } from "preact/hooks";
import { Button, Dialog, EmptyState, Note, Skeleton, TextField } from "../kit/index";
import { s } from "./german";
import { Part } from "./part";
import { questions, say, toasts } from "./voice";

export function Notes() {
	return (
		<Part name="Note">
			<Note icon="refresh">
				<p>2 changes wait for a restart.</p>
			</Note>
			<Note tone="warn" icon="offline">
				<p>You are offline. Nothing is lost, nothing is saved yet.</p>
			</Note>
			<Note tone="bad">
				<p>This person already has it.</p>
			</Note>
			<Note tone="ok">
				<p>Confirmed. Sign in.</p>
			</Note>
		</Part>
	);
}

export function Toastings() {
	const undo = { label: "Undo", run: () => say("Undone") };
	const again = { label: "Try again", run: () => say("Moved") };
	return (
		<Part name="Toast">
			<div class="d-row">
				<Button
					onPress={() => toasts.show({ text: "Choir practice taken down.", level: "polite", action: undo })}
				>
					Take it down
				</Button>
				<Button onPress={() => toasts.show({ text: "Not moved.", level: "assertive", action: again })}>
					Move it
				</Button>
			</div>
		</Part>
	);
}

export function Dialogs() {
	const [open, setOpen] = useState(false);
	const ask = async () => {
		const yes = await questions.ask({
			title: s("Switch off Announcements?"),
			body: [s("Countdown will not start."), s("Nothing happens before the next restart.")],
			yes: s("Switch off"),
			no: s("Leave it on"),
			danger: true,
		});
		say(yes ? "Switched off" : "Left on");
	};
	return (
		<Part name="Dialog and confirm">
			<div class="d-row">
				<Button onPress={() => setOpen(true)}>{s("Rename")}</Button>
				<Button onPress={() => void ask()}>{s("Switch off")}</Button>
			</div>
			{open && (
				<Dialog
					title={s("Rename Back wall")}
					size="medium"
					onClose={() => setOpen(false)}
					footer={
						<>
							<Button onPress={() => setOpen(false)}>{s("Cancel")}</Button>
							<Button kind="primary" onPress={() => setOpen(false)}>
								{s("Rename it")}
							</Button>
						</>
					}
				>
					<TextField label={s("New name")} value={s("Back wall")} onInput={() => undefined} />
					<div class="d-row">
						<Button
							onPress={() =>
								toasts.show({
									text: "Not renamed.",
									level: "assertive",
									action: { label: "Try again", run: () => say("Renamed") },
								})
							}
						>
							{s("Rename without the network")}
						</Button>
					</div>
				</Dialog>
			)}
		</Part>
	);
}

export function States() {
	return (
		<Part name="Empty state and skeleton">
			<EmptyState
				title="No notices yet."
				help="What you write here is shown in the foyer."
				action={
					<Button kind="primary" icon="plus">
						Write a notice
					</Button>
				}
			/>
			<Skeleton />
		</Part>
	);
}
