import { Button, Form, Note, ScreenHeader, TextField } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import { type List, type Me, missing, type Round } from "../server-src/board";
import type { Tools } from "./tools";

interface RoundProps {
	readonly tools: Tools;
	readonly list: List;
	readonly round: Round;
	readonly me: Me;
}

/** One round on a phone: a large row for each step, which shows at once what was pressed. */
export function RoundPage({ tools, list, round, me }: RoundProps) {
	const { context, say, send } = tools;
	const [pressed, setPressed] = useState<ReadonlyMap<string, boolean>>(new Map());
	useEffect(() => setPressed(new Map()), [round]); // the server's word counts
	const press = async (item: string, done: boolean) => {
		setPressed((before) => new Map(before).set(item, done));
		const { ok } = await send("PUT", `/rounds/${round.id}/items/${item}`, { done });
		if (!ok) setPressed((before) => new Map([...before].filter(([id]) => id !== item)));
	};
	const discard = async () => {
		const gone = await send("DELETE", `/rounds/${round.id}`, undefined, "discarded");
		if (gone.ok) context.navigate("", { replace: true });
	};
	const until = say("until", { time: say.when(round.due) });
	return (
		<>
			<ScreenHeader sub={[round.title, until].filter(Boolean).join(" · ")} />
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
							{check && <p class="d-second">{check.name ?? say("someone")}, {say.when(check.at)}</p>}
						</li>
					);
				})}
			</ul>
			<div role="status">{missing(list, round).length === 0 && <Note tone="ok">{say("allDone")}</Note>}</div>
			{round.byHand && round.checks.length === 0 && (
				<div class="d-row"><Button kind="quiet" onPress={discard}>{say("discard")}</Button></div>
			)}
		</>
	);
}

/** Who does it, and where they are reminded. */
function Taker({ tools: { say, send }, round, me }: Omit<RoundProps, "list">) {
	const [address, setAddress] = useState(me.address);
	const path = `/rounds/${round.id}/person`;
	const [free, mine, open] = [round.person === null, round.person === me.id, round.finishedAt === null];
	const take = (done: "taken" | "saved") => send("PUT", path, { address: address.trim() || null }, done);
	const another = () => say("another", { name: round.name ?? say("someone") });
	return (
		<div class="taker">
			<p>{mine ? say("yours") : free ? say("nobody") : another()}</p>
			{open && !mine && (
				<Button kind={free ? "primary" : "secondary"} onPress={() => take("taken")}>
					{say(free ? "take" : "takeOver")}
				</Button>
			)}
			{open && mine && (
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
