import type { TablePreview } from "./transfer";
export interface ColumnChoiceProps {
    readonly table: TablePreview;
    /** What each column is called, in the order in which they are asked for. */
    readonly words: Readonly<Record<string, string>>;
    /** Called with the choice, as the parameter of the import has it. */
    choose(columns: string): unknown;
}
/** The first rows of a table, and the question which of its columns is which. */
export declare function ColumnChoice({ table, words, choose }: ColumnChoiceProps): import("preact").JSX.Element;
