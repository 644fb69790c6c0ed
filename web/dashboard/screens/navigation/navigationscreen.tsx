import { useState } from "preact/hooks";
import { Button, IconButton } from "../../../kit/button";
import { Dialog } from "../../../kit/dialog";
import { DraftNote, mayClose, useDraft } from "../../../kit/draft";
import { Form, TextField } from "../../../kit/field";
import { Icon } from "../../../kit/icons";
import { Note, PageHeader, Tile } from "../../../kit/layout";
import { Menu } from "../../../kit/menu";
import { nameError } from "../../../kit/names";
import { ListRow } from "../../../kit/table";
import type { App } from "../../app/app";
import { useKept } from "../../app/kept";
import type { ScreenProps } from "../../app/screen";
import type { NavigationView } from "../../data/platform";
import { Heading } from "../../shell/heading";
import { useLive } from "../../shell/live";
import { Loaded } from "../../shell/loaded";
import { t } from "../../words/words";
import { manageNavigation } from "../modules/permissions";
import type { Column } from "./arrangement";
import { useDragging } from "./dragging";
import { useOrganiser } from "./organiser";
import { w } from "./words";

/** W10: the order of the sidebar, changed by buttons, keys and dragging. */
export function NavigationScreen({ app }: ScreenProps) {
	const { navigation } = app.data;
	useLive(navigation);
	return (
		<Loaded resource={navigation} permission={manageNavigation}>
			{(view) => <Organiser app={app} view={view} />}
		</Loaded>
	);
}

type Organising = ReturnType<typeof useOrganiser>;

function Organiser({ app, view }: { readonly app: App; readonly view: NavigationView }) {
	const organising = useOrganiser(app, view);
	const [renaming, setRenaming] = useKept<{ readonly id?: string; readonly label: string } | undefined>(
		app,
		"admin/navigation",
		"renaming",
		undefined,
	);
	const { columns, move, undoLast } = organising;
	const dragging = useDragging((id, { group, at }) => move(id, group === "" ? null : group, at));
	return (
		<>
			<PageHeader
				heading={<Heading title={t("navigation")} />}
				sub={w("sub")}
				actions={
					<>
						<Button icon="undo" disabled={undoLast === undefined} onPress={() => undoLast?.()}>
							{t("undo")}
						</Button>
						<Button kind="primary" icon="plus" onPress={() => setRenaming({ label: "" })}>
							{w("addGroup")}
						</Button>
					</>
				}
			/>
			<div class="host-organiser">
				<div>
					{columns.map((column, at) => (
						<Group
							key={column.id ?? ""}
							column={column}
							first={at === 0}
							last={at >= columns.length - 2}
							organising={organising}
							dragging={dragging}
							onRename={() => setRenaming({ id: column.id ?? "", label: column.label })}
						/>
					))}
				</div>
				<Preview columns={columns} />
			</div>
			{renaming && (
				<NameDialog
					app={app}
					{...renaming}
					organising={organising}
					onClose={() => setRenaming(undefined)}
				/>
			)}
		</>
	);
}

interface GroupProps {
	readonly column: Column;
	readonly first: boolean;
	readonly last: boolean;
	readonly organising: Organising;
	readonly dragging: ReturnType<typeof useDragging>;
	onRename(): void;
}

function Group({ column, first, last, organising, dragging, onRename }: GroupProps) {
	const { id, label, modules } = column;
	const { moveGroup, deleteGroup } = organising;
	const { target, dragged } = dragging;
	const here = target?.group === (id ?? "") ? target.at : undefined;
	const others = modules.filter(({ moduleId }) => moduleId !== dragged);
	return (
		<section class="d-list host-group" data-group={id ?? ""} aria-label={label}>
			<header>
				<h2>
					<bdi>{label}</bdi>
				</h2>
				{id !== null && (
					<>
						<Button kind="quiet" small label={w("renameOf", { group: label })} onPress={onRename}>
							{w("rename")}
						</Button>
						<Mover icon="up" label={w("up", { name: label })} idle={first} onPress={() => moveGroup(id, -1)} />
						<Mover
							icon="down"
							label={w("down", { name: label })}
							idle={last}
							onPress={() => moveGroup(id, 1)}
						/>
						<IconButton icon="trash" label={w("remove", { group: label })} onPress={() => deleteGroup(id)} />
					</>
				)}
			</header>
			{modules.length === 0 && (
				<p class={here === undefined ? "d-second" : "d-second host-drop-here"}>{w("emptyGroup")}</p>
			)}
			<ol>
				{modules.map((module, at) => (
					<Row
						key={module.moduleId}
						module={module}
						at={at}
						column={column}
						organising={organising}
						dragging={dragging}
						mark={
							here === undefined || module.moduleId === dragged
								? undefined
								: others[here]?.moduleId === module.moduleId
									? "host-drop-before"
									: here === others.length && others.at(-1)?.moduleId === module.moduleId
										? "host-drop-after"
										: undefined
						}
					/>
				))}
			</ol>
		</section>
	);
}

interface RowProps extends Pick<GroupProps, "column" | "organising" | "dragging"> {
	readonly module: Column["modules"][number];
	readonly at: number;
	/** Where a dragged row would be dropped. */
	readonly mark: string | undefined;
}

function Row({ module, at, column, organising, dragging, mark }: RowProps) {
	const { moduleId, name, icon } = module;
	const { columns, move, moved } = organising;
	const grip = dragging.grip(moduleId);
	const step = (by: -1 | 1) => organising.step(moduleId, by);
	return (
		<ListRow
			rowId={moduleId}
			moved={moved === moduleId}
			title={<bdi>{name}</bdi>}
			class={[mark, dragging.dragged === moduleId && "d-dragged"].filter(Boolean).join(" ")}
			lead={
				<>
					<button
						type="button"
						class="d-quiet d-icon d-grip"
						aria-label={t("moveRow", { name })}
						{...grip}
						onKeyDown={(event) => {
							if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
								event.preventDefault();
								step(event.key === "ArrowUp" ? -1 : 1);
							} else grip.onKeyDown?.(event);
						}}
					>
						<Icon name="grip" />
					</button>
					<Tile icon={icon} />
				</>
			}
		>
			<Mover icon="up" label={w("up", { name })} idle={at === 0} onPress={() => step(-1)} />
			<Mover
				icon="down"
				label={w("down", { name })}
				idle={at === column.modules.length - 1}
				onPress={() => step(1)}
			/>
			<Menu
				label={w("moveToOf", { module: name })}
				words={w("moveTo")}
				items={columns
					.filter(({ id }) => id !== column.id)
					.map(({ id, label }) => ({
						id: `to-${id ?? ""}`,
						label,
						onPick: () => {
							move(moduleId, id);
							requestAnimationFrame(() => focusRow(moduleId));
						},
					}))}
			/>
		</ListRow>
	);
}

/** Focuses a row in its new group, once it is rendered there. */
function focusRow(moduleId: string): void {
	const before = document.querySelector(`[data-row="${CSS.escape(moduleId)}"]`);
	const observer = new MutationObserver(() => {
		const row = document.querySelector(`[data-row="${CSS.escape(moduleId)}"]`);
		if (row === before || row === null) return;
		observer.disconnect();
		row.querySelector<HTMLElement>(".d-grip")?.focus();
	});
	const main = document.getElementById("main");
	if (main) observer.observe(main, { subtree: true, childList: true });
	setTimeout(() => observer.disconnect(), 10_000); // the move was refused
}

interface MoverProps {
	readonly icon: "up" | "down";
	readonly label: string;
	/** The row is already at that end. The button stays reachable by keyboard. */
	readonly idle: boolean;
	onPress(): void;
}

function Mover({ icon, label, idle, onPress }: MoverProps) {
	return (
		<button
			type="button"
			class="d-quiet d-icon"
			aria-label={label}
			title={label}
			aria-disabled={idle || undefined}
			onClick={() => idle || onPress()}
		>
			<Icon name={icon} />
		</button>
	);
}

/** The sidebar as people will see it, without empty groups. */
function Preview({ columns }: { readonly columns: readonly Column[] }) {
	return (
		<aside class="host-seen" aria-labelledby="seen">
			<h2 id="seen">{w("sees")}</h2>
			<div class="d-card">
				{columns
					.filter(({ modules }) => modules.length > 0)
					.map(({ id, label, modules }) => (
						<div key={id ?? ""}>
							{id !== null && (
								<h3>
									<bdi>{label}</bdi>
								</h3>
							)}
							<ul>
								{modules.map(({ moduleId, name, icon }) => (
									<li key={moduleId}>
										<Icon name={icon} />
										<bdi>{name}</bdi>
									</li>
								))}
							</ul>
						</div>
					))}
				{columns.every(({ modules }) => modules.length === 0) && <p class="d-second">{w("noModules")}</p>}
			</div>
			<p class="d-second">{w("onlyHere")}</p>
		</aside>
	);
}

interface NameDialogProps {
	readonly app: App;
	/** The id of the group to rename; undefined for a new group. */
	readonly id?: string;
	readonly label: string;
	readonly organising: Organising;
	onClose(): void;
}

function NameDialog({ app, id, label, organising, onClose }: NameDialogProps) {
	const draft = useDraft(app.drafts.of("admin/navigation"), `name/${id ?? "new"}`, label);
	const name = draft.value;
	const [tried, setTried] = useState(false);
	const [refused, setRefused] = useState<string>();
	const now = organising.columns.find((column) => column.id === id)?.label;
	const taken = id !== undefined && now !== undefined && now !== label && w("namedMeanwhile", { group: now });
	const wrong = name.trim() === "" ? w("nameNeeded") : nameError(name, 80);
	const save = async () => {
		setTried(true);
		const wanted = name.trim();
		if (wrong !== undefined) return;
		const { addGroup, renameGroup } = organising;
		const not = await (id === undefined ? addGroup(wanted) : renameGroup(id, wanted, now ?? label));
		setRefused(not);
		if (not === undefined) close();
	};
	const close = () => {
		draft.discard();
		onClose();
	};
	const cancel = async () => {
		if (await mayClose(draft, (question) => app.questions.ask(question))) onClose();
	};
	return (
		<Dialog
			title={id === undefined ? w("addGroup") : w("renameOf", { group: label })}
			onClose={cancel}
			footer={
				<>
					<Button onPress={cancel}>{t("cancel")}</Button>
					<Button kind="primary" submit>
						{id === undefined ? w("add") : w("save")}
					</Button>
				</>
			}
		>
			<Form onSubmit={save}>
				<DraftNote draft={draft} />
				{refused !== undefined && !taken && (
					<Note tone="bad" role="alert">
						{refused}
					</Note>
				)}
				<TextField
					label={w("groupName")}
					value={name}
					maxLength={80}
					onInput={draft.set}
					error={(tried ? wrong : undefined) ?? (taken || undefined)}
				/>
			</Form>
		</Dialog>
	);
}
