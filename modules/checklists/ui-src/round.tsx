import { Button, Form, Note, ScreenHeader, TextField } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import { type List, missing, type Round } from "../server-src/board";
import type { Tools } from "./tools";

export interface Me {
	readonly id: string;
	readonly address: string;
}

interface RoundProps {
	readonly tools: Tools;
	readonly list: List;
	readonly round: Round;
	readonly me: Me;
}

/** One round on a phone: a large row for each step, which shows at once what was pressed. */
export function RoundPage({ tools, list, round, me }: RoundProps) {
	const { context, say, send, when } = tools;
	const [pressed, setPressed] = useState<ReadonlyMap<string, boolean>>(new Map());
	useEffect(() => context.setTitle(list.title), [list.title]);
	useEffect(() => setPressed(new Map()), [round]); // the server's word counts
	const press = async (item: string, done: boolean) => {
		setPressed((before) => new Map(before).set(item, done));
		const { ok } = await send("PUT", `/rounds/${round.id}/items/${item}`, { done });
		if (!ok) setPressed((before) => new Map([...before].filter(([id]) => id !== item)));
	};
	const left = missing(list, round).length;
	const discard = async () => {
		const { ok } = await send("DELETE", `/rounds/${round.id}`, undefined, "discarded");
		if (ok) context.navigate("", { replace: true });
	};
	return (
		<>
			<ScreenHeader sub={[round.title, say("until", { time: when(round.due) })].filter(Boolean).join(" · ")} />
			<Taker {...{ tools, round, me }} />
			<ul class="steps">
				{list.items.map(({ id, text }) => {
					const check = round.checks.find(({ item }) => item === id);
					const checked = pressed.get(id) ?? check !== undefined;
					return (
						<li key={id} class={checked ? "done" : ""}>
							<label>
								<input type="checkbox" checked={checked} onChange={() => press(id, !checked)} />
								<bdi>{text}</bdi>
							</label>
							{check && <p class="d-second">{check.name ?? say("someone")}, {when(check.at)}</p>}
						</li>
					);
				})}
			</ul>
			<div role="status">{left === 0 && <Note tone="ok">{say("allDone")}</Note>}</div>
			<div class="d-row">
				{round.byHand && round.checks.length === 0 && (
					<Button kind="quiet" onPress={discard}>{say("discard")}</Button>
				)}
			</div>
		</>
	);
}

/** Who does it, and where they are reminded. */
function Taker({ tools: { say, send }, round, me }: Omit<RoundProps, "list">) {
	const [address, setAddress] = useState(me.address);
	const path = `/rounds/${round.id}/person`;
	const mine = round.person === me.id;
	const take = (done: "taken" | "saved") => send("PUT", path, { address: address.trim() || null }, done);
	if (!mine) {
		return (
			<div class="taker">
				<p>{round.person === null ? say("nobody") : say("another", { name: round.name ?? say("someone") })}</p>
				{round.finishedAt === null && (
					<Button kind={round.person === null ? "primary" : "secondary"} onPress={() => take("taken")}>
						{say(round.person === null ? "take" : "takeOver")}
					</Button>
				)}
			</div>
		);
	}
	return (
		<div class="taker">
			<p>{say("yours")}</p>
			{round.finishedAt === null && (
				<>
					<Button kind="quiet" onPress={() => send("DELETE", path, undefined, "given")}>{say("giveBack")}</Button>
					<Form onSubmit={() => take("saved")}>
						<TextField
							{...{ label: say("remindAt"), help: say("remindHelp"), type: "email", dir: "ltr" }}
							{...{ autocomplete: "email", maxLength: 254, value: address, onInput: setAddress, optional: true }}
						/>
						<Button submit>{say("remind")}</Button>
					</Form>
				</>
			)}
		</div>
	);
}
