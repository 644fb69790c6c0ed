import { useEffect, useState } from "preact/hooks";
import { backoff, wait } from "../../host/wait";
import { Button } from "../../kit/button";
import { Note } from "../../kit/layout";
import type { Failure } from "../data/request";
import { Entrance } from "../screens/signin/entrance";
import { sentenceOf } from "../words/failure";
import { clockTime, t } from "../words/words";
import { Heading } from "./heading";

/** A page whose API origin is invalid sends no requests. */
export function BadBuild() {
	return (
		<Entrance>
			<Heading title={t("dashboard")} unseen />
			<Note tone="bad" role="alert">
				<p>{t("badBuild")}</p>
			</Note>
		</Entrance>
	);
}

interface ErrorPageProps {
	/** What the failure means here, if there is more to say than what went wrong. */
	readonly words?: string | undefined;
	readonly failure: Failure;
	readonly at: Date;
	retry(): Promise<unknown>;
}

/** A failed load. It is retried after 2 to 30 s, and at once when the person asks for it. */
export function ErrorPage({ words, failure, at, retry }: ErrorPageProps) {
	const [busy, setBusy] = useState(false);
	useEffect(() => {
		const stop = new AbortController();
		void (async () => {
			for (let tries = 0; !stop.signal.aborted; tries++) {
				await wait(backoff(tries, 4_000, 30_000), stop.signal, [window, "online"]);
				if (!stop.signal.aborted) await retry();
			}
		})();
		return () => stop.abort();
	}, []);
	const now = async () => {
		setBusy(true);
		await retry();
		setBusy(false);
	};
	return (
		<div class="d-card d-stack">
			<Heading title={t("dashboard")} unseen />
			<div>
				<p role="alert">
					<strong>{words ?? sentenceOf(failure)}</strong>
				</p>
				<p class="d-muted">{t("retriesItself")}</p>
			</div>
			<Button kind="primary" busy={busy} onPress={() => void now()}>
				{t("tryAgain")}
			</Button>
			<SmallPrint code={failure.code} at={at} />
		</div>
	);
}

/** The failure of a form's request that the person did not cause. */
export function FailureNote({ failure, at }: { readonly failure: Failure; readonly at: Date }) {
	return (
		<Note tone="bad" role="alert">
			<p>{sentenceOf(failure)}</p>
			<SmallPrint code={failure.code} at={at} />
		</Note>
	);
}

/** The code and time that the person tells the operator, who finds them in the log. */
export function SmallPrint({ code, at }: { readonly code: string; readonly at: Date }) {
	return <small class="d-muted">{t("smallPrint", { code, time: clockTime(at) })}</small>;
}
