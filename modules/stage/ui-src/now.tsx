import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { chordedLine } from "../display-src/chorded";
import {
	clockOf, countdownOf, isUrgent, type PlacedChord, secondsLeft, type Step, type Timer,
} from "../display-src/shown";
import type { Press } from "./api";
import type { Live, Plan } from "./plan";
import type { Tools } from "./tools";

interface NowProps {
	readonly tools: Tools;
	readonly plan: Plan;
	readonly live: Live;
	/** The index of the current item. */
	readonly at: number;
	readonly children: ComponentChildren;
}

/** What the screens show, and what comes next. */
export function Now({ tools, plan, live, at, children }: NowProps) {
	const { say } = tools;
	const counting = useCountdown(tools, plan, live) || undefined;
	const item = plan.items[at];
	const step = item?.steps[live.section];
	const next = item?.steps[live.section + 1] ?? plan.items[at + 1]?.steps[0];
	const off =
		live.screen === "black"
			? say("isBlack")
			: live.screen === "logo"
				? say("isLogo")
				: counting && say("isCountdown");
	const nextTitle = item?.steps[live.section + 1] ? "" : plan.items[at + 1]?.title;
	return (
		<section class="now" aria-label={say("onScreens")} data-screen={live.screen}>
			<div class="now-head">
				<h2>
					<bdi>{item?.title ?? say("nothing")}</bdi>
				</h2>
				{children}
			</div>
			{off === undefined ? <Words step={step} /> : <p class="now-off">{off}</p>}
			{live.message !== "" && (
				<p class="now-message">
					{say("messageShown")} <bdi>{live.message}</bdi>
				</p>
			)}
			<p class="now-next">
				{next === undefined ? (
					say("lastStep")
				) : (
					<>
						{say("thenComes")} <bdi>{nextTitle ? `${nextTitle}: ${next.lines[0] ?? ""}` : next.lines[0]}</bdi>
					</>
				)}
			</p>
		</section>
	);
}

/** The words of a step, with their chords. */
function Words({ step }: { readonly step: Step | undefined }) {
	const { lines = [], chords } = step ?? {};
	if (chords === undefined) {
		return (
			<p class="now-words" dir="auto">
				{lines.join("\n")}
			</p>
		);
	}
	return (
		<div class="now-words chorded" dir="auto">
			{lines.map((line, n) => (
				<Chorded key={n} line={line} chords={chords[n] ?? []} />
			))}
		</div>
	);
}

/** A line with its chords above the words. */
export function Chorded({ line, chords }: { line: string; chords: readonly PlacedChord[] }) {
	const words = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => words.current?.replaceChildren(chordedLine(line, chords)), [line, chords]);
	return <div ref={words} />;
}

/** Whether the screens count down to the start of a service. */
export function useCountdown({ context }: Tools, { startsAt }: Plan, { screen }: Live): boolean {
	const [now, setNow] = useState(context.serverNow());
	useEffect(() => {
		if (screen !== "countdown") return;
		const ticking = setInterval(() => setNow(context.serverNow()), 250);
		return () => clearInterval(ticking);
	}, [screen]);
	return countdownOf({ screen, startsAt }, Math.max(now, context.serverNow())) !== undefined;
}

interface StripProps {
	readonly tools: Tools;
	readonly steps: readonly Step[];
	readonly at: number;
	/** Somebody else drives. */
	readonly off: boolean;
	press(press: Press): Promise<void>;
}

/** The parts of the item. The one on the screens is marked. */
export function Strip({ tools: { say }, steps, at, off, press }: StripProps) {
	const strip = useRef<HTMLDivElement>(null);
	useEffect(() => {
		const active = strip.current?.querySelector<HTMLElement>("[aria-current]");
		const holder = strip.current;
		if (!active || !holder) return;
		const [inner, outer] = [active.getBoundingClientRect(), holder.getBoundingClientRect()];
		holder.scrollBy({ left: inner.left + inner.width / 2 - outer.left - outer.width / 2 });
	}, [at, steps]);
	if (steps.length < 2) return null;
	return (
		<div class="strip" role="group" aria-label={say("parts")} ref={strip}>
			{steps.map((step, n) => (
				<button
					key={n}
					type="button"
					aria-current={n === at ? "step" : undefined}
					aria-disabled={off || undefined}
					onClick={() => void (off || n === at || press({ action: "section", section: n }))}
				>
					<bdi>{step.label || String(n + 1)}</bdi>
				</button>
			))}
		</div>
	);
}

/** The remaining time, by the server's clock. */
export function TimeLeft({ tools: { context, say }, timer }: { tools: Tools; timer: Timer | null }) {
	const [now, setNow] = useState(context.serverNow());
	useEffect(() => {
		const ticking = setInterval(() => setNow(context.serverNow()), 250);
		return () => clearInterval(ticking);
	}, []);
	if (timer === null) return null;
	const seconds = secondsLeft(timer, now);
	return (
		<span class={isUrgent(seconds) ? "time-left urgent" : "time-left"} dir="ltr">
			<span class="d-unseen">{say(seconds < 0 ? "timeOver" : "timeLeft")} </span>
			{clockOf(seconds)}
		</span>
	);
}
