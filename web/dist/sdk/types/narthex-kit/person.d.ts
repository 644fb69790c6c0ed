/** The initials of a name: the first letters of its first and its last word. */
export declare function initialsOf(name: string): string;
