import type { ModuleApi, Refusal } from "../sdk/narthex-sdk"; // see importwords.ts
import type { CollectionFields, CollectionRow, CollectionScreenProps, CollectionWords } from "./collection";
import type { Typed } from "./collectionfields";
import type { Refused, Rows } from "./collectionrows";

/** A row as this screen sees it. */
export type One = CollectionRow & Readonly<Record<string, unknown>>;

/** The properties of the screen, whatever its fields and rows are. */
export interface Given extends Omit<CollectionScreenProps<CollectionFields, One>, "open" | "send" | "check"> {
	open?(row: One): Typed;
	send?(values: Typed, row: One | undefined): object;
	check?(values: Typed): Readonly<Record<string, string | undefined>>;
}

/** What every part of a collection's screen has. */
export interface Collected extends Given {
	/** The author's words, in the person's language if they have it. */
	readonly own: CollectionWords<CollectionFields>;
	readonly language: string;
	readonly api: ModuleApi<Refusal>;
	readonly writes: boolean;
	readonly list: Rows<One>;
	nameOf(row: One): string;
	/** The address of a part of this screen. */
	to(part: string): string;
	/** A row that the list has in full. */
	known(id: unknown): One | undefined;
	/** Reads a row anew; undefined if that fails, or if there is none. */
	fresh(id: unknown, failed?: (why: Refused) => void): Promise<One | undefined>;
	/** What a refusal means. */
	refusal(why: Refused): string;
	/** Says why something failed, with a way to try it again where that can help. */
	fail(why: Refused, again: () => unknown): void;
	/** Deletes a row; false if it is still there. */
	remove(row: One): Promise<boolean>;
	export(): Promise<void>;
}
