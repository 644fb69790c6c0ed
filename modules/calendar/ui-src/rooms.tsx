import {
	Button, DraftNote, EmptyState, Form, ListRow, mayClose, Note, ScreenHeader, Skeleton, TextField, useDraft,
} from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { Refusal } from "./api";
import type { Room } from "./event";
import { tell, type Tools } from "./tools";

interface Named {
	readonly name: string;
	/** The room to be renamed; none for a new one. */
	readonly renamed?: Room;
}

const differ = (typed: Named, base: Named): boolean => typed.name !== base.name;

/** The rooms that can be booked. */
export function Rooms({ tools }: { readonly tools: Tools }) {
	const { context, api, say } = tools;
	const [rooms, setRooms] = useState<readonly Room[]>();
	const [refused, setRefused] = useState<Refusal>();
	const draft = useDraft<Named>(context.drafts, "rooms", { name: "" }, differ);
	const { name, renamed } = draft.value;
	const [wrong, setWrong] = useState<Refusal>();
	const load = async () => {
		const result = await api.rooms();
		if (context.signal.aborted) return;
		setRefused(result.ok ? undefined : result.why);
		if (result.ok) setRooms(result.value.rooms);
	};
	useEffect(() => {
		context.setTitle(say("rooms"));
		void load();
		const follow = () => void load(); // a change may fall between the first answer and the snapshot
		return context.realtime("events", { snapshot: follow, update: follow });
	}, []);
	const save = async () => {
		if (name.trim() === "") return setWrong("invalid");
		const result = await (renamed === undefined ? api.addRoom(name) : api.renameRoom(renamed, name));
		if (context.signal.aborted) return;
		setWrong(result.ok ? undefined : result.why);
		if (!result.ok) return result.why === "conflict" ? seeTheirs() : undefined;
		context.announce(say("saved"));
		draft.begin({ name: "" });
		await load();
	};
	/** Reads the name that somebody else has given the room. Saving again replaces it. */
	const seeTheirs = async () => {
		const result = await api.rooms();
		if (context.signal.aborted || !result.ok) return;
		setRooms(result.value.rooms);
		const theirs = result.value.rooms.find(({ id }) => id === renamed?.id);
		if (theirs) draft.set((before) => ({ ...before, renamed: theirs }));
	};
	const remove = async (room: Room) => {
		const result = await api.removeRoom(room.id);
		tell(
			tools,
			result,
			say("roomDeleted", { name: room.name }),
			() => remove(room),
			async () => {
				await api.addRoom(room.name);
				await load();
			},
		);
		await load();
	};
	const change = async (room: Room | undefined) => {
		if (!(await mayClose(draft, context.confirm))) return;
		draft.begin(room === undefined ? { name: "" } : { name: room.name, renamed: room });
		setWrong(undefined);
	};
	if (rooms === undefined) {
		return refused === undefined ? (
			<Skeleton shape="form" />
		) : (
			<Note tone="bad" role="alert">
				<p>{say(refused)}</p>
				<Button onPress={load}>{say("tryAgain")}</Button>
			</Note>
		);
	}
	return (
		<>
			<ScreenHeader actions={<Button onPress={() => context.navigate("")}>{say("toCalendar")}</Button>} />
			<div class="d-stack narrow">
				{rooms.length === 0 ? (
					<EmptyState title={say("noRooms")} help={say("roomsHelp")} />
				) : (
					<ul class="d-list d-wide">
						{rooms.map((room) => (
							<ListRow key={room.id} title={<bdi>{room.name}</bdi>}>
								<Button
									kind="quiet"
									label={say("renameOf", { name: room.name })}
									onPress={() => change(room)}
								>
									{say("rename")}
								</Button>
								<Button
									kind="quiet"
									label={say("deleteOf", { name: room.name })}
									onPress={() => remove(room)}
								>
									{say("delete")}
								</Button>
							</ListRow>
						))}
					</ul>
				)}
				<Form onSubmit={save}>
					<DraftNote draft={draft} discard={() => draft.begin({ name: "" })} />
					<TextField
						label={renamed === undefined ? say("newRoom") : say("renameOf", { name: renamed.name })}
						maxLength={60}
						value={name}
						error={
							wrong &&
							(wrong === "conflict" && renamed
								? say("renamedMeanwhile", { name: renamed.name })
								: say(wrong === "invalid" ? "nameNeeded" : wrong))
						}
						onInput={(typed) => draft.set({ ...draft.value, name: typed })}
					/>
					<div class="d-row">
						<Button submit kind="primary">
							{say(renamed === undefined ? "addRoom" : "save")}
						</Button>
						{renamed && <Button onPress={() => change(undefined)}>{say("cancel")}</Button>}
					</div>
				</Form>
			</div>
		</>
	);
}
