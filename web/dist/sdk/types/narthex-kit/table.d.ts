import type { ComponentChildren } from "preact";
export interface Column<Row> {
    readonly id: string;
    readonly head: string;
    /** The head is said and not shown. */
    readonly hideHead?: boolean;
    /** "title" leads the card on a phone, "actions" stand at the end of a row. */
    readonly part?: "title" | "actions" | "detail";
    /** As CSS has it. */
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
/** One row of a list of things that can be acted on alone. */
export declare function ListRow({ lead, title, second, children, moved, rowId, class: name }: ListRowProps): import("preact").JSX.Element;
