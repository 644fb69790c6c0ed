/** The answer of an import, or of its preview; see Exchange of the Go SDK. */
export interface ImportAnswer {
    readonly problems: readonly ImportProblem[];
    /** More than there are in problems, if there are many. */
    readonly problemCount: number;
    /** Rows that are left out. */
    readonly skipped?: readonly ImportProblem[];
    readonly skippedCount?: number;
    /** What is imported otherwise than it stands in the file. */
    readonly notes?: readonly ImportProblem[];
    readonly noteCount?: number;
    /** The headings of the rows in skipped. */
    readonly columns?: readonly string[];
}
/** A mistake in a file. line is where, from 1; 0 means the whole file. */
export interface ImportProblem {
    readonly line: number;
    readonly code: string;
    readonly field?: string;
    /** What was found there. */
    readonly detail?: string;
    /** The cells of a row that is left out. */
    readonly row?: readonly string[];
}
type Sent<Answer, Refused> = {
    readonly ok: true;
    readonly value: Answer;
} | Refused;
/** The import of a file, of which the changes are shown first. */
export interface Transfer<Answer, Refused> {
    /** The previewed file, with its problems or the changes that its import would make. */
    readonly chosen: {
        readonly file: Blob;
        readonly answer: Answer;
    } | undefined;
    /** Why the preview or the import failed. */
    readonly refused: Refused | undefined;
    /** A file is being previewed. */
    readonly busy: boolean;
    /** Previews a file. */
    look(file: Blob | undefined): Promise<void>;
    /** Imports the previewed file. If that fails, it is still there for another attempt. */
    take(): Promise<void>;
    /** Forgets the previewed file. */
    forget(): void;
}
/**
 * Keeps the state of an import. send sends the file, for a preview or for the import, and imported is called
 * after the import.
 */
export declare function useTransfer<Answer extends ImportAnswer, Refused extends {
    readonly ok: false;
}>({ signal }: {
    readonly signal: AbortSignal;
}, send: (file: Blob, preview: boolean) => Promise<Sent<Answer, Refused>>, imported: (answer: Answer) => unknown): Transfer<Answer, Refused>;
export {};
