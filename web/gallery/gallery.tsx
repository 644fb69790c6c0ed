import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import {
	Button,
	Checkbox,
	Chip,
	CodeInput,
	Combobox,
	Confirm,
	CopyButton,
	Dialog,
	EmptyState,
	Form,
	Icon,
	IconButton,
	iconNames,
	ListRow,
	Mark,
	Menu,
	MomentField,
	Note,
	PageHeader,
	PasswordField,
	placed,
	Questions,
	ReorderList,
	Segments,
	SelectField,
	Skeleton,
	Switch,
	Table,
	TextField,
	Tile,
	ToastRegion,
	Toasts,
} from "../kit/index";

const toasts = new Toasts();
const questions = new Questions();
const say = (text: string) => toasts.show({ text, level: "polite" });

/** Every component of the kit in every state. */
export function Gallery() {
	return (
		<main class="gallery">
			<header>
				<Mark />
				<h1 tabIndex={-1}>Kit</h1>
			</header>
			<Buttons />
			<Chips />
			<Fields />
			<Moments />
			<Choices />
			<Pickers />
			<Rows />
			<Tables />
			<Notes />
			<Toastings />
			<Dialogs />
			<States />
			<Icons />
			<ToastRegion toasts={toasts} />
			<Confirm questions={questions} />
		</main>
	);
}

function Part({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
	return (
		<section aria-label={name}>
			<h2>{name}</h2>
			{children}
		</section>
	);
}

function Buttons() {
	return (
		<Part name="Button">
			<div class="row">
				<Button kind="primary">Save</Button>
				<Button>Cancel</Button>
				<Button icon="undo">Undo the last move</Button>
				<Button kind="text">Go to it</Button>
				<Button kind="quiet">Take down</Button>
				<Button kind="danger">Remove</Button>
			</div>
			<div class="row">
				<Button kind="primary" busy busyWords="Saving">
					Save
				</Button>
				<Button busy>Check again</Button>
				<Button disabled>Not now</Button>
				<Button small>Small</Button>
				<IconButton icon="pencil" label="Edit" />
				<CopyButton text="4f1c" label="Copy my ID" toasts={toasts} />
			</div>
		</Part>
	);
}

function Chips() {
	return (
		<Part name="Chip">
			<div class="row">
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

function Fields() {
	const [name, setName] = useState("Back wall");
	const [password, setPassword] = useState("seven77");
	const [code, setCode] = useState("4829");
	const [title, setTitle] = useState("");
	const [problem, setProblem] = useState<string>();
	return (
		<Part name="Field">
			<TextField label="Name" value={name} onInput={setName} />
			<TextField label="Reply to" optional help="Answers go there." value="" onInput={() => undefined} />
			<PasswordField
				label="New password"
				autocomplete="new-password"
				value={password}
				onInput={setPassword}
				error="At least 8 characters: 1 more."
			/>
			<CodeInput label="Code on the screen" value={code} onInput={setCode} />
			<Form onSubmit={() => setProblem(title === "" ? "A notice needs a title." : undefined)}>
				<TextField label="Title" value={title} onInput={setTitle} error={problem} />
				<Button submit kind="primary">
					Check the form
				</Button>
			</Form>
		</Part>
	);
}

function Moments() {
	const [ends, setEnds] = useState("2027-04-05T20:00");
	return (
		<Part name="Date and time">
			<MomentField label="Ends" optional value={ends} onInput={setEnds} />
			<MomentField
				label="Begins"
				value="2027-04-06T20:00"
				onInput={() => undefined}
				error="The end must come after the start."
			/>
		</Part>
	);
}

function Choices() {
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

function Pickers() {
	const [person, setPerson] = useState<string>();
	return (
		<Part name="Menu and combobox">
			<div class="row">
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

const modules = [
	{ id: "stage", name: "Stage", icon: "lectern" },
	{ id: "rota", name: "Rota", icon: "rota" },
	{ id: "announcements", name: "Announcements", icon: "megaphone" },
] as const;

function Rows() {
	const [order, setOrder] = useState<readonly string[]>(modules.map(({ id }) => id));
	const items = order.flatMap((id) => modules.find((module) => module.id === id) ?? []);
	const move = (id: string, to: number) => {
		setOrder(placed(order, id, to));
		say(`${id} moved, position ${to + 1} of ${order.length}`);
	};
	return (
		<Part name="Row and reorder list">
			<ul class="list">
				<ListRow lead={<Tile icon="lectern" lit />} title="Stage" second="1.2.0">
					<Chip tone="ok" door="lit">
						RUNNING
					</Chip>
				</ListRow>
				<ListRow lead={<Tile initials="R1" />} title="Reader 1" second="reader1@example.org" />
			</ul>
			<ReorderList label="Order" items={items} onMove={move} />
		</Part>
	);
}

function Tables() {
	return (
		<Part name="Table, cards on a phone">
			<PageHeader
				heading={<h3>Modules</h3>}
				sub="2 running, 1 blocked"
				actions={
					<Button kind="primary" icon="plus">
						Add
					</Button>
				}
			/>
			<Table
				label="Modules"
				rows={modules}
				rowId={({ id }) => id}
				columns={[
					{
						id: "name",
						head: "Module",
						part: "title",
						cell: ({ name, icon }) => (
							<span class="row">
								<Tile icon={icon} />
								<span class="name">{name}</span>
							</span>
						),
					},
					{
						id: "state",
						head: "State",
						cell: (_, at) =>
							at === 1 ? (
								<Chip tone="bad" door="barred">
									BLOCKED
								</Chip>
							) : (
								<Chip tone="ok" door="lit">
									RUNNING
								</Chip>
							),
					},
					{
						id: "actions",
						head: "Actions",
						hideHead: true,
						part: "actions",
						cell: ({ name }) => (
							<Button kind="text" label={`Settings of ${name}`}>
								Settings
							</Button>
						),
					},
				]}
			/>
		</Part>
	);
}

function Notes() {
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

function Toastings() {
	const undo = { label: "Undo", run: () => say("Undone") };
	const again = { label: "Try again", run: () => say("Moved") };
	return (
		<Part name="Toast">
			<div class="row">
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

function Dialogs() {
	const [open, setOpen] = useState(false);
	const ask = async () => {
		const yes = await questions.ask({
			title: "Switch off Announcements?",
			body: ["Countdown will not start.", "Nothing happens before the next restart."],
			yes: "Switch off",
			no: "Leave it on",
			danger: true,
		});
		say(yes ? "Switched off" : "Left on");
	};
	return (
		<Part name="Dialog and confirm">
			<div class="row">
				<Button onPress={() => setOpen(true)}>Rename</Button>
				<Button onPress={() => void ask()}>Switch off</Button>
			</div>
			{open && (
				<Dialog
					title="Rename Back wall"
					size="medium"
					onClose={() => setOpen(false)}
					footer={
						<>
							<Button onPress={() => setOpen(false)}>Cancel</Button>
							<Button kind="primary" onPress={() => setOpen(false)}>
								Rename it
							</Button>
						</>
					}
				>
					<TextField label="New name" value="Back wall" onInput={() => undefined} />
				</Dialog>
			)}
		</Part>
	);
}

function States() {
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

function Icons() {
	return (
		<Part name="Icons">
			<ul class="icons">
				{iconNames.map((name) => (
					<li key={name}>
						<Icon name={name} />
						{name}
					</li>
				))}
			</ul>
		</Part>
	);
}
