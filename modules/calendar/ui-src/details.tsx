import { Button, Dialog, Menu, Note } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { Event, Occurrence, Room } from "./event";
import { mayChange, mayConcern } from "./hangs";
import { ListsOff } from "./listsoff";
import { pathOf } from "./pages";
import { repeatOf, sentenceOf } from "./repeat";
import type { SignUpDate } from "./signedup";
import { namesOf, tell, type Tools } from "./tools";
import { whenOf } from "./when";

interface DetailsProps {
	readonly tools: Tools;
	readonly one: Occurrence;
	readonly rooms: readonly Room[];
	close(): void;
	/** Called after every change. */
	changed(): unknown;
}

/** An event with its time and place, and actions for people who manage events. */
export function Details({ tools, one, rooms, close, changed }: DetailsProps) {
	const { api, say, context } = tools;
	const manages = one.service ? tools.plans : tools.manages;
	const [event, setEvent] = useState<Event>();
	useEffect(() => {
		if (!one.repeats) return;
		void api
			.event(one.event)
			.then((result) => result.ok && !context.signal.aborted && setEvent(result.value));
	}, []);
	const where = namesOf(rooms, one.rooms);
	const edit = (how: string) => {
		close();
		context.navigate(`edit/${one.event}${how}`);
	};
	/** Asks whoever cancels dates for which people have signed up. */
	const mayCancel = (concerns: (date: SignUpDate) => boolean) => {
		close();
		return mayConcern(tools, { event: one.event, title: one.title, deed: "cancel", concerns });
	};
	const remove = async () => {
		if (!(await mayCancel(() => true))) return;
		const result = await api.remove(one.event);
		tell(tools, result, say("deleted", { title: one.title }), remove, () => restore());
		changed();
	};
	const restore = async () => {
		tell(tools, await api.restore(one.event), say("restored"), restore);
		changed();
	};
	const cancelService = async () => {
		close();
		if (!(await mayChange(tools, one.event, one.title, "cancel"))) return;
		const result = await api.cancelService(one.event);
		tell(tools, result, say("serviceCancelled", { title: one.title }), cancelService, () => bringBack());
		changed();
	};
	const bringBack = async () => {
		tell(tools, await api.restoreService(one.event), say("restored"), bringBack);
		changed();
	};
	const cancel = async () => {
		if (!(await mayCancel(({ date }) => date === one.date))) return;
		const result = await api.cancelDate(one.event, one.date, one.rev);
		tell(tools, result, say("cancelled", { title: one.title }), cancel, ({ rev }) => uncancel(rev));
		changed();
	};
	const uncancel = async (rev: number) => {
		tell(tools, await api.restoreDate(one.event, one.date, rev), say("restored"), () => uncancel(rev));
		changed();
	};
	const end = async () => {
		if (!(await mayCancel(({ date }) => date >= one.date))) return;
		const result = await api.endBefore(one.event, one.date, one.rev);
		tell(tools, result, say("ended", { title: one.title }), end, goOn);
		changed();
	};
	const goOn = async ({ id, title, text, start, end: until, rule, rooms: booked, rev }: Event) => {
		const body = { title, text, start, end: until, rule, rooms: booked, rev };
		tell(tools, await api.edit(id, body), say("restored"), changed);
		changed();
	};
	const of = pathOf(one.event, one.repeats ? one.date : "");
	const first = event !== undefined && event.start.slice(0, 10) === one.date.slice(0, 10);
	return (
		<Dialog
			title={one.title}
			size="medium"
			onClose={close}
			footer={
				<>
					{manages && one.repeats && (
						<span class="d-effect">
							<Menu
								label={say("delete")}
								words={say("delete")}
								items={[
									{ id: "one", label: say("cancelOne"), onPick: cancel },
									...(first ? [] : [{ id: "following", label: say("endHere"), onPick: end }]),
									{ id: "all", label: say("deleteAll"), onPick: remove },
								]}
							/>
						</span>
					)}
					{manages && !one.repeats && (
						<span class="d-effect">
							<Button kind="quiet" icon="trash" onPress={one.service ? cancelService : remove}>
								{say(one.service ? "cancelService" : "delete")}
							</Button>
						</span>
					)}
					<Button onPress={close}>{say("close")}</Button>
					{manages && !one.repeats && (
						<Button kind="primary" onPress={() => edit("")}>
							{say("edit")}
						</Button>
					)}
					{manages && one.repeats && (
						<Menu
							label={say("edit")}
							words={say("edit")}
							class="d-primary"
							items={[
								{ id: "one", label: say("scopeOne"), onPick: () => edit(`/one/${one.date}`) },
								{
									id: "following",
									label: say("scopeFollowing"),
									onPick: () => edit(`/following/${one.date}`),
								},
								{ id: "all", label: say("scopeAll"), onPick: () => edit("") },
							]}
						/>
					)}
				</>
			}
		>
			<p>{whenOf(tools.forms, one)}</p>
			{event && <p class="d-muted">{sentenceOf(tools, repeatOf(event.rule, event.start), event.start)}</p>}
			{one.service && (
				<p>
					<a href={`#/m/stage/service/${one.event}`}>{say("orderOfService")}</a>
				</p>
			)}
			{one.changed && <p class="d-muted">{say("changedDate")}</p>}
			{where !== "" && (
				<p>
					<bdi>{where}</bdi>
				</p>
			)}
			{one.waiting.length > 0 && (
				<Note tone="warn">
					<p>{say("waitsFor", { rooms: namesOf(rooms, one.waiting) })}</p>
				</Note>
			)}
			{(one.signUp || tools.manages) && (
				<div class="d-row">
					{one.signUp && tools.signsUp && (
						<Button
							kind={tools.manages ? "secondary" : "primary"}
							onPress={() => {
								close();
								context.navigate(`signup/${of}`);
							}}
						>
							{say(one.repeats ? "signUpDate" : "signUp")}
						</Button>
					)}
					{tools.manages && (
						<Button
							onPress={() => {
								close();
								context.navigate(`signups/${of}`);
							}}
						>
							{say(`${one.signUp ? "signUps" : "takeSignUps"}${one.repeats ? "Date" : ""}`)}
						</Button>
					)}
				</div>
			)}
			{tools.manages && !one.service && <ListsOff {...{ tools, event: one.event, close }} />}
			{one.text !== "" && (
				<p class="words" dir="auto">
					{one.text}
				</p>
			)}
		</Dialog>
	);
}
