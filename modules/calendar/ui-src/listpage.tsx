import {
	Button, Chip, type Column, EmptyState, Menu, Note, ScreenHeader, Skeleton, Table,
} from "@narthex/kit";
import { saveFile } from "@narthex/sdk";
import { useEffect, useMemo, useState } from "preact/hooks";
import {
	ListApi, type ListRefusal, type ListResult, type Participant, type Shared, type SignUpList,
} from "./listapi";
import { listWordsOf, type SayList } from "./listwords";
import { ShareDialog } from "./sharedialog";
import { SheetForm } from "./sheetform";
import type { Tools } from "./tools";
import { whenOf } from "./when";

interface ListPageProps {
	readonly tools: Tools;
	readonly id: string;
	/** Of a series; "" for none. */
	readonly date: string;
}

/**
 * The sign-ups for an event, or for one date of it, for its organiser: what is asked, who has signed up, the
 * address for guests.
 */
export function ListPage({ tools, id, date }: ListPageProps) {
	const { context, forms } = tools;
	const say = useMemo(() => listWordsOf(context), []);
	const api = useMemo(() => new ListApi(context, id, date), [id, date]);
	const [list, setList] = useState<SignUpList>();
	const [refused, setRefused] = useState<ListRefusal>();
	const [editing, setEditing] = useState(false);
	const [shared, setShared] = useState<Shared>();
	const load = async () => {
		const result = await api.read();
		if (context.signal.aborted) return;
		setRefused(result.ok ? undefined : result.why);
		if (!result.ok) return;
		setList(result.value);
		if (date !== "") context.setTitle(say("titleOf", { date: forms.date(result.value.event.start) }));
	};
	useEffect(() => {
		context.setTitle(say("title"));
		void load();
		return context.realtime<object, { readonly event: string }>("signups", {
			snapshot: () => void load(), // a change may fall between the first answer and the snapshot
			update: ({ event }) => void (event === id && load()),
		});
	}, []);
	/** Shows why something failed, or goes on. */
	const told = <Value,>(result: ListResult<Value>, then: (value: Value) => unknown) => {
		if (context.signal.aborted) return;
		if (result.ok) return void then(result.value);
		context.announce(say(result.why), "assertive");
	};
	const finish = async () => {
		context.setDirty(false);
		setEditing(false);
		await load();
	};
	const share = async () => told(await api.share(), setShared);
	const file = async () => told(await api.file(), (table) => saveFile(table, "sign-ups.csv"));
	const endLinks = async () => {
		const question = { title: say("endQuestion"), body: say("endBody"), yes: say("endYes"), no: say("endNo") };
		if (!(await context.confirm({ ...question, danger: true }))) return;
		told(await api.endLinks(), () => context.announce(say("ended")));
	};
	const stop = async () => {
		const title = say("stopQuestion", { title: list?.event.title ?? "" });
		const question = { title, body: say("stopBody"), yes: say("stopYes"), no: say("stopNo"), danger: true };
		if (!(await context.confirm(question))) return;
		told(await api.stop(), () => {
			context.announce(say("stopped"));
			context.navigate("");
		});
	};
	const remove = async ({ id: person, name }: Participant) => {
		const question = { title: say("removeQuestionPerson", { name }), body: say("removeBody", { name }) };
		const yes = { yes: say("removeYes"), no: say("stopNo"), danger: true };
		if (!(await context.confirm({ ...question, ...yes }))) return;
		told(await api.remove(person), () => context.announce(say("removed", { name })));
		await load();
	};
	const back = <Button onPress={() => context.navigate("")}>{say("toCalendar")}</Button>;
	if (list === undefined) {
		if (refused === undefined) return <Skeleton rows={6} />;
		return (
			<Note tone="bad" role="alert">
				<p>{say(refused)}</p>
				<div class="d-row">
					<Button onPress={load}>{say("tryAgain")}</Button>
					{back}
				</div>
			</Note>
		);
	}
	const { event, off, sheet, people } = list;
	const about = `${event.title}, ${whenOf(forms, event)}`;
	if (sheet === null && off) {
		return (
			<div class="d-stack narrow">
				<ScreenHeader sub={<bdi>{about}</bdi>} actions={back} />
				<Note tone="warn">
					<p>{say("offNobody")}</p>
				</Note>
			</div>
		);
	}
	if (sheet === null || editing) {
		return (
			<div class="d-stack narrow">
				<ScreenHeader sub={<bdi>{about}</bdi>} />
				{date !== "" && <p>{say("thisDate")}</p>}
				<p>
					{say("intro")} {say("guestsSee")}
				</p>
				<SheetForm
					{...{ say, sheet }}
					touched={() => context.setDirty(true)}
					save={async (wanted) => {
						const result = await api.save(wanted, sheet?.rev);
						if (!context.signal.aborted && result.ok) {
							context.announce(say("saved"));
							await finish();
						}
						return result;
					}}
					cancel={() => (sheet === null ? (context.setDirty(false), context.navigate("")) : void finish())}
				/>
			</div>
		);
	}
	const placed = people.filter(({ waits }) => !waits).length;
	return (
		<div class="d-stack">
			<ScreenHeader
				sub={<bdi>{about}</bdi>}
				actions={
					<>
						{back}
						<Button onPress={() => window.print()}>{say("print")}</Button>
						{!off && (
							<Button kind="primary" onPress={share}>
								{say("share")}
							</Button>
						)}
						<Menu
							label={say("more")}
							items={[
								{ id: "file", label: say("file"), onPick: file },
								...(off ? [] : [{ id: "change", label: say("change"), onPick: () => setEditing(true) }]),
								{ id: "end", label: say("endLinks"), onPick: endLinks },
								{ id: "stop", label: say("stop"), onPick: stop },
							]}
						/>
					</>
				}
			/>
			<p>
				{say(sheet.places === 0 ? "takenAll" : "takenOf", { count: placed, places: sheet.places })}{" "}
				{people.length > placed && say("waiting", { count: people.length - placed })}
			</p>
			{off && (
				<Note tone="warn">
					<p>{say("off")}</p>
				</Note>
			)}
			{people.some(({ heard }) => heard === "notSetUp") && (
				<Note tone="warn">
					<p>{say("noMails")}</p>
				</Note>
			)}
			{people.length === 0 ? (
				<EmptyState title={say("nobody")} {...(off ? {} : { help: say("nobodyHelp") })} />
			) : (
				<div class="d-wide">
					<Table
						label={say("title")}
						columns={columnsOf(say, sheet.questions, remove)}
						rows={people}
						rowId={({ id }) => id}
					/>
				</div>
			)}
			{shared && <ShareDialog {...{ say, context, shared }} close={() => setShared(undefined)} />}
		</div>
	);
}

function columnsOf(
	say: SayList,
	questions: NonNullable<SignUpList["sheet"]>["questions"],
	remove: (person: Participant) => unknown,
): readonly Column<Participant>[] {
	return [
		{ id: "name", head: say("name"), part: "title", cell: ({ name }) => <bdi>{name}</bdi> },
		{
			id: "email",
			head: say("email"),
			cell: ({ email, heard }) => (
				<>
					<a href={`mailto:${email}`} dir="ltr">
						{email}
					</a>{" "}
					{heard === "refused" && <Chip tone="warn">{say("mailRefused")}</Chip>}
				</>
			),
		},
		{
			id: "place",
			head: say("place"),
			cell: ({ waits }) => (waits ? <Chip tone="warn">{say("waits")}</Chip> : say("hasPlace")),
		},
		...questions.map(({ id = "", kind, text }) => ({
			id,
			head: text,
			cell: ({ answers }: Participant) => {
				const answer = answers[id] ?? "";
				const words = kind === "yesno" && (answer === "yes" || answer === "no") ? say(answer) : answer;
				return (
					words !== "" && (
						<>
							<span class="d-in-card">{text}: </span>
							<bdi>{words}</bdi>
						</>
					)
				);
			},
		})),
		{
			id: "actions",
			head: say("remove"),
			hideHead: true,
			part: "actions",
			cell: (person) => (
				<Button kind="quiet" label={say("removeOf", { name: person.name })} onPress={() => remove(person)}>
					{say("remove")}
				</Button>
			),
		},
	];
}
