import { Button, Menu, placed, ScreenHeader, Skeleton, ZoneNote } from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Refusal, Result } from "./api";
import { CopyDialog } from "./copydialog";
import { ItemDialog, itemDraft } from "./itemdialog";
import { ItemsTable } from "./items";
import { whatHangs } from "./hangs";
import { Unread, useChanges } from "./lists";
import { type Item, limits, nameOf, type Service } from "./plan";
import { ServiceDialog, serviceDraft } from "./servicedialog";
import type { Tools } from "./tools";

interface ServiceProps {
	readonly tools: Tools;
	readonly id: string;
}

/** One order of service, which people with the permission can edit. */
export function ServiceScreen({ tools, id }: ServiceProps) {
	const { context, api, say, edits, drives, holdsWords, time, minutes } = tools;
	const [service, setService] = useState<Service>();
	const [refused, setRefused] = useState<Refusal>();
	const [renames, setRenames] = useState(false);
	const [copies, setCopies] = useState(false);
	const [written, setWritten] = useState<Item | "new">();
	const asked = useRef(0);
	const loaded = useRef(false);
	/** Opens the dialog that has words in it. */
	const openBegun = ({ items }: Service) => {
		const begun = items.find((item) => holdsWords(itemDraft(id, item.id)));
		if (holdsWords(serviceDraft(id))) setRenames(true);
		else setWritten(holdsWords(itemDraft(id)) ? "new" : begun);
	};
	const load = async () => {
		const ask = ++asked.current;
		const result = await api.service(id);
		if (context.signal.aborted || ask !== asked.current) return;
		setRefused(result.ok ? undefined : result.why);
		if (!result.ok) return;
		if (!loaded.current && edits) openBegun(result.value);
		loaded.current = true;
		setService(result.value);
		context.setTitle(result.value.title);
	};
	useEffect(() => {
		context.setTitle(say("service"));
		void load();
	}, []);
	useChanges(context, () => void load());

	/** Shows the result of a write, and the current service. */
	const after = async (result: Result<unknown>, done: string, again: () => unknown) => {
		if (result.ok) context.announce(done);
		else {
			const retries = ["offline", "failed", "busy"].includes(result.why);
			const words = say(result.why === "conflict" ? "orderConflict" : result.why);
			context.announce(words, "assertive", retries ? { label: say("tryAgain"), run: again } : undefined);
		}
		await load();
	};
	const move = async (item: string, to: number): Promise<void> => {
		if (service === undefined) return;
		const order = placed(
			service.items.map((one) => one.id),
			item,
			to,
		);
		const byId = new Map(service.items.map((one) => [one.id, one]));
		asked.current++; // an older response must not replace the current service
		setService({ ...service, items: order.flatMap((one) => byId.get(one) ?? []) });
		const result = await api.placeItem(item, order[to - 1] ?? null, service.rev);
		const title = nameOf(byId.get(item) ?? { title: "", songTitle: null });
		const words = say("moved", { title, position: to + 1, count: order.length });
		await after(result, words, () => move(item, to));
	};
	const removeItem = async (item: Item): Promise<void> => {
		const title = nameOf(item);
		const question = {
			...{ title: say("deleteItemQuestion", { title }), body: say("deleteItemHelp") },
			...{ yes: say("delete"), no: say("keep"), danger: true },
		};
		if (!(await context.confirm(question))) return;
		await after(await api.removeItem(item.id), say("deleted"), () => removeItem(item));
	};
	const copied = async (items: readonly string[]) => {
		const undo = { label: say("undo"), run: () => uncopy(items) };
		context.announce(say("copied", { count: items.length }), "polite", undo);
		await load();
	};
	const uncopy = async (items: readonly string[]): Promise<void> => {
		for (const item of items) {
			const result = await api.removeItem(item);
			if (!result.ok && result.why !== "gone") return after(result, "", () => uncopy(items));
		}
		await after({ ok: true, value: undefined }, say("undone"), () => undefined);
	};
	/** Writes the service as it was before it was moved. */
	const moveBack = async (was: Service, rev: number): Promise<void> => {
		const { title, startsAt } = was;
		const result = await api.editService(id, { title, startsAt, rev });
		await after(result, say("undone"), () => moveBack(was, rev));
	};
	const remove = async (): Promise<void> => {
		const hangs = await whatHangs(tools, id, "cancel");
		if (context.signal.aborted) return;
		const question = {
			title: say("cancelServiceQuestion"),
			body: [...hangs, say("cancelServiceHelp", { title: service?.title ?? "" })].join(" "),
			...{ yes: say("cancelIt"), no: say("keep"), danger: true },
		};
		if (!(await context.confirm(question))) return;
		const result = await api.removeService(id);
		if (!result.ok && result.why !== "gone") return after(result, "", remove);
		context.announce(say("cancelled"), "polite", { label: say("undo"), run: restore });
		context.navigate("");
	};
	const restore = async (): Promise<void> => {
		const result = await api.restoreService(id);
		context.announce(result.ok ? say("undone") : say(result.why), result.ok ? "polite" : "assertive");
	};

	if (service === undefined) {
		return refused === undefined ? <Skeleton rows={6} /> : <Unread tools={tools} why={refused} retry={load} />;
	}
	const seconds = service.items.reduce((all, item) => all + item.seconds, 0);
	return (
		<>
			<ScreenHeader
				sub={
					<>
						{`${time(service.startsAt)} · ${say("countItems", { count: service.items.length })}${
						seconds > 0 ? ` · ${minutes(seconds)}` : ""
					}`}
						<ZoneNote after />
					</>
				}
				actions={
					<>
						{service.items.length > 0 && (
							<Button icon="print" onPress={() => context.navigate(`sheet/${id}`)}>
								{say("print")}
							</Button>
						)}
						{drives && (
							<Button kind="primary" icon="play" onPress={() => context.navigate(`live/${id}`)}>
								{say("drive")}
							</Button>
						)}
						{edits && (
							<Menu
								label={say("more")}
								items={[
									{ id: "copy", label: say("copyOrder"), icon: "copy", onPick: () => setCopies(true) },
									{ id: "edit", label: say("editService"), icon: "pencil", onPick: () => setRenames(true) },
									{ id: "delete", label: say("cancelService"), icon: "trash", grave: true, onPick: remove },
								]}
							/>
						)}
					</>
				}
			/>
			<ItemsTable tools={tools} service={service} move={move} edit={setWritten} remove={removeItem} />
			{edits && (
				<div class="d-row further">
					<Button icon="plus" disabled={service.items.length >= limits.items} onPress={() => setWritten("new")}>
						{say("addItem")}
					</Button>
					{service.items.length === 0 && (
						<Button icon="copy" onPress={() => setCopies(true)}>
							{say("copyOrder")}
						</Button>
					)}
					{service.items.length >= limits.items && <p class="d-muted">{say("serviceFull")}</p>}
				</div>
			)}
			{renames && (
				<ServiceDialog
					tools={tools}
					service={service}
					close={() => setRenames(false)}
					saved={load}
					back={(rev) => moveBack(service, rev)}
				/>
			)}
			{copies && (
				<CopyDialog tools={tools} service={service} close={() => setCopies(false)} copied={copied} />
			)}
			{written !== undefined && (
				<ItemDialog
					tools={tools}
					service={service.id}
					{...(written === "new" ? {} : { item: written })}
					close={() => setWritten(undefined)}
					saved={load}
				/>
			)}
		</>
	);
}
