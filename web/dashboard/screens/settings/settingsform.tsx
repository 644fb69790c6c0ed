import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { DraftNote, mayClose } from "../../../kit/draft";
import { Form } from "../../../kit/field";
import { EmptyState, Note, PageHeader } from "../../../kit/layout";
import type { App } from "../../app/app";
import { type Stored, useDocument } from "../../app/document";
import {
	type Configuration,
	type Key,
	readConfiguration,
	replaceConfiguration,
	type Value,
} from "../../data/configuration";
import { previewValues } from "../../data/lifecyclewrites";
import type { Failure, Result } from "../../data/request";
import { Heading } from "../../shell/heading";
import { refusalOf, refuse } from "../../shell/refusal";
import { Trail } from "../../shell/trail";
import { SmallPrint } from "../../shell/errorpage";
import { t } from "../../words/words";
import { consequencesOf, waitingBeside } from "../modules/consequences";
import { holds, manageConfiguration, manageLifecycle } from "../modules/permissions";
import { moduleHash, StateChip } from "../modules/state";
import { w as modulesWords } from "../modules/words";
import { KeyField } from "./keyfield";
import { faultOf, labelOf, storedIn } from "./values";
import { w } from "./words";

interface SettingsFormProps {
	readonly app: App;
	readonly view: Configuration;
	/** The module's name. */
	readonly name: string;
	/** The key to focus at first. */
	readonly focus: string | undefined;
	reload(): Promise<unknown>;
}

interface Refused {
	readonly words: string;
	readonly code: string;
	readonly at: Date;
}

const listHash = "#/admin/modules";

export function SettingsForm({ app, view, name, focus, reload }: SettingsFormProps) {
	const { moduleId, keys } = view;
	const draft = useDocument(app, `admin/modules/${moduleId}`, documentOf(view));
	const [tried, setTried] = useState(false);
	const [refused, setRefused] = useState<Refused>();
	const form = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		if (focus === undefined) return;
		const control = form.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(focus)}"]`);
		control?.focus();
		control?.scrollIntoView({ block: "center" });
	}, []);

	const save = async () => {
		setTried(true);
		setRefused(undefined);
		if (keys.some((key) => faultIn(key, draft.values[key.key]) !== undefined)) return;
		const { lifecycle, configurations } = app.data;
		const others = holds(app, manageLifecycle) ? [lifecycle, configurations] : [configurations];
		const saved = await draft.save(
			async (values, rev) =>
				documentIn(
					await app.data.write(replaceConfiguration(app.platform, moduleId, values, rev), ...others),
				),
			async () => documentIn(await readConfiguration(app.platform, moduleId)),
		);
		if (saved.is === "failed") return fail(saved.failure);
		if (saved.is === "conflict") {
			app.announce(w("meanwhile"), "assertive");
			return;
		}
		setTried(false);
		const theirs = keys.filter(({ key }) => saved.found.includes(key)).map(labelOf);
		app.announce(theirs.length === 0 ? w("saved") : w("savedBoth", { keys: theirs.join(", ") }));
		await reload();
	};
	const cancel = async () => {
		if (await mayClose(draft, (question) => app.questions.ask(question))) app.router.go(listHash);
	};
	const fail = (failure: Failure) => {
		const words =
			failure.code === "CONFIGURATION_KEY_UNDECLARED"
				? w("undeclared")
				: failure.status === 400
					? w("refused")
					: refusalOf(failure, manageConfiguration);
		setRefused({ words, code: failure.code, at: new Date() });
		requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(".host-refused")?.focus());
	};
	return (
		<>
			<Trail app={app} steps={trailTo(app, moduleId, name)} here={w("settings")} />
			<PageHeader
				heading={
					<div class="d-row">
						<Heading title={w("title", { module: name })} />
						<State app={app} moduleId={moduleId} />
					</div>
				}
				actions={<WouldChange app={app} moduleId={moduleId} values={draft.values} dirty={draft.dirty} />}
			/>
			<div ref={form}>
				<Form class="host-keys" onSubmit={save}>
					<DraftNote draft={draft} />
					{refused && (
						<div class="host-refused" tabIndex={-1}>
							<Note tone="bad" role="alert">
								<p>{refused.words}</p>
								<SmallPrint code={refused.code} at={refused.at} />
							</Note>
						</div>
					)}
					{draft.theirs.size > 0 && (
						<Note tone="warn" role="alert">
							<p>
								<strong>{w("meanwhile")}</strong> {w("meanwhileHelp")}
							</p>
						</Note>
					)}
					{keys.length === 0 && <EmptyState title={w("none")} />}
					{keys.map((entry) => (
						<KeyField
							key={entry.key}
							app={app}
							moduleId={moduleId}
							entry={entry}
							value={draft.values[entry.key]}
							error={errorOf(entry, draft.values[entry.key], tried, name, storedIn(view))}
							theirs={draft.theirs.has(entry.key) ? { value: draft.theirs.get(entry.key) } : undefined}
							onInput={(value) => draft.set(entry.key, value)}
							onYield={() => draft.yield(entry.key)}
						/>
					))}
					<SaveBar unknown={view.unknownKeys} cancel={cancel} />
				</Form>
			</div>
		</>
	);
}

const documentOf = (view: Configuration): Stored => ({ values: storedIn(view), rev: view.rev });

const documentIn = (answer: Result<Configuration>): Result<Stored> =>
	answer.ok ? { ok: true, value: documentOf(answer.value) } : answer;

function trailTo(app: App, moduleId: string, name: string): (readonly [string, string])[] {
	const list = [listHash, t("modules")] as const;
	return holds(app, manageLifecycle) ? [list, [moduleHash(moduleId), name]] : [list];
}

const faultIn = (key: Key, value: Value | undefined) =>
	value === undefined ? undefined : faultOf(key, value);

/** Why a key is invalid or incomplete. A value that is being typed is not reported before Save. */
function errorOf(
	entry: Key,
	value: Value | undefined,
	tried: boolean,
	module: string,
	stored: Readonly<Record<string, Value>>,
): string | undefined {
	const { key, type, required, configured } = entry;
	if (type === "secret") return undefined;
	const fault = faultIn(entry, value);
	if (fault !== undefined) return tried || stored[key] === value ? w(...fault) : undefined;
	if (value !== undefined) return undefined;
	if (configured && stored[key] === undefined) return w("invalidNow", { key: labelOf(entry) });
	return required && entry.default === undefined ? w("needed", { module }) : undefined;
}

function State({ app, moduleId }: { readonly app: App; readonly moduleId: string }) {
	const module = app.data.lifecycle.value.value?.modules.find(({ id }) => id === moduleId);
	return module ? <StateChip state={module.runtime.state} /> : null;
}

interface WouldChangeProps {
	readonly app: App;
	readonly moduleId: string;
	readonly values: Readonly<Record<string, Value>>;
	/** The values differ from the stored ones. */
	readonly dirty: boolean;
}

/** What the next start would do with the typed values. Nothing is saved. */
function WouldChange({ app, moduleId, values, dirty }: WouldChangeProps) {
	const ask = async () => {
		const preview = await previewValues(app.platform, moduleId, values);
		if (!preview.ok) return refuse(app, preview, manageConfiguration, preview.status === 400 ? undefined : ask);
		const nameOf = (id: string) => app.moduleName(id);
		await app.questions.ask({
			title: modulesWords("wouldChange"),
			body: consequencesOf(preview.value, moduleId, nameOf, dirty),
			aside: waitingBeside(preview.value, moduleId, nameOf),
			no: modulesWords("close"),
		});
	};
	return <Button onPress={ask}>{modulesWords("wouldChange")}</Button>;
}

interface SaveBarProps {
	readonly unknown: readonly string[];
	cancel(): unknown;
}

function SaveBar({ unknown, cancel }: SaveBarProps) {
	return (
		<div class="host-save-bar">
			<p class="d-second">
				{w("afterRestart")}{" "}
				{unknown.length > 0 && (
					<>
						{w("ignored")}{" "}
						<bdi dir="ltr" translate={false} class="d-code">
							{unknown.join(", ")}
						</bdi>
					</>
				)}
			</p>
			<Button onPress={cancel}>{t("cancel")}</Button>
			<Button kind="primary" submit busyWords={t("saving")}>
				{w("save")}
			</Button>
		</div>
	);
}
