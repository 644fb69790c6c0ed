import { useRef, useState } from "preact/hooks";
import type { App } from "../../app/app";
import { useCountdown } from "./countdown";
import { EmailField, emailProblem } from "./fields";
import type { Failure } from "../../data/request";
import { FailureNote } from "../../shell/starting";
import { t } from "../../words/words";

/** Seconds between two requests for a link: the server's own pause. */
const pause = 60;

interface LinkRequestProps {
	readonly app: App;
	readonly purpose: "verify-email" | "reset-password";
	/** The address, where it is known; else it is asked for. */
	readonly email?: string;
	readonly label: string;
}

/**
 * Asks for a link by mail. The answer is the same for every address, so what is said afterwards is, too. It is no form: it stands
 * in one.
 */
export function LinkRequest({ app, purpose, email, label }: LinkRequestProps) {
	const [error, setError] = useState<string>();
	const [failed, setFailed] = useState<{ failure: Failure; at: Date }>();
	const [sent, setSent] = useState(false);
	const [busy, setBusy] = useState(false);
	const [left, waitFor] = useCountdown();
	const input = useRef<HTMLInputElement>(null);

	const send = async () => {
		const address = (email ?? app.email.peek()).trim();
		const problem = emailProblem(address);
		setError(problem);
		if (problem) return input.current?.focus();
		setFailed(undefined);
		setBusy(true);
		const answer = await (purpose === "verify-email" ? app.platform.sendVerificationEmail(address) : app.platform.requestPasswordReset(address));
		setBusy(false);
		if (answer.ok) {
			setSent(true);
			waitFor(pause);
		} else if (answer.status === 429) {
			waitFor(answer.retryAfter ?? pause);
		} else if (answer.status === 400) {
			setError(t("emailForm"));
			input.current?.focus();
		} else {
			setFailed({ failure: answer, at: new Date() });
		}
	};

	return (
		<>
			{email === undefined && (
				<EmailField value={app.email.value} change={(value) => (app.email.value = value)} error={error} input={input} />
			)}
			{failed && <FailureNote failure={failed.failure} at={failed.at} />}
			{sent && (
				<p class="note ok" role="alert">
					{t("linkOnItsWay")}
				</p>
			)}
			<button
				type="button"
				class={sent || email !== undefined ? "wide" : "primary wide"}
				aria-busy={busy}
				disabled={left > 0}
				onClick={() => void (busy || send())}
			>
				{left > 0 ? t("sendAgainIn", { count: left }) : sent ? t("sendAgain") : label}
			</button>
		</>
	);
}
