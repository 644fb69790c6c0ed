import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { Note, Skeleton } from "../../kit/layout";
import type { ToastAction } from "../../kit/toast";
import type { App } from "../app/app";
import type { Failure, Result } from "../data/request";
import type { Resource } from "../data/resource";
import { sentenceOf } from "../words/failure";
import { t } from "../words/words";
import { NoAccess } from "./nowhere";
import { FailureNote, Trouble } from "./trouble";

/** How often what is shown is read again while somebody looks at it, milliseconds. */
const every = 15_000;

/** Who keeps a resource up to date, the oldest first: that one reads it every so often, for all of them. */
const watchers = new WeakMap<Resource<unknown>, readonly symbol[]>();

/**
 * Keeps a resource up to date as long as its screen is open: it is read now, every so often, and when the
 * person comes back, so that what another administrator does appears.
 */
export function useLive(resource: Resource<unknown> | undefined, pause = every): void {
	useEffect(() => {
		if (resource === undefined) return;
		const watcher = Symbol();
		watchers.set(resource, [...(watchers.get(resource) ?? []), watcher]);
		const read = () => {
			if (document.visibilityState === "visible") void resource.load();
		};
		void resource.load();
		const timer = setInterval(() => watchers.get(resource)?.[0] === watcher && read(), pause);
		addEventListener("focus", read);
		document.addEventListener("visibilitychange", read);
		return () => {
			watchers.set(resource, watchers.get(resource)?.filter((other) => other !== watcher) ?? []);
			clearInterval(timer);
			removeEventListener("focus", read);
			document.removeEventListener("visibilitychange", read);
		};
	}, [resource]);
}

/** Something that only this screen reads, kept up to date. */
export function useResource<Value>(
	app: App,
	read: () => Promise<Result<Value>>,
	inputs: readonly unknown[] = [],
): Resource<Value> {
	const resource = useMemo(() => app.data.resource(read), inputs);
	useLive(resource);
	return resource;
}

interface LoadedProps<Value> {
	readonly resource: Resource<Value>;
	/** What reading it takes. */
	readonly permission: string;
	/** It is a part of a screen, which has its heading already. */
	readonly part?: boolean;
	children(value: Value): ComponentChildren;
}

/** What a resource holds, once it has been read. It stays when it cannot be read again. */
export function Loaded<Value>({ resource, permission, part, children }: LoadedProps<Value>) {
	const value = resource.value.value;
	const failed = resource.failed.value;
	if (failed?.failure.status === 403 && !part) return <NoAccess permission={permission} />;
	if (value === undefined) {
		if (failed === undefined) return <Skeleton rows={part ? 2 : 6} />;
		if (part) return <FailureNote {...failed} />;
		return <Trouble failure={failed.failure} at={failed.at} retry={() => resource.load()} />;
	}
	return (
		<>
			{failed && (
				<div class="stale">
					<Note tone="warn" icon="offline" role="status">
						{sentenceOf(failed.failure)}
					</Note>
				</div>
			)}
			{children(value)}
		</>
	);
}

/** What became of a write that was refused, in words. */
export function refusalOf(failure: Failure, permission: string): string {
	return failure.status === 403 ? t("noAccess", { permission }) : sentenceOf(failure);
}

/** Says that a write was refused. A refused permission is asked for again. */
export function refuse(app: App, failure: Failure, permission: string, again?: ToastAction["run"]): void {
	const retry = again && failure.status !== 403 ? { label: t("tryAgain"), run: again } : undefined;
	app.announce(refusalOf(failure, permission), "assertive", retry);
	if (failure.status === 401 || failure.status === 403) void app.data.navigation.load();
}
