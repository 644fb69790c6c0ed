import { useEffect, useState } from "preact/hooks";
import { backoff, wait } from "../../host/wait";
import { Heading } from "./heading";
import { Mark } from "./mark";
import type { Failure } from "../data/request";
import { clockTime, t } from "../words/words";

/** A page that cannot know where its server is makes no request. */
export function BadBuild() {
	return (
		<div class="entrance">
			<div>
				<Mark />
				<main class="card">
					<Heading title={t("dashboard")} unseen />
					<p role="alert">{t("badBuild")}</p>
				</main>
			</div>
		</div>
	);
}

/** Nothing for 300 ms, then the outline of what is coming. */
export function Skeleton() {
	const [late, setLate] = useState(false);
	useEffect(() => {
		const timer = setTimeout(() => setLate(true), 300);
		return () => clearTimeout(timer);
	}, []);
	return (
		<div class="skeleton" aria-busy="true">
			{late && (
				<>
					<span class="unseen">{t("loading")}</span>
					<i />
					<i />
					<i />
				</>
			)}
		</div>
	);
}

/** The sentence of a request that failed. */
export function sentenceOf(failure: Failure): string {
	if (failure.status === 0) return t("noServer");
	if (failure.code === "PRINCIPAL_RESOLUTION_FAILED") return t("whoUnknown");
	return failure.code === "MALFORMED" ? t("notUnderstood") : t("serverFailed");
}

interface TroubleProps {
	/** What it means here, where that says more than what went wrong. */
	readonly words?: string | undefined;
	readonly failure: Failure;
	readonly at: Date;
	retry(): Promise<unknown>;
}

/** Something that did not come, and comes by itself once it can: it is tried again after 2 to 30 s, and at once when asked. */
export function Trouble({ words, failure, at, retry }: TroubleProps) {
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
	const now = () => {
		setBusy(true);
		void retry().finally(() => setBusy(false));
	};
	return (
		<div class="card stack">
			<Heading title={t("dashboard")} unseen />
			<p role="alert">{words ?? sentenceOf(failure)}</p>
			<p class="muted">{t("retriesItself")}</p>
			<button type="button" class="primary" aria-busy={busy} onClick={now}>
				{t("tryAgain")}
			</button>
			<SmallPrint code={failure.code} at={at} />
		</div>
	);
}

/** A request of a form that failed for no reason of the person's. */
export function FailureNote({ failure, at }: { readonly failure: Failure; readonly at: Date }) {
	return (
		<div class="note bad" role="alert">
			<div>
				<p>{sentenceOf(failure)}</p>
				<SmallPrint code={failure.code} at={at} />
			</div>
		</div>
	);
}

/** What a person reads to the operator, who finds it in the log. */
export function SmallPrint({ code, at }: { readonly code: string; readonly at: Date }) {
	return <small class="muted">{t("smallPrint", { code, time: clockTime(at) })}</small>;
}
