import type { ImportAnswer, ImportProblem } from "./transfer";
export interface ImportReportProps {
    /** The file's name. */
    readonly name: string;
    readonly answer: ImportAnswer;
    /** What the import changes, and examples of it, a line each. */
    readonly effects: readonly string[];
    /** There is something to import. */
    readonly ready: boolean;
    /** What a code means and what to do about it, without the line. */
    problem(one: ImportProblem): string;
    /** The file has lists instead of lines: line is a position in one of them, and problem tells it. */
    readonly lists?: boolean;
    /** Of a table: what its columns are called, in their order, and what is done with a choice of them. */
    readonly columns?: Readonly<Record<string, string>>;
    choose?(columns: string): unknown;
    take(): unknown;
    forget(): void;
}
/** The preview of an import: what it changes, the rows that it leaves out, and what it changes in others. */
export declare function ImportReport(props: ImportReportProps): import("preact").JSX.Element;
