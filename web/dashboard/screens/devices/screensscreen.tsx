import { useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Chip } from "../../../kit/chip";
import { CopyButton } from "../../../kit/copy";
import { Dialog } from "../../../kit/dialog";
import { DraftNote, mayClose, useDraft } from "../../../kit/draft";
import { Form, TextField } from "../../../kit/field";
import { hasWords } from "../../../kit/folding";
import { EmptyState, Note, PageHeader, Tile } from "../../../kit/layout";
import { Menu } from "../../../kit/menu";
import { nameError } from "../../../kit/names";
import { ListRow, Table } from "../../../kit/table";
import type { App } from "../../app/app";
import { useKept } from "../../app/kept";
import type { ScreenProps } from "../../app/screen";
import {
	type Device,
	type DeviceList,
	type Display,
	readDevices,
	removeDevice,
	renameDevice,
} from "../../data/devices";
import type { Failure } from "../../data/request";
import type { Resource } from "../../data/resource";
import { Filter } from "../../shell/filter";
import { Heading } from "../../shell/heading";
import { refusalOf, refuse } from "../../shell/refusal";
import { Loaded, useResource } from "../../shell/loaded";
import { ago, elapsed } from "../../words/times";
import { t } from "../../words/words";
import { manageDevices } from "../modules/permissions";
import { FindCode } from "./pairing";
import { w } from "./words";

/**
 * A screen uses its credential when its stream reconnects, at least every five minutes. After this many
 * milliseconds it is shown as silent.
 */
const silence = 6 * 60_000;

/** From this many screens on, a search field is shown. */
const many = 12;

/** W11: the screens, what they show, and how to add one. */
export function ScreensScreen({ app, params }: ScreenProps) {
	const resource = useResource(app, () => readDevices(app.platform));
	return (
		<Loaded resource={resource} permission={manageDevices}>
			{(view) => <Screens app={app} view={view} resource={resource} start={params["code"] ?? ""} />}
		</Loaded>
	);
}

interface ScreensProps {
	readonly app: App;
	readonly view: DeviceList;
	readonly resource: Resource<DeviceList>;
	readonly start: string;
}

function Screens({ app, view, resource, start }: ScreensProps) {
	const [text, setText] = useState("");
	const [renaming, setRenaming] = useKept<Device | undefined>(app, "admin/screens", "renaming", undefined);
	const now = app.clock.now();
	const there = view.devices.filter(({ revokedAt }) => revokedAt === null);
	const silent = there.filter((device) => stateOf(device, now) === "silent").length;
	const nameOf = (moduleId: string) =>
		view.displays.find((one) => one.moduleId === moduleId)?.name ?? app.moduleName(moduleId);
	const rows = there.filter(({ label, moduleId }) =>
		hasWords(`${label} ${nameOf(moduleId)}`, text.trim()),
	);
	return (
		<>
			<PageHeader
				heading={<Heading title={t("screens")} />}
				sub={w("sub", { screens: w("count", { count: there.length }), silent })}
			/>
			<FindCode app={app} start={start} onPaired={() => void resource.load()} />
			{there.length === 0 && <EmptyState title={w("none")} />}
			{there.length > many && (
				<div class="host-toolbar">
					<Filter label={w("filter")} value={text} onInput={setText} />
				</div>
			)}
			{rows.length > 0 && (
				<Table
					label={t("screens")}
					class="devices"
					rows={rows}
					rowId={({ id }) => id}
					columns={[
						{
							id: "name",
							head: w("screen"),
							part: "title",
							cell: (device) => (
								<span class="host-thing">
									<Tile icon="screen" lit={stateOf(device, now) === "live"} />
									<bdi class="d-name">{device.label}</bdi>
								</span>
							),
						},
						{
							id: "state",
							head: w("state"),
							width: "11rem",
							cell: (device) => <State state={stateOf(device, now)} />,
						},
						{ id: "shows", head: w("shows"), cell: ({ moduleId }) => <bdi>{nameOf(moduleId)}</bdi> },
						{
							id: "seen",
							head: w("seen"),
							cell: (device) => <span class="d-second">{seenOf(device, now)}</span>,
						},
						{
							id: "more",
							head: t("more"),
							hideHead: true,
							part: "actions",
							width: "44px",
							cell: (device) => (
								<More app={app} device={device} resource={resource} onRename={() => setRenaming(device)} />
							),
						},
					]}
				/>
			)}
			{there.length > 0 && rows.length === 0 && <p>{t("noMatch")}</p>}
			{silent > 0 && <p class="d-second host-silent-help">{w("silentHelp")}</p>}
			<Addresses app={app} displays={view.displays} />
			{renaming && (
				<Rename app={app} device={renaming} resource={resource} onClose={() => setRenaming(undefined)} />
			)}
		</>
	);
}

type DeviceState = "live" | "silent" | "waiting";

function stateOf({ lastSeenAt }: Device, now: number): DeviceState {
	if (lastSeenAt === null) return "waiting";
	return now - Date.parse(lastSeenAt) < silence ? "live" : "silent";
}

function State({ state }: { readonly state: DeviceState }) {
	return (
		<Chip
			tone={state === "live" ? "ok" : state === "silent" ? "warn" : "info"}
			door={state === "live" ? "lit" : state === "silent" ? "shut" : "half"}
		>
			{w(state)}
		</Chip>
	);
}

const notSeenFor = {
	day: "notSeenForDays",
	hour: "notSeenForHours",
	minute: "notSeenForMinutes",
	second: "notSeenForSeconds",
} as const;

function seenOf(device: Device, now: number): string {
	if (device.lastSeenAt === null) return w("never");
	if (stateOf(device, now) === "live") return w("seenAt", { when: ago(device.lastSeenAt, now) });
	const { count, unit } = elapsed(device.lastSeenAt, now);
	return w(notSeenFor[unit], { count });
}

interface DeviceProps {
	readonly app: App;
	readonly device: Device;
	readonly resource: Resource<DeviceList>;
}

function More({ app, device, resource, onRename }: DeviceProps & { onRename(): void }) {
	return (
		<Menu
			label={w("more", { name: device.label })}
			items={[
				{ id: "rename", label: w("rename"), icon: "pencil", onPick: onRename },
				{
					id: "remove",
					label: w("remove"),
					icon: "trash",
					grave: true,
					onPick: () => remove({ app, device, resource }),
				},
			]}
		/>
	);
}

async function remove({ app, device, resource }: DeviceProps): Promise<void> {
	const { id, label: name } = device;
	const agreed = await app.questions.ask({
		title: w("removeTitle", { name }),
		body: [w("stopsSoon"), w("again")],
		yes: w("removeIt"),
		no: w("keep"),
		danger: true,
	});
	if (!agreed) return;
	const answer = await app.data.write(removeDevice(app.platform, id), resource);
	if (answer.ok) app.announce(w("removed", { name }));
	else fail(app, answer, () => remove({ app, device, resource }));
}

const wordsOf = (failure: Failure): string =>
	failure.code === "DEVICE_NOT_FOUND" ? w("gone") : refusalOf(failure, manageDevices);

function fail(app: App, failure: Failure, again: () => unknown): void {
	if (failure.code === "DEVICE_NOT_FOUND") app.announce(w("gone"), "assertive");
	else refuse(app, failure, manageDevices, again);
}

function Rename({ app, device, resource, onClose }: DeviceProps & { onClose(): void }) {
	const draft = useDraft(app.drafts.of("admin/screens"), `rename/${device.id}`, device.label);
	const name = draft.value;
	const [refused, setRefused] = useState<Failure>();
	const wrong = name.trim() === "" ? w("nameNeeded") : nameError(name, 80);
	const save = async () => {
		if (wrong !== undefined) return;
		const answer = await app.data.write(renameDevice(app.platform, device.id, name.trim()), resource);
		setRefused(answer.ok ? undefined : answer);
		if (!answer.ok) return;
		app.announce(w("renamed"));
		draft.discard();
		onClose();
	};
	const cancel = async () => {
		if (await mayClose(draft, (question) => app.questions.ask(question))) onClose();
	};
	return (
		<Dialog
			title={w("renameTitle", { name: device.label })}
			onClose={cancel}
			footer={
				<>
					<Button onPress={cancel}>{t("cancel")}</Button>
					<Button kind="primary" submit>
						{w("save")}
					</Button>
				</>
			}
		>
			<Form onSubmit={save}>
				<DraftNote draft={draft} />
				{refused && (
					<Note tone="bad" role="alert">
						{wordsOf(refused)}
					</Note>
				)}
				<TextField
					label={w("newName")}
					value={name}
					maxLength={80}
					onInput={draft.set}
					error={wrong}
				/>
			</Form>
		</Dialog>
	);
}

interface AddressesProps {
	readonly app: App;
	readonly displays: readonly Display[];
}

function Addresses({ app, displays }: AddressesProps) {
	return (
		<section class="host-addresses">
			<h2>{w("addresses")}</h2>
			{displays.length === 0 && <p class="d-muted">{w("noAddresses")}</p>}
			<ul>
				{displays.map(({ moduleId, name, path }) => (
					<ListRow
						key={moduleId}
						title={<bdi>{name}</bdi>}
						second={
							<bdi dir="ltr" translate={false} class="d-code">
								{app.platform.address(path)}
							</bdi>
						}
					>
						<CopyButton
							text={app.platform.address(path)}
							label={w("copy", { module: name })}
							toasts={app.toasts}
						/>
					</ListRow>
				))}
			</ul>
		</section>
	);
}
