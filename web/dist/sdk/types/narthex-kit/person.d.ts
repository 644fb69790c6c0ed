/** The first letters of a name: of its first and its last word. */
export declare function initialsOf(name: string): string;
