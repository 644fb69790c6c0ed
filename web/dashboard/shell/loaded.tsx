import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { Note, Skeleton } from "../../kit/layout";
import type { App } from "../app/app";
import { accountHash } from "../app/route";
import type { Failure, Result } from "../data/request";
import type { Resource } from "../data/resource";
import { t } from "../words/words";
import { ErrorPage, FailureNote } from "./errorpage";
import { Heading } from "./heading";
import { useLive } from "./live";
import { NoAccess } from "./notfound";
import { refusalOf } from "./refusal";

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

interface RefusedProps {
	readonly failure: Failure;
	/** The permission for reading what the screen shows. */
	readonly permission: string;
}

/** In place of a screen that was refused. Who lacks only a passkey is led to where they add one. */
export function Refused({ failure, permission }: RefusedProps) {
	if (failure.code !== "SECOND_FACTOR_MISSING") return <NoAccess permission={permission} />;
	return (
		<div class="d-card d-stack">
			<Heading title={t("dashboard")} unseen />
			<p role="alert">{refusalOf(failure, permission)}</p>
			<a class="d-button d-primary" href={accountHash}>
				{t("account")}
			</a>
		</div>
	);
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
	if (failed?.failure.status === 403 && !stays)
		return <Refused failure={failed.failure} permission={permission} />;
	if (value === undefined) {
		if (failed === undefined) {
			if (part) return <Skeleton rows={2} />;
			return <Skeleton rows={6} shape={form ? "page form" : "page"} />;
		}
		if (part && failed.failure.status === 403) {
			return <Note tone="warn">{refusalOf(failed.failure, permission)}</Note>;
		}
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
