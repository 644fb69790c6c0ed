import { useEffect, useRef, useState } from "preact/hooks";
import { ArtifactError } from "../../../host/artifact";
import { Button } from "../../../kit/button";
import { Skeleton } from "../../../kit/layout";
import type { App } from "../../app/app";
import { Heading } from "../../shell/heading";
import { ModuleMount, MountTimeout } from "./modulemount";
import type { NavigationEntry } from "../../data/platform";
import { SmallPrint } from "../../shell/trouble";
import { locale, t } from "../../words/words";
import { w } from "./words";

interface ModuleScreenProps {
	readonly app: App;
	readonly entry: NavigationEntry;
}

type State =
	| { readonly is: "loading" }
	| { readonly is: "mounted" }
	| { readonly is: "failed"; readonly error: unknown; readonly at: Date };

/** Under "narthex dev" the person is the module's author, and reads what it threw. */
const development = document.documentElement.dataset["development"] !== undefined;

/** One module's place: its heading, its container, and the card that is shown when it fails. */
export function ModuleScreen({ app, entry }: ModuleScreenProps) {
	const container = useRef<HTMLDivElement>(null);
	const [state, setState] = useState<State>({ is: "loading" });
	const [title, setTitle] = useState(entry.name);
	const [attempt, setAttempt] = useState(0);
	const refetched = useRef(false); // once: two servers of different versions would send us to and fro
	const { tag } = locale.value;
	const route = app.router.route.value;

	useEffect(() => {
		setState({ is: "loading" });
		setTitle(entry.name);
		const mount = new ModuleMount(app, entry.ui, container.current as HTMLElement, setTitle);
		let here = true;
		mount
			.start()
			.then(() => {
				if (here) setState({ is: "mounted" });
			})
			.catch((error: unknown) => {
				console.error(
					`Module ${entry.moduleId} could not be shown:`,
					error,
					(error as Error | undefined)?.cause ?? "",
				);
				if (!here) return;
				setState({ is: "failed", error, at: new Date() });
				if (error instanceof ArtifactError && error.code === "NOT_FOUND" && !refetched.current) {
					refetched.current = true;
					void app.data.navigation.load(); // another version may run by now, and is then mounted
				}
			});
		return () => {
			here = false;
			mount.end();
		};
	}, [entry.ui.artifactUrl, tag, attempt]);

	const again = () => {
		refetched.current = false;
		setAttempt(attempt + 1);
	};
	return (
		<>
			<div class="page-header">
				<div class="titles">
					<Heading title={title} part={route.to === "module" ? route.subpath : ""} />
					<p class="sub" data-header="sub" />
				</div>
				<div class="actions" data-header="actions" />
			</div>
			{state.is === "loading" && <Skeleton />}
			{state.is === "failed" && <Failed name={entry.name} error={state.error} at={state.at} retry={again} />}
			<div ref={container} class="module" data-module={entry.moduleId} hidden={state.is === "failed"} />
		</>
	);
}

interface FailedProps {
	readonly name: string;
	readonly error: unknown;
	readonly at: Date;
	retry(): void;
}

function Failed({ name, error, at, retry }: FailedProps) {
	const { words, code, remedy } = explain(name, error);
	return (
		<div class="card stack">
			<p role="alert">{words}</p>
			{remedy === "retry" && (
				<Button kind="primary" onPress={retry}>
					{t("tryAgain")}
				</Button>
			)}
			{remedy === "reload" && (
				<Button kind="primary" onPress={() => location.reload()}>
					{w("reloadPage")}
				</Button>
			)}
			<SmallPrint code={code} at={at} />
			{development && <pre class="code thrown">{detailOf(error)}</pre>}
		</div>
	);
}

/** What a module threw, for its author. */
function detailOf(error: unknown): string {
	const thrown = error instanceof ArtifactError ? (error.cause ?? error) : error;
	return thrown instanceof Error ? (thrown.stack ?? String(thrown)) : String(thrown);
}

interface Explanation {
	readonly words: string;
	readonly code: string;
	readonly remedy: "retry" | "reload" | "none";
}

function explain(module: string, error: unknown): Explanation {
	if (error instanceof MountTimeout) {
		return { words: w("moduleSlow", { module }), code: "MODULE_UI_TIMEOUT", remedy: "retry" };
	}
	if (!(error instanceof ArtifactError)) {
		return { words: w("moduleFailed", { module }), code: "MODULE_UI_FAILED", remedy: "retry" };
	}
	switch (error.code) {
		case "MODULE_UI_ABI_INCOMPATIBLE":
			return { words: w("moduleOld"), code: error.code, remedy: "none" };
		case "NOT_FOUND":
			return { words: w("moduleGone", { module }), code: error.code, remedy: "retry" };
		case "ARTIFACT_UNAVAILABLE":
			return {
				words: w("moduleUnloadable", { module }),
				code: error.code,
				remedy: error.exhausted ? "reload" : "retry",
			};
	}
}
