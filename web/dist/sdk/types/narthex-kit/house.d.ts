/** What an administrator has set for the whole house. */
export interface House {
    readonly name: string | null;
    readonly language: string;
    /** The IANA name of the zone of every time; null: none is set, and the browser's is used. */
    readonly timeZone: string | null;
}
/** The house; undefined until the page knows it. The page sets it. */
export declare const kitHouse: import("@preact/signals-core").Signal<House | undefined>;
/**
 * Formats moments as times of the house. A component that uses the result renders again when the house gets
 * another zone.
 */
export declare function houseTime(language: string, options: Intl.DateTimeFormatOptions): (moment: string | number | Date) => string;
/** A moment on the house's clock, to the minute: "2026-12-06T10:00". */
export declare const localTime: (moment: string | number | Date) => string;
/**
 * The moment of a time on the house's clock, as RFC 3339: of a time that exists twice, the first. One that
 * the clock skips gets the offset before that. "" if it is no time.
 */
export declare function instantOf(local: string): string;
/** Of a time that the clock skips in spring: the time as long before, and the one as long after. */
export declare function besideSkipped(local: string): readonly [string, string] | undefined;
/** The name of a zone with its offset: "Berlin, UTC+2"; without a zone, of the house's. */
export declare function zoneOf(at: Date, zone?: string | undefined): string;
/** Whether a zone, or the house's, has another clock than this browser, in summer or in winter. */
export declare function differs(zone?: string | undefined): boolean;
