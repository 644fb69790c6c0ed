import { useRef, useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Form } from "../../../kit/field";
import { Note } from "../../../kit/layout";
import type { App } from "../../app/app";
import type { Failure } from "../../data/request";
import { FailureNote } from "../../shell/errorpage";
import { t } from "../../words/words";
import { w } from "./words";
import { useCountdown } from "./countdown";
import { EmailField, emailProblem } from "./fields";

/** The seconds between two requests for a link, as the server requires. */
const pause = 60;

interface LinkRequestProps {
	readonly app: App;
	readonly purpose: "verify-email" | "reset-password";
	/** The address, if it is known; otherwise the form asks for it. */
	readonly email?: string;
	readonly label: string;
}

/**
 * The form that requests a link by email. The server responds in the same way for every address, so the text
 * is the same, too.
 */
export function LinkRequest({ app, purpose, email, label }: LinkRequestProps) {
	const [error, setError] = useState<string>();
	const [failed, setFailed] = useState<{ failure: Failure; at: Date }>();
	const [sent, setSent] = useState(false);
	const [busy, setBusy] = useState(false);
	const [left, waitFor] = useCountdown();
	const input = useRef<HTMLInputElement>(null);

	const send = async () => {
		if (busy || left > 0) return;
		const address = (email ?? app.email.peek()).trim();
		const problem = emailProblem(address);
		setError(problem);
		if (problem) return;
		setFailed(undefined);
		setBusy(true);
		const { platform } = app;
		const result = await (purpose === "verify-email"
			? platform.sendVerificationEmail(address)
			: platform.requestPasswordReset(address));
		setBusy(false);
		if (result.ok) {
			setSent(true);
			waitFor(pause);
		} else if (result.status === 429) {
			waitFor(result.retryAfter ?? pause);
		} else if (result.status === 400) {
			setError(w("emailForm"));
		} else {
			setFailed({ failure: result, at: new Date() });
		}
	};

	return (
		<Form onSubmit={send}>
			{email === undefined && (
				<EmailField
					value={app.email.value}
					change={(value) => (app.email.value = value)}
					error={error}
					input={input}
				/>
			)}
			{failed && <FailureNote failure={failed.failure} at={failed.at} />}
			{sent && (
				<Note tone="ok" role="alert">
					<p>{w("linkOnItsWay")}</p>
				</Note>
			)}
			<Button
				submit
				wide
				kind={sent || email !== undefined ? "secondary" : "primary"}
				busy={busy}
				busyWords={left > 0 ? undefined : t("sending")}
				disabled={left > 0}
			>
				{left > 0 ? w("sendAgainIn", { count: left }) : sent ? w("sendAgain") : label}
			</Button>
		</Form>
	);
}
