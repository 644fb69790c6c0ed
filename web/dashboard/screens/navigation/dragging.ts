import type { ButtonHTMLAttributes } from "preact";
import { useRef, useState } from "preact/hooks";

/** How far a pointer must move before a drag begins, in pixels. */
const dragThreshold = 8;

/** Where a dragged module would be dropped. */
export interface Target {
	readonly group: string;
	readonly at: number;
}

interface Drag {
	readonly id: string;
	readonly startY: number;
	readonly target: Target | undefined;
}

/**
 * Drags a row by its grip into any group. The rows do not move meanwhile, but the target is marked; Escape
 * cancels. Groups have the attribute data-group, rows data-row.
 */
export function useDragging(drop: (id: string, target: Target) => void) {
	const [drag, setDrag] = useState<Drag>();
	const latest = useRef<Drag | undefined>(undefined);
	const follow = (next: Drag | undefined) => {
		latest.current = next;
		setDrag(next);
	};
	return {
		dragged: drag?.target === undefined ? undefined : drag.id,
		target: drag?.target,
		grip: (id: string): ButtonHTMLAttributes => ({
			onPointerDown: (event) => {
				if (event.button !== 0) return;
				event.currentTarget.setPointerCapture(event.pointerId);
				follow({ id, startY: event.clientY, target: undefined });
			},
			onPointerMove: (event) => {
				const now = latest.current;
				if (now === undefined) return;
				if (now.target === undefined && Math.abs(event.clientY - now.startY) < dragThreshold) return;
				follow({ ...now, target: targetAt(event.clientY, now.id) });
			},
			onPointerUp: () => {
				const ended = latest.current;
				follow(undefined);
				if (ended?.target) drop(ended.id, ended.target);
			},
			onPointerCancel: () => follow(undefined),
			onKeyDown: (event) => {
				if (event.key === "Escape") follow(undefined);
			},
		}),
	};
}

/** The group at a vertical position, and how many of its other rows are above that position. */
function targetAt(y: number, dragged: string): Target | undefined {
	const groups = [...document.querySelectorAll<HTMLElement>("[data-group]")];
	const group = groups.find((one) => y < one.getBoundingClientRect().bottom) ?? groups.at(-1);
	if (group === undefined) return undefined;
	const rows = [...group.querySelectorAll<HTMLElement>("[data-row]")].filter(
		({ dataset }) => dataset["row"] !== dragged,
	);
	const above = rows.filter((row) => {
		const { top, height } = row.getBoundingClientRect();
		return y > top + height / 2;
	});
	return { group: group.dataset["group"] ?? "", at: above.length };
}
