import type { Question } from "./dialog";
/** What is typed into a form. It outlives the form unless it is saved or discarded. */
export interface Draft<Value> {
    readonly value: Value;
    /** The value differs from the one with which the form began. */
    readonly dirty: boolean;
    /** The value was typed before the form was opened. */
    readonly restored: boolean;
    /** Sets the value, or changes the latest one. */
    set(value: Value | ((before: Value) => Value)): void;
    /** Begins again with a stored value. What was typed is forgotten. */
    begin(value: Value): void;
    /** Begins again with the value with which the form began. */
    discard(): void;
}
/** Keeps drafts: the `drafts` of a module's context. */
interface Keeper {
    get(key: string): unknown;
    set(key: string, value: unknown): void;
    delete(key: string): void;
    form(key: string): () => void;
}
/**
 * The value of a form. A form that is left by any way but Save or Cancel keeps it: the person is told, and
 * finds it when the form is opened again (DraftNote).
 */
export declare function useDraft<Value>(drafts: Keeper, key: string, 
/** The stored value, or that of a new one. Without it the form calls begin, unless a draft was restored. */
initial: Value | (() => Value), 
/** Compares a value with the one with which the form began. */
differs?: (value: Value, base: Value) => boolean): Draft<Value>;
type Typed = Pick<Draft<unknown>, "dirty" | "restored" | "discard">;
interface DraftNoteProps {
    readonly draft: Typed;
    /** Discards the draft; by default the form shows its initial values again. */
    discard?(): unknown;
}
/** At the start of a form: says that its text is a draft from before, and discards it. */
export declare function DraftNote({ draft, discard }: DraftNoteProps): import("preact").JSX.Element | null;
interface OtherVersionProps {
    /** Each field's label, and its text in both versions. */
    readonly fields: readonly (readonly [label: string, mine: string, theirs: string])[];
}
/** What somebody else has saved meanwhile, of the fields in which it differs from what is typed. */
export declare function OtherVersion({ fields }: OtherVersionProps): import("preact").JSX.Element;
type Asking = Required<Omit<Question, "aside">>;
/**
 * For Cancel and Escape: whether the form may be closed. What was typed is discarded, after the person has
 * agreed.
 */
export declare function mayClose(draft: Typed, ask: (question: Asking) => Promise<boolean>): Promise<boolean>;
export {};
