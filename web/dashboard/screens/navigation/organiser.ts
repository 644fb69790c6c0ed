import { useRef, useState } from "preact/hooks";
import type { App } from "../../app/app";
import { type Step, take } from "../../data/arranging";
import type { NavigationView } from "../../data/platform";
import type { Failure, Result } from "../../data/request";
import { refusalOf, refuse } from "../../shell/refusal";
import { t } from "../../words/words";
import { manageNavigation } from "../modules/permissions";
import { columnsOf } from "./arrangement";
import {
	groupAdded, groupDeleted, groupOf, groupRenamed, groupStepped, isAfter, labelOf, type Plan, placed,
	stepped,
} from "./plans";
import { w } from "./words";

/**
 * What to write, with the text for a toast; or the reason against it; or undefined if there is nothing to do.
 */
type Decision = { readonly plan: Plan; readonly said: string } | { readonly not: string } | undefined;

/** A completed write, which can be undone. */
type Done = Pick<Plan, "back" | "after">;

/**
 * The changes to the navigation. Each is computed from the server's current state, written at once,
 * announced, and can be undone. A change that somebody else has made meanwhile is shown, and not overwritten.
 */
export function useOrganiser(app: App, view: NavigationView) {
	const [undos, setUndos] = useState<readonly Done[]>([]);
	const [moved, setMoved] = useState<string>();
	const queue = useRef<Promise<unknown>>(Promise.resolve());
	const mine = useRef(new Map<string, string | null>()); // module → group, for moves made here
	const none = w("noGroup");
	const columns = columnsOf(view, none);

	// In sequence: a press during a write is handled after it.
	const queued = <Value>(go: () => Promise<Value>): Promise<Value> => {
		const next = queue.current.then(go, go);
		queue.current = next;
		return next;
	};
	const run = (decide: (now: NavigationView) => Decision): Promise<void> =>
		queued(async () => {
			const answer = await write(decide);
			if (!answer.ok) refused(app, answer, () => run(decide));
			else if (answer.value !== undefined) app.announce(answer.value, "assertive");
		});
	/**
	 * For a dialog, which shows itself why something was not written. The value is undefined if it was
	 * written.
	 */
	const attempt = (decide: (now: NavigationView) => Decision): Promise<string | undefined> =>
		queued(async () => {
			const answer = await write(decide);
			return answer.ok ? answer.value : refusalOf(answer, manageNavigation);
		});
	/** Writes what was decided. The value is the reason if it was decided against. */
	const write = async (decide: (now: NavigationView) => Decision): Promise<Result<string | undefined>> => {
		const read = await app.data.navigation.load();
		if (!read.ok) return read;
		const decision = decide(read.value);
		if (decision === undefined) return { ok: true, value: undefined };
		if ("not" in decision) return { ok: true, value: decision.not };
		const { plan, said } = decision;
		const answer = await take(app.platform, plan.steps);
		await app.data.navigation.load();
		if (!answer.ok) return answer;
		remember(plan.steps);
		setUndos((all) => [...all, plan]);
		app.announce(said, "polite", { label: t("undo"), run: () => undo(plan) });
		return { ok: true, value: undefined };
	};
	const undo = (done: Done): Promise<void> => {
		setUndos((all) => all.filter((one) => one !== done));
		return queued(async () => {
			const answer = await writeBack(done);
			if (answer.ok) {
				remember(done.back);
				app.announce(w("undone"));
			} else if (answer.code === changed) app.announce(w("notUndone"), "assertive");
			else refused(app, answer, () => undo(done));
		});
	};
	const writeBack = async ({ back, after }: Done): Promise<Result<undefined>> => {
		const read = await app.data.navigation.load();
		if (!read.ok) return read;
		if (!isAfter(read.value, after)) return { ok: false, status: 409, code: changed };
		const answer = await take(app.platform, back);
		await app.data.navigation.load();
		return answer;
	};
	const remember = (steps: readonly Step[]) => {
		for (const step of steps) {
			if ("put" in step && step.put === "place") mine.current.set(step.id, step.groupId);
		}
	};
	/** Whether somebody else has moved the module to another group since the person saw it. */
	const wentElsewhere = (now: NavigationView, moduleId: string) => {
		const group = groupOf(now, moduleId);
		return group !== groupOf(view, moduleId) && group !== mine.current.get(moduleId);
	};
	const moving = (
		moduleId: string,
		plan: (now: NavigationView) => Plan | undefined,
		orNothing: boolean,
	) => {
		setMoved(moduleId);
		void run((now) => {
			if (wentElsewhere(now, moduleId)) return { not: t("conflict") };
			const planned = plan(now);
			if (planned === undefined) return orNothing ? undefined : { not: t("conflict") };
			const { position, count, steps } = planned;
			const into = steps.find(({ id }) => id === moduleId);
			const group = into && "put" in into && into.put === "place" ? into.groupId : null;
			const names = columnsOf(now, none);
			const { name } = names.flatMap(({ modules }) => modules).find((one) => one.moduleId === moduleId) ?? {};
			const label = group === null ? none : (labelOf(now, group) ?? group);
			const said = { module: name ?? moduleId, group: label, position, count };
			return { plan: planned, said: w("moved", said) };
		});
	};

	const latest = undos.at(-1);
	return {
		columns,
		moved,
		undoLast: latest && (() => void undo(latest)),
		/**
		 * Moves a module to a position in a group, counted among its other modules; without a position to its
		 * end.
		 */
		move: (moduleId: string, groupId: string | null, at?: number) => {
			const others = columns
				.find(({ id }) => id === groupId)
				?.modules.filter((one) => one.moduleId !== moduleId);
			const before = at === undefined ? undefined : others?.[at]?.moduleId;
			moving(moduleId, (now) => placed(now, moduleId, groupId, before), false);
		},
		step: (moduleId: string, by: -1 | 1) => moving(moduleId, (now) => stepped(now, moduleId, by), true),
		moveGroup: (groupId: string, by: -1 | 1) =>
			void run((now) => {
				const group = labelOf(now, groupId);
				if (group === undefined) return { not: t("conflict") };
				const plan = groupStepped(now, groupId, by);
				const said = { group, position: plan?.position ?? 0, count: plan?.count ?? 0 };
				return plan && { plan, said: w("groupMoved", said) };
			}),
		addGroup: (label: string) => {
			// randomUUID exists only on secure origins
			const parts = [...crypto.getRandomValues(new Uint32Array(4))];
			const id = parts.map((part) => part.toString(36)).join("-");
			return attempt((now) => ({ plan: groupAdded(now, id, label), said: w("added", { group: label }) }));
		},
		/** Renames a group, if its current name is the one that the person saw. */
		renameGroup: (id: string, label: string, seen: string) =>
			attempt((now) => {
				const plan = labelOf(now, id) === seen ? groupRenamed(now, id, label) : undefined;
				return plan ? { plan, said: w("renamed") } : { not: t("conflict") };
			}),
		deleteGroup: (id: string) =>
			void run((now) => {
				const plan = groupDeleted(now, id);
				return plan && { plan, said: w("removed", { group: labelOf(now, id) ?? "" }) };
			}),
	};
}

/** Undoing would overwrite somebody else's change. */
const changed = "CHANGED_MEANWHILE";

/** Reports why nothing was moved, and offers what may help. */
function refused(app: App, failure: Failure, again: () => unknown): void {
	if (failure.status === 503 || failure.status === 500 || failure.status === 404)
		app.announce(w("notMoved"), "assertive", { label: t("tryAgain"), run: again });
	else refuse(app, failure, manageNavigation, again);
}
