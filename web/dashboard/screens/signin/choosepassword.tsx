import { useRef, useState } from "preact/hooks";
import { type LinkScreenProps, Onward } from "./confirmemail";
import { newPasswordProblem, PasswordField } from "./fields";
import { Heading } from "../../shell/heading";
import { LinkRequest } from "./linkrequest";
import type { Failure } from "../../data/request";
import { FailureNote } from "../../shell/starting";
import { t } from "../../words/words";

/** W4. The token is nowhere but here, so the page must stay; what was typed stays whatever the server says. */
export function ChoosePassword({ app, token, signedIn, finish }: LinkScreenProps) {
	const [password, setPassword] = useState("");
	const [error, setError] = useState<string>();
	const [outcome, setOutcome] = useState<"saved" | "dead" | { failure: Failure; at: Date }>();
	const [busy, setBusy] = useState(false);
	const input = useRef<HTMLInputElement>(null);
	const save = async () => {
		const problem = newPasswordProblem(password);
		setError(problem);
		if (problem) return input.current?.focus();
		setBusy(true);
		const answer = await app.platform.resetPassword(password, token);
		setBusy(false);
		if (answer.ok) {
			setPassword("");
			setOutcome("saved");
			void app.session.recheck(); // this browser's session may have ended with the others
		} else if (answer.code === "PASSWORD_TOO_SHORT" || answer.code === "PASSWORD_TOO_LONG") {
			setError(answer.code === "PASSWORD_TOO_LONG" ? t("tooLong") : t("tooShort", { count: 1 }));
			input.current?.focus();
		} else if (answer.status === 400) {
			setOutcome("dead");
		} else {
			setOutcome({ failure: answer, at: new Date() });
		}
	};
	return (
		<form
			class="stack"
			noValidate
			onSubmit={(event) => {
				event.preventDefault();
				if (!busy && outcome !== "saved" && outcome !== "dead") void save();
			}}
		>
			<Heading title={t("chooseTitle")} />
			{outcome === "saved" ? (
				<div class="note ok" role="alert">
					<div>
						<strong>{t("passwordSaved")}</strong>
						<p>{t("passwordSavedHelp")}</p>
					</div>
				</div>
			) : (
				<>
					<p class="muted">{t("chooseHelp")}</p>
					<PasswordField
						label={t("newPassword")}
						autocomplete="new-password"
						value={password}
						change={setPassword}
						error={error}
						input={input}
					/>
				</>
			)}
			{outcome === "dead" && (
				<>
					<p class="note bad" role="alert">
						{t("linkDead")}
					</p>
					<LinkRequest app={app} purpose="reset-password" label={t("sendNewLink")} />
				</>
			)}
			{typeof outcome === "object" && <FailureNote failure={outcome.failure} at={outcome.at} />}
			{outcome !== "saved" && outcome !== "dead" && (
				<button type="submit" class="primary wide" aria-busy={busy}>
					{t("saveNewPassword")}
				</button>
			)}
			<Onward signedIn={signedIn} done={outcome === "saved"} finish={finish} />
		</form>
	);
}
