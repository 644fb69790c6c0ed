import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
export interface Reorder {
    /** The ids as they are shown: while a row is dragged, where it would come. */
    readonly order: readonly string[];
    readonly dragged: string | undefined;
    /** The row that was moved last. */
    readonly moved: string | undefined;
    /** Moves a row up or down by one; nothing at an end. */
    step(id: string, by: -1 | 1): void;
    grip(id: string): ButtonHTMLAttributes;
}
/**
 * Lets rows change places: by Alt and an arrow on the grip, by buttons that call step, and by dragging the
 * grip, which Escape cancels. Rows carry data-row. The caller moves the row and answers once that is kept.
 */
export declare function useReorder(ids: readonly string[], move: (id: string, to: number) => unknown): Reorder;
/** The ids with one of them at another place. */
export declare function placed(ids: readonly string[], id: string, to: number): string[];
export interface GripProps {
    readonly reorder: Reorder;
    readonly id: string;
    readonly name: string;
}
/** The handle of a row. */
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
/** A list whose rows change places; every row has its buttons. */
export declare function ReorderList({ items, label, onMove, more }: ReorderListProps): import("preact").JSX.Element;
