import { useRef, useState } from "preact/hooks";
import type { App } from "../../app/app";
import { useCountdown } from "./countdown";
import { EmailField, emailProblem, PasswordField } from "./fields";
import { Heading } from "../../shell/heading";
import { LinkRequest } from "./linkrequest";
import type { Failure } from "../../data/request";
import { FailureNote } from "../../shell/starting";
import { t } from "../../words/words";

/** What came of pressing Sign in. */
type Outcome =
	| { readonly is: "refused"; readonly words: string }
	| { readonly is: "unverified"; readonly email: string }
	| { readonly is: "failed"; readonly failure: Failure; readonly at: Date };

/** Seconds to wait when the server does not say, or the browser may not read it. */
const defaultWait = 10;

/** W1. It stores nothing and forwards nowhere: the cookie and the principal decide what comes next. */
export function SignIn({ app, forgot }: { readonly app: App; forgot(): void }) {
	const email = app.email.value;
	const [password, setPassword] = useState("");
	const [errors, setErrors] = useState<{ email?: string | undefined; password?: string | undefined }>({});
	const [outcome, setOutcome] = useState<Outcome>();
	const [busy, setBusy] = useState(false);
	const [left, waitFor] = useCountdown();
	const emailInput = useRef<HTMLInputElement>(null);
	const passwordInput = useRef<HTMLInputElement>(null);

	const submit = async () => {
		const address = email.trim();
		const wrong = { email: emailProblem(address), password: password === "" ? t("passwordNeeded") : undefined };
		setErrors(wrong);
		if (wrong.email) return emailInput.current?.focus();
		if (wrong.password) return passwordInput.current?.focus();
		setOutcome(undefined);
		setBusy(true);
		const answer = await app.platform.signIn(address, password);
		if (answer.ok) {
			await app.session.arrived();
			if (app.session.who.peek().is === "anonymous") setOutcome({ is: "refused", words: t("cookieNotKept") });
			setBusy(false);
			return;
		}
		setBusy(false);
		if (answer.status === 429) {
			const seconds = answer.retryAfter ?? defaultWait;
			waitFor(seconds);
			app.announce(t("youCanTryAgainIn", { count: seconds }), "assertive"); // who sees it sees it below
		} else if (answer.code === "INVALID_EMAIL") {
			setErrors({ email: t("emailForm") });
			emailInput.current?.focus();
		} else {
			setOutcome(outcomeOf(answer, address));
		}
	};

	return (
		<form
			class="stack"
			noValidate
			onSubmit={(event) => {
				event.preventDefault();
				if (!busy && left === 0) void submit();
			}}
		>
			<Heading title={t("signIn")} />
			<EmailField value={email} change={(value) => (app.email.value = value)} error={errors.email} input={emailInput} />
			<PasswordField
				label={t("password")}
				autocomplete="current-password"
				value={password}
				change={setPassword}
				error={errors.password}
				input={passwordInput}
			/>
			{outcome?.is === "refused" && (
				<p class="note bad" role="alert">
					{outcome.words}
				</p>
			)}
			{outcome?.is === "failed" && <FailureNote failure={outcome.failure} at={outcome.at} />}
			{left > 0 && <p class="note warn">{t("youCanTryAgainIn", { count: left })}</p>}
			<button type="submit" class="primary wide" aria-busy={busy} disabled={left > 0}>
				{t("signIn")}
			</button>
			{outcome?.is === "unverified" && (
				<>
					<div class="note warn" role="alert">
						<div>
							<strong>{t("confirmFirst")}</strong>
							<p>{t("confirmFirstHelp")}</p>
						</div>
					</div>
					<LinkRequest app={app} purpose="verify-email" email={outcome.email} label={t("sendLinkAgain")} />
				</>
			)}
			<button type="button" class="quiet wide" onClick={forgot}>
				{t("forgotPassword")}
			</button>
		</form>
	);
}

function outcomeOf(failure: Failure, email: string): Outcome {
	if (failure.code === "EMAIL_NOT_VERIFIED") return { is: "unverified", email };
	if (failure.status === 401) return { is: "refused", words: t("wrongPair") };
	if (failure.status === 403) return { is: "refused", words: t("untrustedAddress") };
	return { is: "failed", failure, at: new Date() };
}
