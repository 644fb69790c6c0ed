import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
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
/**
 * Makes rows movable: with Alt and an arrow key on the grip, with buttons that call step, and by dragging the
 * grip, which Escape cancels. Rows have the attribute data-row. move must change the order. One move begins
 * when the promise of the previous one is settled, because it needs the order and the rev that this one
 * results in.
 */
export declare function useReorder(ids: readonly string[], move: (id: string, to: number) => unknown): Reorder;
/** The ids with one of them moved to another index. */
export declare function placed(ids: readonly string[], id: string, to: number): string[];
export interface GripProps {
    readonly reorder: Reorder;
    readonly id: string;
    readonly name: string;
}
/** The drag handle of a row. */
export declare function Grip({ reorder, id, name }: GripProps): import("preact").JSX.Element;
export interface ReorderListProps {
    readonly items: readonly {
        readonly id: string;
        readonly name: string;
        readonly icon?: string;
    }[];
    readonly label: string;
    onMove(id: string, to: number): unknown;
    more?(id: string): ComponentChildren;
}
/** A list with movable rows; every row has buttons for moving it. */
export declare function ReorderList({ items, label, onMove, more }: ReorderListProps): import("preact").JSX.Element;
