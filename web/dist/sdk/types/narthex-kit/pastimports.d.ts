/** An import that can be undone; see Imports of the Go SDK. */
export interface PastImport {
    readonly id: string;
    /** A moment. */
    readonly at: string;
    /** How many rows it has written, by their kind. */
    readonly counts: Readonly<Record<string, number>>;
}
/** What an undo has done. */
export interface UndoneImport {
    readonly removed: number;
    readonly restored: number;
    readonly keptCount: number;
    /** The first names of what stays. */
    readonly kept: readonly string[];
}
type Sent<Value, Refused> = {
    readonly ok: true;
    readonly value: Value;
} | Refused;
export interface PastImportsProps<Refused> {
    readonly context: {
        readonly signal: AbortSignal;
        announce(text: string, level?: "polite" | "assertive", action?: {
            readonly label: string;
            run(): unknown;
        }): void;
    };
    readonly api: {
        imports(): Promise<Sent<{
            readonly imports: readonly PastImport[];
        }, Refused>>;
        undoImport(id: string): Promise<Sent<UndoneImport, Refused>>;
    };
    /** What an import has brought, in words: "30 songs". */
    what(counts: PastImport["counts"]): string;
    /** Why an undo failed. */
    refused(result: Refused): string;
    /** What to say if there is none; without it nothing is shown then. */
    readonly none?: string;
}
/** The imports of the last day, each of which can be undone as a whole. What stays then is named. */
export declare function PastImports<Refused extends {
    readonly ok: false;
}>(props: PastImportsProps<Refused>): import("preact").JSX.Element | null;
export {};
