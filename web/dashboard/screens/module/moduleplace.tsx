import type { HomeTools } from "@narthex/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { ArtifactError } from "../../../host/artifact";
import { Button } from "../../../kit/button";
import { Skeleton } from "../../../kit/layout";
import type { App } from "../../app/app";
import { keepModule } from "../../app/lastvisit";
import type { NavigationEntry } from "../../data/platform";
import { SmallPrint } from "../../shell/errorpage";
import { locale, t } from "../../words/words";
import { explain } from "./explain";
import { ModuleMount } from "./modulemount";
import { w } from "./words";

interface ModulePlaceProps {
	readonly app: App;
	readonly entry: NavigationEntry;
	setTitle(title: string): void;
	/** Called when the module is shown, or cannot be shown. */
	settled?(): void;
	/** Only for the module "home". */
	readonly home?: HomeTools;
}

type State =
	| { readonly is: "loading" }
	| { readonly is: "mounted" }
	| { readonly is: "failed"; readonly error: unknown; readonly at: Date };

/** Under "narthex dev" the person is the module's author, and is shown the errors of the module. */
const development = document.documentElement.dataset["development"] !== undefined;

/** One module: its container, and the card that is shown if it fails. */
export function ModulePlace({ app, entry, setTitle, settled, home }: ModulePlaceProps) {
	const container = useRef<HTMLDivElement>(null);
	const [state, setState] = useState<State>({ is: "loading" });
	const [attempt, setAttempt] = useState(0);
	const refetched = useRef(false); // once: two servers of different versions could cause a loop
	const { tag } = locale.value;
	const version = useRef(entry.ui.artifactUrl);

	useEffect(() => {
		setState({ is: "loading" });
		setTitle(entry.name);
		if (version.current !== entry.ui.artifactUrl && !home)
			app.announce(`${entry.name}: ${t("newVersion")}`); // after the forms' message about drafts
		version.current = entry.ui.artifactUrl;
		const mount = new ModuleMount(app, entry.ui, container.current as HTMLElement, setTitle, home);
		let here = true;
		mount
			.start()
			.then(() => {
				if (!here) return;
				setState({ is: "mounted" });
				settled?.();
				if (app.router.route.peek().to === "module") keepModule(entry.ui.artifactUrl);
			})
			.catch((error: unknown) => {
				console.error(
					`Module ${entry.moduleId} could not be shown:`,
					error,
					(error as Error | undefined)?.cause ?? "",
				);
				if (!here) return;
				setState({ is: "failed", error, at: new Date() });
				settled?.();
				if (error instanceof ArtifactError && error.code === "NOT_FOUND" && !refetched.current) {
					refetched.current = true;
					void app.data.navigation.load(); // another version may run by now, which is then mounted
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
			{state.is === "loading" && <Skeleton />}
			{state.is === "failed" && <Failed name={entry.name} error={state.error} at={state.at} retry={again} />}
			<div ref={container} class="host-module" data-module={entry.moduleId} hidden={state.is === "failed"} />
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
		<div class="d-card d-stack">
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
			{development && <pre class="d-code host-thrown">{detailOf(error)}</pre>}
		</div>
	);
}

/** The error of a module, for its author. */
function detailOf(error: unknown): string {
	const thrown = error instanceof ArtifactError ? (error.cause ?? error) : error;
	return thrown instanceof Error ? (thrown.stack ?? String(thrown)) : String(thrown);
}
