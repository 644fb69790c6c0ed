import type { ComponentChildren } from "preact";
export interface Column<Row> {
    readonly id: string;
    readonly head: string;
    /** The heading is only for screen readers. */
    readonly hideHead?: boolean;
    /** "title" is the title of the card on a phone, "actions" are at the end of the row. */
    readonly part?: "title" | "actions" | "detail";
    /** A CSS width. */
    readonly width?: string;
    cell(row: Row, at: number): ComponentChildren;
}
export interface TableProps<Row> {
    readonly label: string;
    readonly columns: readonly Column<Row>[];
    readonly rows: readonly Row[];
    readonly class?: string;
    rowId(row: Row): string;
    rowClass?(row: Row): string | undefined;
}
/** A table that becomes cards on a phone, in the same order. */
export declare function Table<Row>({ label, columns, rows, class: name, rowId, rowClass }: TableProps<Row>): import("preact").JSX.Element;
export interface ListRowProps {
    readonly lead?: ComponentChildren;
    readonly title: ComponentChildren;
    readonly second?: ComponentChildren;
    readonly children?: ComponentChildren;
    readonly moved?: boolean;
    readonly rowId?: string;
    readonly class?: string;
}
/** One row of a list whose items have actions of their own. */
export declare function ListRow({ lead, title, second, children, moved, rowId, class: name }: ListRowProps): import("preact").JSX.Element;
