import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { Note, Skeleton } from "../../kit/layout";
import type { App } from "../app/app";
import type { Result } from "../data/request";
import type { Resource } from "../data/resource";
import { ErrorPage, FailureNote } from "./errorpage";
import { useLive } from "./live";
import { refusalOf } from "./refusal";
import { NoAccess } from "./notfound";

/** A resource that only this screen reads, kept up to date. */
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
	/** The permission for reading it. */
	readonly permission: string;
	/** It is part of a screen that has a heading already. */
	readonly part?: boolean;
	/** It is a form, which stays with what was typed when the permission is withdrawn. */
	readonly form?: boolean;
	children(value: Value): ComponentChildren;
}

/** The value of a resource, once it has been read. It stays if it cannot be read again. */
export function Loaded<Value>({ resource, permission, part, form, children }: LoadedProps<Value>) {
	const value = resource.value.value;
	const failed = resource.failed.value;
	const stays = part === true || (form === true && value !== undefined);
	if (failed?.failure.status === 403 && !stays) return <NoAccess permission={permission} />;
	if (value === undefined) {
		if (failed === undefined) return <Skeleton rows={part ? 2 : 6} />;
		if (part) return <FailureNote {...failed} />;
		return <ErrorPage failure={failed.failure} at={failed.at} retry={() => resource.load()} />;
	}
	return (
		<>
			{failed && (
				<div class="host-stale">
					<Note tone="warn" icon="offline" role="status">
						{refusalOf(failed.failure, permission)}
					</Note>
				</div>
			)}
			{children(value)}
		</>
	);
}
