import type { ComponentChildren, VNode } from "preact";
import type { FieldProps } from "./field";
/** A row of a collection, as its list has it. */
export interface CollectionRow {
    readonly id: string | number;
    readonly rev: number;
}
interface AnyField {
    /** It may stay empty. */
    readonly optional?: boolean;
    /** What a new row begins with, as it is typed. */
    readonly initial?: string | boolean;
    /** Replaces the input: for a value that people choose elsewhere, or that needs more than one control. */
    input?(props: CollectionInputProps): ComponentChildren;
}
/**
 * A field of the form, and the column of the server that it is for. What the server's tag says is said here,
 * too, so that most mistakes are told before anything is sent.
 */
export type CollectionField = AnyField & ({
    /** One line, or several. */
    readonly type: "text" | "lines";
    readonly max?: number;
    /** How high the input of several lines is. */
    readonly rows?: number;
    /** The column may be NULL, and is when this stays empty. */
    readonly nullable?: boolean;
} | {
    readonly type: "number";
    readonly min?: number;
    readonly max?: number;
    /** It may have digits after the point. */
    readonly fraction?: boolean;
}
/** A day, a yes or no, or a list of texts. */
 | {
    readonly type: "date" | "switch" | "tags";
}
/** One of some texts, which the words translate. */
 | {
    readonly type: "choice";
    readonly of: readonly string[];
});
export type CollectionFields = Readonly<Record<string, CollectionField>>;
/** What is typed: true or false for a switch, a text for every other field. */
export type CollectionValues<Fields extends CollectionFields> = {
    readonly [Name in keyof Fields]: Fields[Name] extends {
        readonly type: "switch";
    } ? boolean : string;
};
/** What an input of the author's own gets. */
export interface CollectionInputProps extends FieldProps {
    readonly value: string;
    onInput(value: string): void;
}
/** What a field is called, with the help below it and the words for its choices. */
export interface CollectionLabel {
    readonly label: string;
    readonly help?: string;
    readonly options?: Readonly<Record<string, string>>;
}
/** The author's words in one language. All other words are the kit's. */
export interface CollectionWords<Fields extends CollectionFields> {
    /** The page's title: "Books". */
    readonly title: string;
    /** The button that adds a row: "New book". */
    readonly add: string;
    /** What stands in an empty list: "There are no books yet", and what those who may write can do about it. */
    readonly empty: string;
    readonly emptyHelp?: string;
    /** The label of the search; otherwise "Search". */
    readonly search?: string;
    /** What else is deleted with a row. With it a deletion asks; without it a deletion can be undone. */
    readonly deleteHelp?: string;
    readonly fields: {
        readonly [Name in keyof Fields]: string | CollectionLabel;
    };
    /** What codes of the server mean, and what to do: { BOOK_IN_USE: "Somebody has this book." } */
    readonly refusals?: Readonly<Record<string, string>>;
}
/** What the screen needs of a module's context. */
export interface CollectionContext {
    readonly signal: AbortSignal;
    readonly locale: string;
    readonly permissions: readonly string[];
    readonly subpath: string;
    readonly module: {
        readonly id: string;
    };
    readonly drafts: {
        get(key: string): unknown;
        set(key: string, value: unknown): void;
        delete(key: string): void;
        form(key: string): () => void;
    };
    api(path: string, init?: RequestInit): Promise<Response>;
    realtime(channel: string, reader: {
        snapshot(value: unknown): void;
        update?(value: unknown): void;
    }): () => void;
    navigate(subpath: string, options?: {
        replace?: boolean;
    }): void;
    onNavigate(listener: (subpath: string) => void): () => void;
    announce(text: string, level?: "polite" | "assertive", action?: {
        readonly label: string;
        run(): unknown;
    }): void;
    confirm(question: {
        readonly title: string;
        readonly body: string | readonly string[];
        readonly yes: string;
        readonly no: string;
        readonly danger?: boolean;
    }): Promise<boolean>;
    setTitle(title: string): void;
}
/**
 * A list of a collection's rows and the form in which one is edited. Row is what the list has of a row, and
 * Full what the form reads and GET of one row returns; both follow from the functions that are given.
 */
export interface CollectionScreenProps<Fields extends CollectionFields, Row extends CollectionRow = CollectionRow, Full extends CollectionRow = Row> {
    readonly context: CollectionContext;
    /** The Path of the server's Collection: "/books". */
    readonly path: string;
    /** Its Write: who has this permission adds, edits and deletes; everybody else reads. */
    readonly write: string;
    /** In the order of the form. The first one is the row's name. */
    readonly fields: Fields;
    /** By language; English is what every other language gets. */
    readonly words: {
        readonly en: CollectionWords<Fields>;
        readonly [code: string]: CollectionWords<Fields>;
    };
    /** The channel of its changes, which the list follows: any whose messages have a rev. */
    readonly channel?: string;
    /**
     * The part of the module's address where this screen is: "books" is the list then, books/new and books/<id>
     * are the form. Without it, the list is the module's start.
     */
    readonly at?: string;
    /** The form stands above the list instead of on a page of its own: for a field or two. */
    readonly inline?: boolean;
    /** The list has a search: a column of the server has the word search. */
    readonly search?: boolean;
    /** People order the rows: the server's T has a Position. */
    readonly ordered?: boolean;
    /** Rows come in and go out as a table. */
    readonly transfer?: "export" | "both";
    /** The server answers the list as a whole (Whole). */
    readonly whole?: boolean;
    /** The list has only a part of each row (Listed), so the form reads the row first. */
    readonly partial?: boolean;
    /** The rows, if the page has them already. Then no list is read. */
    readonly rows?: readonly Row[];
    /** Further buttons of the page. */
    readonly buttons?: ComponentChildren;
    /** What a row is called in messages and for screen readers; otherwise its first field. */
    name?(row: Row): string;
    /** What a row shows instead of its name. */
    title?(row: Row): ComponentChildren;
    /** What stands below, instead of the line of its other short fields. */
    second?(row: Row, line: string): ComponentChildren;
    /** Further controls of a row. */
    actions?(row: Row): ComponentChildren;
    /** What the form begins with, where columns are not what is typed. */
    open?(row: Full): CollectionValues<Fields>;
    /** The body of a request for a new row, or for an edited one; the screen adds the rev. As open. */
    send?(values: CollectionValues<Fields>, row: Full | undefined): object;
    /** What is wrong with what is typed, by field, beyond what the fields say. */
    check?(values: CollectionValues<Fields>): {
        readonly [Name in keyof Fields]?: string | undefined;
    };
}
/** What CollectionScreen is. */
export type CollectionComponent = <const Fields extends CollectionFields, Row extends CollectionRow = CollectionRow, Full extends CollectionRow = Row>(props: CollectionScreenProps<Fields, Row, Full>) => VNode;
export {};
