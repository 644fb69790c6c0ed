import { useEffect } from "preact/hooks";
import type { Resource } from "../data/resource";

/** How often visible data are read again, in milliseconds. */
const every = 15_000;

/** The users of each resource, oldest first: the oldest one's timer reads it for all of them. */
const watchers = new WeakMap<Resource<unknown>, readonly symbol[]>();

/**
 * Keeps a resource up to date while its screen is open: it is read now, regularly, and when the person
 * returns to the page, so that changes of other administrators appear. known: the page has just read it.
 */
export function useLive(resource: Resource<unknown> | undefined, pause = every, known = false): void {
	useEffect(() => {
		if (resource === undefined) return;
		const watcher = Symbol();
		watchers.set(resource, [...(watchers.get(resource) ?? []), watcher]);
		const read = () => {
			if (document.visibilityState === "visible") void resource.load();
		};
		if (!known) void resource.load();
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
