import { useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Note } from "../../../kit/layout";
import type { App } from "../../app/app";
import { hasPasskeys } from "../../data/credential";
import { type Passkey, readPasskeys, removePasskey, replaceCodes } from "../../data/passkeys";
import type { Failure } from "../../data/request";
import { Loaded } from "../../shell/loaded";
import { refuse } from "../../shell/refusal";
import { ago, day } from "../../words/times";
import { AddPasskey } from "./addpasskey";
import { CodesDialog } from "./codesdialog";
import { useOwn } from "./own";
import { w } from "./words";

const permission = "core.account.read";

/** The person's passkeys, which are asked for beside the password, and the codes for a lost device. */
export function Passkeys({ app }: { readonly app: App }) {
	const list = useOwn(app, () => readPasskeys(app.platform));
	const [adding, setAdding] = useState(false);
	const [shown, setShown] = useState<{ readonly codes: readonly string[]; readonly added: boolean }>();
	const asked = app.data.house.value.value?.secondFactor === "administrators";
	const refused = async (failure: Failure, again: () => void) => {
		if (failure.code !== "RECENT_SIGN_IN_REQUIRED") return refuse(app, failure, permission, again);
		if (await app.questions.ask(askToSignIn())) app.signOut();
	};
	const remove = async (passkey: Passkey, last: boolean) => {
		const sure = await app.questions.ask({
			title: w("removeTitle", { name: passkey.label }),
			body: [w(last ? "removeLastEffect" : "removeEffect")],
			yes: w("removePasskey"),
			no: w("keepPasskey"),
			danger: true,
		});
		if (!sure) return;
		const answer = await app.data.write(removePasskey(app.platform, passkey.id), list);
		if (!answer.ok) return refused(answer, () => void remove(passkey, last));
		app.announce(w("passkeyRemoved"));
	};
	const renew = async () => {
		const sure = await app.questions.ask({
			title: w("renewTitle"),
			body: [w("renewEffect")],
			yes: w("renewCodes"),
			no: w("keepCodes"),
		});
		if (!sure) return;
		const answer = await app.data.write(replaceCodes(app.platform), list);
		if (!answer.ok) return refused(answer, () => void renew());
		setShown({ codes: answer.value.recoveryCodes, added: false });
	};
	const added = ({ recoveryCodes }: Passkey) => {
		setAdding(false);
		void list.load();
		if (recoveryCodes === undefined) return app.announce(w("passkeyAdded"));
		setShown({ codes: recoveryCodes, added: true });
	};
	const kept = () => {
		setShown(undefined);
		if (shown?.added) app.announce(w("passkeyAdded")); // not earlier: it would cover words of the dialog
	};
	return (
		<section class="host-listed">
			<div>
				<h2>{w("passkeys")}</h2>
				<p class="d-muted">{w("passkeysHelp")}</p>
			</div>
			<Loaded resource={list} permission={permission} part>
				{(value) => (
					<div class="d-stack">
						{asked && value.passkeys.length === 0 && (
							<Note tone="warn">
								<p>{w("asked")}</p>
							</Note>
						)}
						{value.passkeys.length > 0 && (
							<ul class="host-own">
								{value.passkeys.map((passkey) => (
									<li key={passkey.id} class="d-row">
										<div>
											<p>
												<bdi>{passkey.label}</bdi>
											</p>
											<p class="d-muted">{timesOf(app, passkey)}</p>
										</div>
										<Button
											small
											label={w("removeNamed", { name: passkey.label })}
											onPress={() => remove(passkey, value.passkeys.length === 1)}
										>
											{w("removePasskey")}
										</Button>
									</li>
								))}
								<li class="d-row">
									<p>{w("codesLeft", { count: value.recoveryCodesLeft })}</p>
									<Button small onPress={renew}>
										{w("renewCodes")}
									</Button>
								</li>
							</ul>
						)}
						{hasPasskeys() ? (
							<Button icon="plus" onPress={() => setAdding(true)}>
								{w("addPasskey")}
							</Button>
						) : (
							<p class="d-muted">{w("notHere")}</p>
						)}
						{adding && <AddPasskey app={app} refused={refused} onClose={() => setAdding(false)} onAdded={added} />}
						{shown && <CodesDialog app={app} codes={shown.codes} onClose={kept} />}
					</div>
				)}
			</Loaded>
		</section>
	);
}

const askToSignIn = () => ({
	title: w("signInTitle"),
	body: [w("signInEffect")],
	yes: w("signInAgain"),
	no: w("notNow"),
});

function timesOf(app: App, { createdAt, lastUsedAt }: Passkey): string {
	const since = day(createdAt);
	if (lastUsedAt === null) return w("neverUsed", { since });
	return w("passkeyTimes", { since, used: ago(lastUsedAt, app.clock.now()) });
}
