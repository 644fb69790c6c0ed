/**
 * Why the platform would refuse a name that is not empty, for the field in which it is typed; undefined if it
 * would not. The spaces around it do not count.
 */
export declare function nameError(typed: string, limit: number): string | undefined;
