import { useState } from "preact/hooks";
import type { App } from "../../app/app";
import { Heading } from "../../shell/heading";
import { LinkRequest } from "./linkrequest";
import type { Failure } from "../../data/request";
import { FailureNote } from "../../shell/starting";
import { t } from "../../words/words";

export interface LinkScreenProps {
	readonly app: App;
	readonly token: string;
	readonly signedIn: boolean;
	finish(): void;
}

/** W3. Opening the link changes nothing, for mail scanners open links, too: a person presses the button. */
export function ConfirmEmail({ app, token, signedIn, finish }: LinkScreenProps) {
	const [outcome, setOutcome] = useState<"confirmed" | "dead" | { failure: Failure; at: Date }>();
	const [busy, setBusy] = useState(false);
	const confirm = async () => {
		setBusy(true);
		const answer = await app.platform.verifyEmail(token);
		setBusy(false);
		if (answer.ok) setOutcome("confirmed");
		else if (answer.status === 401 || answer.status === 400) setOutcome("dead");
		else setOutcome({ failure: answer, at: new Date() });
	};
	return (
		<form class="stack" noValidate onSubmit={(event) => event.preventDefault()}>
			<Heading title={t("confirmTitle")} />
			{outcome === "confirmed" && (
				<p class="note ok" role="alert">
					{signedIn ? t("confirmedHere") : t("confirmed")}
				</p>
			)}
			{outcome === "dead" && (
				<>
					<p class="note bad" role="alert">
						{t("linkDead")}
					</p>
					<LinkRequest app={app} purpose="verify-email" label={t("sendNewLink")} />
				</>
			)}
			{typeof outcome === "object" && <FailureNote failure={outcome.failure} at={outcome.at} />}
			{(outcome === undefined || typeof outcome === "object") && (
				<>
					<p class="muted">{t("confirmHelp")}</p>
					<button type="button" class="primary wide" aria-busy={busy} onClick={() => void (busy || confirm())}>
						{t("confirmButton")}
					</button>
				</>
			)}
			<Onward signedIn={signedIn} done={outcome === "confirmed"} finish={finish} />
		</form>
	);
}

/** The way on from an emailed link's screen. */
export function Onward({ signedIn, done, finish }: { readonly signedIn: boolean; readonly done: boolean; finish(): void }) {
	return (
		<button type="button" class={done ? "primary wide" : "quiet wide"} onClick={finish}>
			{signedIn ? t("continueToDashboard") : done ? t("signIn") : t("backToSignIn")}
		</button>
	);
}
