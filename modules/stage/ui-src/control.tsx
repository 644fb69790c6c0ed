import { Button, Menu, Note, ScreenHeader, Skeleton } from "@narthex/kit";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Press, Refusal } from "./api";
import { keepAwake } from "./awake";
import { type Driving, Driver } from "./driving";
import { Message } from "./message";
import type { ScreenMode } from "../display-src/shown";
import type { Plan, Service } from "./plan";
import { Order } from "./order";
import { Now, Strip, TimeLeft } from "./now";
import type { Tools } from "./tools";

/** The page that drives a service, made for one thumb. */
export function ControlScreen({ tools, id }: { readonly tools: Tools; readonly id: string }) {
	const { context, say } = tools;
	const [driving, setDriving] = useState<Driving>();
	const driver = useMemo(() => new Driver(tools, id, setDriving), []);
	useEffect(() => {
		context.setTitle(say("drive"));
		driver.start();
		return () => driver.stop();
	}, []);
	const { control, you, pending, refused } = driving ?? driver.state;
	const plan = control?.plan?.id === id ? control.plan : undefined;
	const mine = plan !== undefined && you !== undefined && control?.driver === you;
	useEffect(() => {
		if (!mine) return;
		const stop = new AbortController();
		keepAwake(stop.signal);
		listenToKeys(stop.signal, (action) => void press({ action }));
		return () => stop.abort();
	}, [mine]);

	const told = (why: Refusal | undefined, again: () => unknown) => {
		if (why === undefined) return;
		const retries = ["offline", "failed", "busy", "notSent"].includes(why);
		const words = say(why === "conflict" ? "pressConflict" : why === "denied" ? "driveDenied" : why);
		context.announce(words, "assertive", retries ? { label: say("tryAgain"), run: again } : undefined);
	};
	const offline = useOffline();
	/** Returns whether it was done. Without network it is not, not even later: the page says so already. */
	const send = async (what: Press): Promise<boolean> => {
		if (!navigator.onLine) return false;
		const why = await driver.press(what);
		told(why, () => send(what));
		return why === undefined;
	};
	const press = async (what: Press): Promise<void> => void (await send(what));
	const take = async (): Promise<void> => told(await driver.take(), take);
	const end = async () => {
		const question = { title: say("endQuestion"), body: say("endHelp"), yes: say("end"), no: say("goOn") };
		if (await context.confirm(question)) await press({ action: "end" });
	};

	if (control === undefined || you === undefined) {
		if (refused === undefined) return <Skeleton rows={4} />;
		return (
			<div class="d-stack">
				<Note tone="bad" role="alert">
					<p>{say(refused)}</p>
				</Note>
				<Button kind="primary" onPress={() => driver.retry()}>
					{say("tryAgain")}
				</Button>
			</div>
		);
	}
	if (plan === undefined) {
		const other = control.plan?.title;
		return <NotOnScreens tools={tools} other={other} id={id} pending={pending === "take"} take={take} />;
	}
	const at = plan.items.findIndex((item) => item.id === control.live.itemId);
	return (
		<div class="control">
			<ScreenHeader
				sub={<bdi>{plan.title}</bdi>}
				actions={
					mine && (
						<Menu
							label={say("more")}
							items={[{ id: "end", label: say("endAsk"), icon: "x", grave: true, onPick: end }]}
						/>
					)
				}
			/>
			{offline && (
				<Note tone="bad" role="alert">
					<p>{say("offlineDriving")}</p>
				</Note>
			)}
			{!mine && (
				<Note tone="warn" role="status">
					<p>{say(control.driver === null ? "nobodyDrives" : "otherDrives")}</p>
					<div class="d-row">
						<Button kind="primary" busy={pending === "take"} onPress={take}>
							{say("take")}
						</Button>
					</div>
				</Note>
			)}
			<Now tools={tools} plan={plan} live={control.live} at={at}>
				<TimeLeft tools={tools} timer={control.timer} />
			</Now>
			<Strip
				tools={tools}
				steps={plan.items[at]?.steps ?? []}
				at={control.live.section}
				off={!mine}
				press={press}
			/>
			{mine && (
				<div class="screens" role="group" aria-label={say("screens")}>
					{screensOf(plan, context.serverNow(), control.live.screen).map((screen) => {
						const on = control.live.screen === screen;
						return (
							<button
								key={screen}
								type="button"
								aria-pressed={on}
								aria-busy={pending === "screen" || undefined}
								onClick={() => void press({ action: "screen", screen: on ? "live" : screen })}
							>
								{say(screen)}
							</button>
						);
					})}
					<Message tools={tools} shown={control.live.message} press={send} />
				</div>
			)}
			<Order tools={tools} plan={plan} at={at} off={!mine} press={press} />
			{mine && (
				<div class="bar">
					{(["previous", "next"] as const).map((action) => (
						<button // takes further presses while one is being sent, which the kit's Button does not
							key={action}
							type="button"
							class={action === "next" ? "d-primary" : undefined}
							aria-busy={pending === action || undefined}
							onClick={() => void press({ action })}
						>
							{pending === action && <span class="d-ring" />}
							{say(action)}
						</button>
					))}
				</div>
			)}
		</div>
	);
}

/** What can be on the screens instead of the words. A countdown is there only before the service. */
function screensOf({ startsAt }: Plan, now: number, shown: ScreenMode) {
	const before = Date.parse(startsAt) > now || shown === "countdown";
	return before ? (["countdown", "black", "logo"] as const) : (["black", "logo"] as const);
}

/** Whether the browser knows that there is no network. */
function useOffline(): boolean {
	const [offline, setOffline] = useState(!navigator.onLine);
	useEffect(() => {
		const stop = new AbortController();
		const look = () => setOffline(!navigator.onLine);
		addEventListener("online", look, stop);
		addEventListener("offline", look, stop);
		return () => stop.abort();
	}, []);
	return offline;
}

interface NotOnScreensProps {
	readonly tools: Tools;
	/** Another service that is on the screens. */
	readonly other: string | undefined;
	/** The service of this page. */
	readonly id: string;
	readonly pending: boolean;
	take(): Promise<void>;
}

/** Names the service, because whoever has taken the wrong one should see it before the screens do. */
function NotOnScreens({ tools: { api, context, say, time }, other, id, pending, take }: NotOnScreensProps) {
	const [service, setService] = useState<Service>();
	useEffect(() => {
		void api.service(id).then((read) => read.ok && !context.signal.aborted && setService(read.value));
	}, []);
	return (
		<div class="d-stack">
			<ScreenHeader
				sub={
					service && (
						<>
							<bdi>{service.title}</bdi>
							{` · ${time(service.startsAt)}`}
						</>
					)
				}
			/>
			<Note tone={other === undefined ? "info" : "warn"} role="status">
				<p>{other === undefined ? say("notOnScreens") : say("otherOnScreens", { title: other })}</p>
			</Note>
			<Button kind="primary" icon="play" busy={pending} onPress={take}>
				{say("take")}
			</Button>
		</div>
	);
}

/** Right and Space move forward, Left moves back, unless the focused element uses the key. */
function listenToKeys(signal: AbortSignal, press: (action: "next" | "previous") => void): void {
	const keys = (event: KeyboardEvent) => {
		if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.repeat) return;
		const { target } = event;
		if (!(target instanceof Element) || target.closest("input, textarea, select, dialog, [role=menu]")) return;
		const space = event.key === " " && !target.closest("button, a, summary");
		if (event.key === "ArrowRight" || space) press("next");
		else if (event.key === "ArrowLeft") press("previous");
		else return;
		event.preventDefault();
	};
	document.addEventListener("keydown", keys, { signal });
}
