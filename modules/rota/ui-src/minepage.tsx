import { Button, EmptyState, ScreenHeader, Skeleton, ZoneNote } from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Answer, Failed, Mine, MyDate, StandIn } from "./api";
import { Away } from "./away";
import { Dates } from "./dates";
import { Refused } from "./refused";
import type { Tools } from "./tools";
import { Wishes } from "./wishes";

/** How often a person's own dates are read again while they are visible, in milliseconds. */
const every = 60_000;

/** A person's own dates and days away. */
export function MinePage({ tools }: { readonly tools: Tools }) {
	const { context, api, say, tell } = tools;
	const [mine, setMine] = useState<Mine>();
	const [refused, setRefused] = useState<Failed>();
	const asked = useRef(0);
	const whole = useRef<HTMLDivElement>(null);
	const load = async () => {
		const ask = ++asked.current;
		const result = await api.mine();
		if (context.signal.aborted || ask !== asked.current) return;
		setRefused(result.ok ? undefined : result);
		if (result.ok) setMine(result.value);
	};
	useEffect(() => {
		context.setTitle(say("tabMine"));
		void load();
		const stop = new AbortController();
		const seen = () => {
			if (document.visibilityState === "visible") void load();
		};
		document.addEventListener("visibilitychange", seen, stop);
		const timer = setInterval(seen, every);
		return () => {
			stop.abort();
			clearInterval(timer);
		};
	}, []);
	const answer = async (date: MyDate, said: Answer): Promise<void> => {
		const result = await api.answer(date, said);
		tell(result, say("answered"), undefined, () => answer(date, said));
		await load();
	};
	const seek = async (date: MyDate): Promise<void> => {
		const result = await api.seekSubstitute(date);
		tell(result, result.ok ? say("sought", { count: result.value.asked }) : "", undefined, () => seek(date));
		await load();
	};
	const take = async (date: StandIn): Promise<void> => {
		tell(await api.takeOver(date), say("taken"), undefined, () => take(date));
		await load();
	};
	if (mine === undefined) {
		if (refused === undefined) return <Skeleton rows={4} />;
		return <Refused tools={tools} refused={refused} again={load} />;
	}
	if (mine.volunteer === null) return <EmptyState title={say("notClaimed")} help={say("notClaimedHelp")} />;
	const toAway = () => whole.current?.querySelector<HTMLInputElement>("form input")?.focus();
	const open = mine.dates.filter(({ status }) => status === "open").length;
	return (
		<>
			<ScreenHeader
				sub={
					<>
						{open > 0 && say("openRequests", { count: open })}
						<ZoneNote after={open > 0} />
					</>
				}
				actions={
					// below many dates nobody looks for it
					<>
						<Button icon="calendar" onPress={toAway}>
							{say("awayTitle")}
						</Button>
						<a class="d-button" href="#/account/calendars">
							{say("onPhone")}
						</a>
					</>
				}
			/>
			<div class="mine" ref={whole}>
				{mine.standIns.length > 0 && (
					<section class="d-card d-stack" aria-labelledby="rota-stand-ins">
						<h2 id="rota-stand-ins">{say("standIns")}</h2>
						<ul class="days">
							{mine.standIns.map((one) => {
								const { id, service, role, name } = one;
								const about = say("standIn", { role, when: tools.moment(service.start), name });
								return (
									<li key={id}>
										<span dir="auto">{about}</span>
										<Button label={say("takeOf", { about })} onPress={() => take(one)}>
											{say("take")}
										</Button>
									</li>
								);
							})}
						</ul>
					</section>
				)}
				{mine.dates.length === 0 ? (
					<EmptyState title={say("noDates")} help={say("noDatesHelp")} />
				) : (
					<Dates say={say} times={tools} dates={mine.dates} answer={answer} seek={seek} />
				)}
				<Away
					{...{ tools, away: mine.volunteer.away, rev: mine.volunteer.rev, changed: load }}
					title={say("awayTitle")}
					write={(away, rev) => api.setAway(away, rev)}
				/>
				<Wishes
					{...{ tools, wishes: mine.volunteer.wishes, perMonth: mine.volunteer.perMonth, changed: load }}
					rev={mine.volunteer.rev}
					write={(wishes, perMonth, rev) => api.setWishes(wishes, perMonth, rev)}
				/>
			</div>
		</>
	);
}
