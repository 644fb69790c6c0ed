import { Button, Dialog, Form, Note, SelectField } from "@narthex/kit";
import { useState } from "preact/hooks";
import type { Failed } from "./api";
import { type Board, type Role, type Service, servicesOf } from "./board";
import { numbers } from "./rolespage";
import { refusalIn, type Tools } from "./tools";

interface NeedsProps {
	readonly tools: Tools;
	readonly board: Board;
	/** The id of the service. */
	readonly of: string;
	close(): void;
}

/** Asks how many people each role needs in one service, where that is another number than usual. */
export function NeedsDialog({ tools, board, of, close }: NeedsProps) {
	const { context, api, say, moment } = tools;
	const service = servicesOf(board).find(({ id }) => id === of);
	const [seen] = useState(service);
	const [changed, setChanged] = useState<Readonly<Record<string, string>>>({});
	const [busy, setBusy] = useState(false);
	const [refused, setRefused] = useState<Failed>();
	if (service === undefined || seen === undefined) return null;
	const save = async (against: Service = seen) => {
		const needs = board.roles.flatMap((role) => {
			const number = changed[role.id];
			if (number === undefined || number === numberIn(against, role)) return [];
			const rev = needOf(against, role)?.rev ?? 0;
			return [{ roleId: role.id, needed: number === "" ? null : Number(number), rev }];
		});
		if (needs.length === 0) return close();
		setBusy(true);
		const result = await api.setNeeds(of, needs);
		if (context.signal.aborted) return;
		setBusy(false);
		setRefused(result.ok ? undefined : result);
		if (!result.ok) return;
		context.announce(say("saved"));
		close();
	};
	return (
		<Dialog
			title={say("needsOf", { service: moment(service.start) })}
			size="medium"
			onClose={close}
			footer={
				<>
					<Button onPress={close}>{say("cancel")}</Button>
					<Button kind="primary" busy={busy} busyWords={say("saving")} onPress={() => save()}>
						{say("save")}
					</Button>
				</>
			}
		>
			<Form onSubmit={() => save()}>
				{refused && (
					<Note tone="bad" role="alert">
						<p>{refusalIn(say, refused)}</p>
						{refused.why === "conflict" && (
							<div class="d-row">
								<Button onPress={close}>{say("takeTheirs")}</Button>
								<Button onPress={() => save(service)}>{say("keepMine")}</Button>
							</div>
						)}
					</Note>
				)}
				{board.roles.map((role) => (
					<SelectField
						key={role.id}
						label={role.name}
						value={changed[role.id] ?? numberIn(seen, role)}
						options={[{ value: "", label: say("asUsual", { count: role.needed }) }, ...numbers]}
						onInput={(number) => setChanged({ ...changed, [role.id]: number })}
					/>
				))}
			</Form>
		</Dialog>
	);
}

const needOf = ({ needs }: Service, role: Role) => needs.find(({ roleId }) => roleId === role.id);

/** The number of a service as a choice: "" as usual. */
const numberIn = (service: Service, role: Role): string => `${needOf(service, role)?.needed ?? ""}`;
