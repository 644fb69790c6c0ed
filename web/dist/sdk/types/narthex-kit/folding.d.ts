/** The form in which texts are compared, as on the server: without marks (ö is o) and case, with ß as ss. */
export declare const folded: (text: string) => string;
/** Whether a text has every word of a search. */
export declare function hasWords(text: string, typed: string): boolean;
/** Where a text has a search, as written there: the first index and the one after the last. */
export declare function placeOf(text: string, typed: string): [number, number] | undefined;
