import { useRef, useState } from "preact/hooks";
import type { App } from "../../app/app";
import { type Step, take } from "../../data/arranging";
import type { NavigationView } from "../../data/platform";
import { refuse } from "../../shell/live";
import { t } from "../../words/words";
import { manageNavigation } from "../modules/permissions";
import { columnsOf, placesOf, reordered } from "./arrangement";
import { w } from "./words";

/** What people do with the navigation. Each is written at once, said, and can be undone. */
export function useOrganiser(app: App, view: NavigationView) {
	const [undos, setUndos] = useState<readonly (readonly Step[])[]>([]);
	const [moved, setMoved] = useState<string>();
	const queue = useRef<Promise<unknown>>(Promise.resolve());
	const columns = columnsOf(view, w("noGroup"));
	const groups = columns.filter(({ id }) => id !== null);
	const places = placesOf(view);

	const undo = (steps: readonly Step[]) => {
		setUndos((all) => all.filter((one) => one !== steps));
		return run(steps, undefined, w("undone"));
	};
	// One after the other: a press while the one before is under way comes after it.
	const run = (steps: readonly Step[], back: readonly Step[] | undefined, said: string) => {
		const go = async () => {
			const answer = await take(app.platform, steps);
			await app.data.navigation.load();
			if (!answer.ok) {
				const again = () => void run(steps, back, said);
				if (answer.status === 403 || answer.status === 401) refuse(app, answer, manageNavigation);
				else app.announce(w("notMoved"), "assertive", { label: t("tryAgain"), run: again });
				return false;
			}
			if (back) setUndos((all) => [...all, back]);
			app.announce(said, "polite", back && { label: t("undo"), run: () => void undo(back) });
			return true;
		};
		const next = queue.current.then(go, go);
		queue.current = next;
		return next;
	};
	const placeAgain = (moduleId: string): Step => {
		const { groupId = null, order = null } = places.get(moduleId) ?? {};
		if (order === null) return { delete: "place", id: moduleId };
		return { put: "place", id: moduleId, groupId, order };
	};

	return {
		columns,
		moved,
		undoLast: undos.at(-1) && (() => void undo(undos.at(-1) ?? [])),
		/** Moves a module to a place of a group. */
		move: (moduleId: string, groupId: string | null, at: number) => {
			const to = columns.find(({ id }) => id === groupId);
			if (to === undefined) return;
			const others = to.modules.filter((one) => one.moduleId !== moduleId).map((one) => one.moduleId);
			const ids = [...others.slice(0, at), moduleId, ...others.slice(at)];
			const orders = reordered(ids, moduleId, (id) =>
				id === moduleId ? null : (places.get(id)?.order ?? null),
			);
			const steps = orders.map(({ id, order }): Step => ({ put: "place", id, groupId, order }));
			const names = columns.flatMap(({ modules }) => modules);
			const module = names.find((one) => one.moduleId === moduleId)?.name ?? moduleId;
			setMoved(moduleId);
			const said = { module, group: to.label, position: ids.indexOf(moduleId) + 1, count: ids.length };
			void run(steps, orders.map(({ id }) => placeAgain(id)), w("moved", said));
		},
		moveGroup: (groupId: string, by: -1 | 1) => {
			const ids = groups.map(({ id }) => id ?? "");
			const to = ids.indexOf(groupId) + by;
			if (to < 0 || to >= ids.length) return;
			const others = ids.filter((id) => id !== groupId);
			const wanted = [...others.slice(0, to), groupId, ...others.slice(to)];
			const byId = new Map(groups.map((group) => [group.id ?? "", group]));
			const orders = reordered(wanted, groupId, (id) =>
				id === groupId ? null : (byId.get(id)?.order ?? null),
			);
			const labelOf = (id: string) => byId.get(id)?.label ?? "";
			const put = (id: string, order: number): Step => ({ put: "group", id, label: labelOf(id), order });
			const said = { group: byId.get(groupId)?.label ?? "", position: to + 1, count: ids.length };
			void run(
				orders.map(({ id, order }) => put(id, order)),
				orders.map(({ id }) => put(id, byId.get(id)?.order ?? 0)),
				w("groupMoved", said),
			);
		},
		addGroup: (label: string) => {
			// randomUUID is there on secure origins alone
			const id = [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-");
			const order = Math.min((groups.at(-1)?.order ?? 0) + 1024, 1_000_000);
			return run([{ put: "group", id, label, order }], [{ delete: "group", id }], w("added", { group: label }));
		},
		renameGroup: (id: string, label: string) => {
			const { order = 0, label: before = "" } = groups.find((group) => group.id === id) ?? {};
			const back: Step = { put: "group", id, label: before, order };
			return run([{ put: "group", id, label, order }], [back], w("renamed"));
		},
		deleteGroup: (id: string) => {
			const group = groups.find((one) => one.id === id);
			if (group === undefined) return;
			const { label, order, modules } = group;
			const itself: Step = { put: "group", id, label, order };
			const back = [itself, ...modules.map((one) => placeAgain(one.moduleId))];
			void run([{ delete: "group", id }], back, w("removed", { group: label }));
		},
	};
}
