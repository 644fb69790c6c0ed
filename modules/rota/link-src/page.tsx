import { Button, EmptyState, houseTime, Note, Skeleton, ZoneNote } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { MyDate, StandIn } from "../ui-src/api";
import type { Say } from "../ui-src/words";
import type { Linked, LinkApi, Result, Said } from "./api";

export interface LinkPageProps {
	readonly api: LinkApi;
	readonly say: Say;
	readonly signal: AbortSignal;
}

/** The dates of one volunteer, with a question for each that waits for an answer. */
export function LinkPage({ api, say, signal }: LinkPageProps) {
	const [linked, setLinked] = useState<Linked>();
	const [told, setTold] = useState<{ readonly words: string; readonly failed: boolean }>();
	const moment = houseTime(say.language, {
		...{ weekday: "long", day: "numeric", month: "long", hour: "numeric", minute: "2-digit" },
	});
	const load = async () => {
		const result = await api.read();
		if (signal.aborted) return;
		if (result.ok) setLinked(result.value);
		else if (linked === undefined) setTold({ words: say(result.why), failed: true });
	};
	useEffect(() => void load(), []);
	const run = async <Value,>(done: (value: Value) => string, ask: () => Promise<Result<Value>>) => {
		const result = await ask();
		if (signal.aborted) return;
		setTold(
			result.ok ? { words: done(result.value), failed: false } : { words: say(result.why), failed: true },
		);
		await load();
	};
	const answer = (date: MyDate, said: Said) =>
		run(
			() => say(said === "open" ? "link.takenBack" : "link.thanks"),
			() => api.answer(date, said),
		);
	const seek = (date: MyDate) =>
		run<{ asked: number }>(
			({ asked }) => say("sought", { count: asked }),
			() => api.seekSubstitute(date),
		);
	const take = (one: StandIn) =>
		run(
			() => say("taken"),
			() => api.takeOver(one),
		);
	return (
		<div class="rota-link" lang={say.language}>
			<p class="told" role="status" data-failed={told?.failed}>
				{told?.words}
			</p>
			{linked === undefined ? (
				told === undefined ? (
					<Skeleton rows={4} />
				) : (
					<Button kind="primary" onPress={load}>
						{say("tryAgain")}
					</Button>
				)
			) : (
				<>
					<h1>{say("link.title", { name: linked.volunteer?.label ?? "" })}</h1>
					{linked.standIns.map((one) => (
						<section key={one.id} class="d-card d-stack">
							<h2>{moment(one.service.start)}</h2>
							<p dir="auto">{say("link.standIn", { role: one.role, name: one.name })}</p>
							<Button kind="primary" wide onPress={() => take(one)}>
								{say("take")}
							</Button>
						</section>
					))}
					{linked.dates.length + linked.standIns.length === 0 && (
						<EmptyState title={say("link.nothing")} />
					)}
					{linked.dates.map((date) => (
						<Question
							key={date.id}
							{...{ say, date }}
							when={moment(date.service.start)}
							was={date.was === null ? "" : moment(date.was)}
							answer={(said) => answer(date, said)}
							seek={() => seek(date)}
						/>
					))}
					<ZoneNote />
					{linked.connected && (
						<Note>
							<p>
								{say("link.connected")} <a href={linked.dashboard}>{say("link.signIn")}</a>
							</p>
						</Note>
					)}
				</>
			)}
		</div>
	);
}

interface QuestionProps {
	readonly say: Say;
	readonly date: MyDate;
	readonly when: string;
	/** The start that they said yes to, of a service that was moved since; "" for none. */
	readonly was: string;
	answer(said: Said): Promise<void>;
	seek(): Promise<void>;
}

/** One date: what is asked, or what was said and how to take it back. */
function Question({ say, date, when, was, answer, seek }: QuestionProps) {
	const { role, service, status, others, seeking } = date;
	const about = `${role}, ${when}`;
	const titled = `rota-link-${date.id}`;
	return (
		<section class="d-card d-stack" aria-labelledby={titled}>
			<h2 id={titled}>{when}</h2>
			<p dir="auto">
				<strong>{role}</strong>
				<br />
				<span class="d-muted">{service.title}</span>
			</p>
			{others.length > 0 && (
				<p class="d-muted" dir="auto">
					{say("servesTogether", { people: others.map(({ role, name }) => `${name} (${role})`).join(", ") })}
				</p>
			)}
			{was !== "" && status === "open" && <p>{say("wasThen", { when: was })}</p>}
			{status === "open" ? (
				<>
					<p>{say("link.question")}</p>
					<div class="answers">
						<Button
							kind="primary"
							label={say("answerTo", { answer: say("answer.yes"), about })}
							onPress={() => answer("yes")}
						>
							{say("answer.yes")}
						</Button>
						<Button
							label={say("answerTo", { answer: say("answer.no"), about })}
							onPress={() => answer("no")}
						>
							{say("answer.no")}
						</Button>
					</div>
				</>
			) : (
				<>
					<p>{say(seeking ? "link.seeking" : status === "yes" ? "link.saidYes" : "link.saidNo")}</p>
					<div class="answers">
						<Button
							key="undo"
							label={say("answerTo", { answer: say("link.undo"), about })}
							onPress={() => answer("open")}
						>
							{say("link.undo")}
						</Button>
					</div>
				</>
			)}
			{status !== "no" && !seeking && (
				<Button
					kind="text"
					wide
					label={say("answerTo", { answer: say("link.seek"), about })}
					onPress={() => seek()}
				>
					{say("link.seek")}
				</Button>
			)}
		</section>
	);
}
