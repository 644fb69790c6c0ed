import { Button, Dialog, Note } from "@narthex/kit";
import { useState } from "preact/hooks";
import type { Waiting, Window } from "./event";
import { namesOf, type Tools } from "./tools";

interface WaitingNoteProps {
	readonly tools: Tools;
	readonly window: Window;
}

/** That services may be elsewhere by now. For people who manage events also: bookings without their room. */
export function WaitingNote({ tools, window }: WaitingNoteProps) {
	const { api, say, forms, context } = tools;
	const [list, setList] = useState<readonly Waiting[]>();
	const show = async () => {
		const result = await api.waiting();
		if (context.signal.aborted) return;
		if (result.ok) setList(result.value.waiting);
		else context.announce(say(result.why), "assertive", { label: say("tryAgain"), run: show });
	};
	const close = () => setList(undefined);
	return (
		<>
			{window.services === "unsure" && (
				<Note tone="warn">
					<p>{say("servicesUnsure")}</p>
				</Note>
			)}
			{window.waiting > 0 && tools.manages && (
				<Note tone="warn">
					<div class="d-row">
						<p>{say("someWait", { count: window.waiting })}</p>
						<Button small onPress={show}>
							{say("showThem")}
						</Button>
					</div>
				</Note>
			)}
			{list !== undefined && (
				<Dialog
					title={say("waitingTitle")}
					size="medium"
					onClose={close}
					footer={<Button onPress={close}>{say("close")}</Button>}
				>
					<p class="d-muted">{say("waitingHelp")}</p>
					<ul class="d-stack">
						{list.map((one) => (
							<li key={`${one.event}${one.date}${one.room}`}>
								<a href={`#/m/${context.module.id}/list/${one.start.slice(0, 10)}`} onClick={close}>
									<bdi>{one.title}</bdi>
								</a>
								<p>
									{say("takenBy", {
										room: namesOf(window.rooms, [one.room]),
										when: `${forms.day(one.start.slice(0, 10))}, ${forms.time(one.start)}`,
										title: one.by,
									})}
								</p>
							</li>
						))}
					</ul>
				</Dialog>
			)}
		</>
	);
}
