import { useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Form, PasswordField } from "../../../kit/field";
import { Note } from "../../../kit/layout";
import type { Failure } from "../../data/request";
import { Heading } from "../../shell/heading";
import { FailureNote } from "../../shell/errorpage";
import { t } from "../../words/words";
import { w } from "./words";
import { type LinkScreenProps, Onward } from "./confirmemail";
import { newPasswordProblem } from "./fields";
import { LinkRequest } from "./linkrequest";

/**
 * The form for a new password. The token is only in memory, so the page must stay open; typed text is always
 * kept.
 */
export function ChoosePassword({ app, token, signedIn, finish }: LinkScreenProps) {
	const [password, setPassword] = useState("");
	const [error, setError] = useState<string>();
	const [outcome, setOutcome] = useState<"saved" | "dead" | { failure: Failure; at: Date }>();
	const [busy, setBusy] = useState(false);
	const over = outcome === "saved" || outcome === "dead";
	const save = async () => {
		if (busy || over) return;
		const problem = newPasswordProblem(password);
		setError(problem);
		if (problem) return;
		setBusy(true);
		const result = await app.platform.resetPassword(password, token);
		setBusy(false);
		if (result.ok) {
			setPassword("");
			setOutcome("saved");
			void app.session.recheck(); // this browser's session may have ended with all others
		} else if (result.code === "PASSWORD_TOO_SHORT" || result.code === "PASSWORD_TOO_LONG") {
			setError(result.code === "PASSWORD_TOO_LONG" ? w("tooLong") : w("tooShort", { count: 1 }));
		} else if (result.status === 400) {
			setOutcome("dead");
		} else {
			setOutcome({ failure: result, at: new Date() });
		}
	};
	return (
		<>
			<Heading title={w("chooseTitle")} />
			{outcome === "saved" ? (
				<Note tone="ok" role="alert">
					<strong>{w("passwordSaved")}</strong>
					<p>{w("passwordSavedHelp")}</p>
				</Note>
			) : (
				<Form onSubmit={save}>
					<p class="d-muted">{w("chooseHelp")}</p>
					<PasswordField
						label={w("newPassword")}
						autocomplete="new-password"
						value={password}
						onInput={setPassword}
						error={error}
					/>
					{typeof outcome === "object" && <FailureNote failure={outcome.failure} at={outcome.at} />}
					{!over && (
						<Button submit kind="primary" wide busy={busy} busyWords={t("saving")}>
							{w("saveNewPassword")}
						</Button>
					)}
				</Form>
			)}
			{outcome === "dead" && (
				<>
					<Note tone="bad" role="alert">
						<p>{w("linkDead")}</p>
					</Note>
					<LinkRequest app={app} purpose="reset-password" label={w("sendNewLink")} />
				</>
			)}
			<Onward signedIn={signedIn} done={outcome === "saved"} finish={finish} />
		</>
	);
}
