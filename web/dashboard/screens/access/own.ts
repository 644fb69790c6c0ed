import { useEffect, useMemo } from "preact/hooks";
import type { App } from "../../app/app";
import type { Result } from "../../data/request";
import type { Resource } from "../../data/resource";

/**
 * What one section of the account reads. It is read once, and after the person's own changes: nobody else
 * changes it, and a page with many reads of its own would find out sooner than others that a session has
 * ended, with words typed into it.
 */
export function useOwn<Value>(app: App, read: () => Promise<Result<Value>>): Resource<Value> {
	const who = app.session.who.value;
	const resource = useMemo(() => app.data.resource(read), [who.is === "person" ? who.userId : ""]);
	useEffect(() => {
		void resource.load();
	}, [resource]);
	return resource;
}
