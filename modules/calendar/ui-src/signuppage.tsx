import { Button, houseTime, Note, Skeleton, ZoneNote } from "@narthex/kit";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Forms } from "./days";
import type { Signed, SignedUp, SignUp, SignUpApi } from "./signup";
import { inWords, SignUpForm } from "./signupform";
import type { SaySignUp, SignUpWordId } from "./signupwords";
import { whenOf } from "./when";

interface SignUpPageProps {
	readonly api: SignUpApi;
	readonly say: SaySignUp;
	readonly signal: AbortSignal;
	/** Tells somebody who is signed in what they have done. A guest reads it on the page. */
	readonly tell?: (words: string) => void;
	/** What follows below, such as the way back. */
	readonly children?: ComponentChildren;
}

/** The page on which people sign up for an event, see their sign-up, and withdraw. */
export function SignUpPage({ api, say, signal, tell, children }: SignUpPageProps) {
	const guest = tell === undefined;
	const [shown, setShown] = useState<SignUp>();
	const [refused, setRefused] = useState<SignUpWordId>();
	const [done, setDone] = useState<SignedUp & { readonly email: string }>();
	const [left, setLeft] = useState(false);
	const load = async () => {
		const result = await api.read();
		if (signal.aborted) return;
		setRefused(result.ok ? undefined : result.why);
		if (result.ok) setShown(result.value);
	};
	useEffect(() => void load(), []);
	const send = async (who: Signed) => {
		const result = await api.signUp(who);
		if (signal.aborted) return;
		if (result.ok && guest) setDone({ ...result.value, email: who.email.trim() });
		else await load(); // what has changed meanwhile, or one's own sign-up
		if (signal.aborted) return;
		setLeft(false);
		setRefused(result.ok ? undefined : result.why);
		if (result.ok) tell?.(say(result.value.waits ? "thanksQueue" : "thanks"));
	};
	const withdraw = async () => {
		const result = await api.withdraw();
		if (signal.aborted) return;
		setRefused(result.ok ? undefined : result.why);
		setLeft(result.ok);
		if (!result.ok || guest) return;
		tell?.(say("withdrawn"));
		await load();
	};
	const again = async () => {
		setDone(undefined);
		await load();
	};
	if (shown === undefined) {
		return (
			<div class="signup d-stack" lang={say.language}>
				{refused === undefined ? (
					<Skeleton rows={4} />
				) : (
					<Note tone="bad" role="alert">
						<p>{say(refused)}</p>
						{["offline", "busy", "failed"].includes(refused) && (
							<Button kind="primary" onPress={load}>
								{say("tryAgain")}
							</Button>
						)}
					</Note>
				)}
				{children}
			</div>
		);
	}
	const { event, own } = shown;
	return (
		<div class="signup d-stack" lang={say.language}>
			{guest ? <h1 dir="auto">{event.title}</h1> : <h2 dir="auto">{event.title}</h2>}
			<p>
				<strong>{whenOf(new Forms(say.language), event)}</strong>
			</p>
			{event.series && <p class="d-muted">{say("thisDate")}</p>}
			<ZoneNote />
			{event.text !== "" && (
				<p class="words" dir="auto">
					{event.text}
				</p>
			)}
			<div class="d-stack" role="status">
				{left && guest && (
					<Note tone="ok">
						<p>{say("withdrawn")}</p>
					</Note>
				)}
				{done && (
					<Note tone="ok">
						<p>
							<strong>{say(done.waits ? "thanksQueue" : "thanks")}</strong>
						</p>
						<p>{say(done.waits ? "mailTells" : "mailComes", { email: done.email })}</p>
					</Note>
				)}
			</div>
			{done ? (
				<div class="d-row">
					{done.address && (
						<a class="d-button" href={done.address}>
							{say("seeOwn")}
						</a>
					)}
					<Button onPress={again}>{say("another")}</Button>
				</div>
			) : left && guest ? null : own !== null ? (
				<Own {...{ say, shown, refused, withdraw }} />
			) : (
				<Offer {...{ say, shown, refused, send }} />
			)}
			{children}
		</div>
	);
}

interface OfferProps {
	readonly say: SaySignUp;
	readonly shown: SignUp;
	readonly refused: SignUpWordId | undefined;
	send(who: Signed): Promise<void>;
}

/** How many places are free and until when, and the form. */
function Offer({ say, shown, refused, send }: OfferProps) {
	const { places, free, queue, waiting, open, closes, questions } = shown;
	const moment = houseTime(say.language, {
		...{ weekday: "long", day: "numeric", month: "long", hour: "numeric", minute: "2-digit" },
	});
	if (!open) return <p>{say("closedSince")}</p>;
	const full = places > 0 && free === 0;
	if (full && !queue) return <p>{say(refused === "full" ? "full" : "fullNow")}</p>;
	return (
		<>
			<p>
				{full
					? say(waiting > 0 ? "fullQueueWith" : "fullQueue", { count: waiting })
					: places > 0 && say("freePlaces", { count: free })}{" "}
				{say("closesAt", { when: moment(closes) })}
			</p>
			<SignUpForm {...{ say, questions, refused, send }} submit={say(full ? "joinQueue" : "signUp")} />
		</>
	);
}

interface OwnProps {
	readonly say: SaySignUp;
	readonly shown: SignUp;
	readonly refused: SignUpWordId | undefined;
	withdraw(): Promise<void>;
}

/** One's own sign-up. Withdrawing is asked once more, because it cannot be undone. */
function Own({ say, shown: { own, questions, begun }, refused, withdraw }: OwnProps) {
	const [asked, setAsked] = useState(false);
	if (own === null) return null;
	const answered = questions.filter(({ id = "" }) => own.answers[id] !== undefined);
	return (
		<section class="d-card d-stack">
			<p>
				<strong>{own.waits ? say("turn", { turn: own.turn }) : say("placed")}</strong>
			</p>
			<p class="d-muted" dir="auto">
				{say("signedAs", { name: own.name, email: own.email })}
			</p>
			{answered.length > 0 && (
				<dl>
					{answered.map((question) => (
						<div key={question.id}>
							<dt dir="auto">{question.text}</dt>
							<dd dir="auto">{inWords(say, question, own.answers[question.id ?? ""])}</dd>
						</div>
					))}
				</dl>
			)}
			{refused !== undefined && (
				<Note tone="bad" role="alert">
					<p>{say(refused)}</p>
				</Note>
			)}
			{!begun &&
				(asked ? (
					<>
						<p>{say(own.waits ? "withdrawSureQueue" : "withdrawSure")}</p>
						<div class="d-row">
							<Button kind="danger" onPress={withdraw}>
								{say("withdraw")}
							</Button>
							<Button onPress={() => setAsked(false)}>{say("keep")}</Button>
						</div>
					</>
				) : (
					<div class="d-row">
						<Button onPress={() => setAsked(true)}>{say("withdraw")}</Button>
					</div>
				))}
		</section>
	);
}
