import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { IconButton } from "./button";
import { Icon } from "./icons";
import { ListRow } from "./table";
import { k } from "./words";

/** How far a pointer must move before a drag begins, in pixels. */
const dragThreshold = 8;

export interface Reorder {
	/** The ids in the order shown: while a row is dragged, with that row at its new place. */
	readonly order: readonly string[];
	readonly dragged: string | undefined;
	/** The row that was moved last. */
	readonly moved: string | undefined;
	/** Moves a row up or down by one; does nothing at the end of the list. */
	step(id: string, by: -1 | 1): void;
	grip(id: string): ButtonHTMLAttributes;
}

interface Drag {
	readonly id: string;
	readonly startY: number;
	readonly to: number | undefined;
}

/**
 * Makes rows movable: with Alt and an arrow key on the grip, with buttons that call step, and by dragging the
 * grip, which Escape cancels. Rows have the attribute data-row. move must change the order. One move begins
 * when the promise of the previous one is settled, because it needs the order and the rev that this one
 * results in.
 */
export function useReorder(ids: readonly string[], move: (id: string, to: number) => unknown): Reorder {
	const [drag, setDrag] = useState<Drag>();
	const [moved, setMoved] = useState<string>();
	const latest = useRef<Drag | undefined>(undefined);
	const follow = (next: Drag | undefined) => {
		latest.current = next;
		setDrag(next);
	};
	const shown = useRef({ ids, move });
	shown.current = { ids, move };
	const moves = useRef<Promise<unknown>>(Promise.resolve());
	const go = (id: string, place: (ids: readonly string[]) => number) => {
		const next = async () => {
			const { ids, move } = shown.current;
			const to = place(ids);
			if (!ids.includes(id) || to < 0 || to >= ids.length || to === ids.indexOf(id)) return;
			setMoved(id);
			await move(id, to);
			await new Promise((drawn) => setTimeout(drawn)); // the new order is drawn before the next move
		};
		moves.current = moves.current.then(next).catch(reportError);
	};
	const step = (id: string, by: -1 | 1) => go(id, (ids) => ids.indexOf(id) + by);
	const drop = () => {
		const ended = latest.current;
		follow(undefined);
		const to = ended?.to;
		if (ended !== undefined && to !== undefined) go(ended.id, () => to);
	};
	return {
		order: drag?.to === undefined ? ids : placed(ids, drag.id, drag.to),
		dragged: drag?.to === undefined ? undefined : drag.id,
		moved,
		step,
		grip: (id) => ({
			onKeyDown: (event) => {
				if (event.key === "Escape" && latest.current) return follow(undefined);
				if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
				event.preventDefault();
				step(id, event.key === "ArrowUp" ? -1 : 1);
			},
			onPointerDown: (event) => {
				if (event.button !== 0) return;
				event.currentTarget.setPointerCapture(event.pointerId);
				follow({ id, startY: event.clientY, to: undefined });
			},
			onPointerMove: (event) => {
				const now = latest.current;
				if (now === undefined) return;
				if (now.to === undefined && Math.abs(event.clientY - now.startY) < dragThreshold) return;
				const to = rowAt(event.currentTarget, event.clientY, ids.length);
				if (to !== undefined && to !== now.to) follow({ ...now, to });
			},
			onPointerUp: drop,
			onPointerCancel: () => follow(undefined),
		}),
	};
}

/** The ids with one of them moved to another index. */
export function placed(ids: readonly string[], id: string, to: number): string[] {
	const others = ids.filter((other) => other !== id);
	return [...others.slice(0, to), id, ...others.slice(to)];
}

/** The index of the row at a vertical position. */
function rowAt(grip: Element, y: number, count: number): number | undefined {
	const rows = [...(grip.closest("[data-row]")?.parentElement?.querySelectorAll("[data-row]") ?? [])];
	if (rows.length !== count) return undefined;
	const at = rows.findIndex((row) => y < row.getBoundingClientRect().bottom);
	return at < 0 ? count - 1 : at;
}

export interface GripProps {
	readonly reorder: Reorder;
	readonly id: string;
	readonly name: string;
}

/** The drag handle of a row. */
export function Grip({ reorder, id, name }: GripProps) {
	return (
		<button
			type="button"
			class="d-quiet d-icon d-grip"
			aria-label={k("moveRow", { name })}
			{...reorder.grip(id)}
		>
			<Icon name="grip" />
		</button>
	);
}

export interface ReorderListProps {
	readonly items: readonly { readonly id: string; readonly name: string; readonly icon?: string }[];
	readonly label: string;
	onMove(id: string, to: number): unknown;
	more?(id: string): ComponentChildren;
}

/** A list with movable rows; every row has buttons for moving it. */
export function ReorderList({ items, label, onMove, more }: ReorderListProps) {
	const reorder = useReorder(
		items.map(({ id }) => id),
		onMove,
	);
	const byId = new Map(items.map((item) => [item.id, item]));
	return (
		<ol class="d-list" aria-label={label}>
			{reorder.order.map((id) => {
				const { name = "" } = byId.get(id) ?? {};
				return (
					<ListRow
						key={id}
						rowId={id}
						moved={reorder.moved === id}
						lead={<Grip reorder={reorder} id={id} name={name} />}
						title={<bdi>{name}</bdi>}
					>
						<IconButton icon="up" label={`${k("moveUp")}: ${name}`} onPress={() => reorder.step(id, -1)} />
						<IconButton icon="down" label={`${k("moveDown")}: ${name}`} onPress={() => reorder.step(id, 1)} />
						{more?.(id)}
					</ListRow>
				);
			})}
		</ol>
	);
}
