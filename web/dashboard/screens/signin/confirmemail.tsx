import { useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Note } from "../../../kit/layout";
import type { App } from "../../app/app";
import type { Failure } from "../../data/request";
import { Heading } from "../../shell/heading";
import { FailureNote } from "../../shell/errorpage";
import { w } from "./words";
import { LinkRequest } from "./linkrequest";

export interface LinkScreenProps {
	readonly app: App;
	readonly token: string;
	readonly signedIn: boolean;
	finish(): void;
}

/**
 * Confirms an address. Opening the link has no effect, because mail scanners open links, too; a person has to
 * press the button.
 */
export function ConfirmEmail({ app, token, signedIn, finish }: LinkScreenProps) {
	const [outcome, setOutcome] = useState<"confirmed" | "dead" | { failure: Failure; at: Date }>();
	const confirm = async () => {
		const result = await app.platform.verifyEmail(token);
		if (result.ok) setOutcome("confirmed");
		else if (result.status === 401 || result.status === 400) setOutcome("dead");
		else setOutcome({ failure: result, at: new Date() });
	};
	return (
		<>
			<Heading title={w("confirmTitle")} />
			{outcome === "confirmed" && (
				<Note tone="ok" role="alert">
					<p>{signedIn ? w("confirmedHere") : w("confirmed")}</p>
				</Note>
			)}
			{outcome === "dead" && (
				<>
					<Note tone="bad" role="alert">
						<p>{w("linkDead")}</p>
					</Note>
					<LinkRequest app={app} purpose="verify-email" label={w("sendNewLink")} />
				</>
			)}
			{typeof outcome === "object" && <FailureNote failure={outcome.failure} at={outcome.at} />}
			{(outcome === undefined || typeof outcome === "object") && (
				<>
					<p class="d-muted">{w("confirmHelp")}</p>
					<Button kind="primary" wide busyWords={w("confirming")} onPress={confirm}>
						{w("confirmButton")}
					</Button>
				</>
			)}
			<Onward signedIn={signedIn} done={outcome === "confirmed"} finish={finish} />
		</>
	);
}

interface OnwardProps {
	readonly signedIn: boolean;
	readonly done: boolean;
	finish(): void;
}

/** The button that leads on from the screen of an emailed link. */
export function Onward({ signedIn, done, finish }: OnwardProps) {
	return (
		<Button kind={done ? "primary" : "text"} wide onPress={finish}>
			{signedIn ? w("continueToDashboard") : done ? w("signIn") : w("backToSignIn")}
		</Button>
	);
}
