/**
 * The few words that the kit's components say themselves. The page that carries the kit gives them in its
 * language.
 */
export declare const kitEnglish: {
    readonly close: "Close";
    readonly optional: "optional";
    readonly show: "Show";
    readonly hide: "Hide";
    readonly showPassword: "Show password";
    readonly hidePassword: "Hide password";
    readonly copy: "Copy";
    readonly copied: "Copied";
    readonly notCopied: "Not copied. Select it and copy it yourself.";
    readonly tryAgain: "Try again";
    readonly undo: "Undo";
    readonly cancel: "Cancel";
    readonly more: "More";
    readonly loading: "Loading";
    readonly date: "Date";
    readonly time: "Time";
    readonly zone: "Times are in the time zone {zone}.";
    readonly noMatch: "Nothing matches.";
    readonly matches: {
        readonly one: "{count} match";
        readonly other: "{count} matches";
    };
    readonly moveRow: "Move {name}";
    readonly moveUp: "Move up";
    readonly moveDown: "Move down";
    readonly movedTo: "{name} moved, position {position} of {count}";
};
export type KitWordId = keyof typeof kitEnglish;
type Fillings = Readonly<Record<string, string | number>>;
export type KitSay = (id: KitWordId, fillings?: Fillings) => string;
/** The page that carries the kit sets this; a component that says something follows it. */
export declare const kitSay: import("@preact/signals-core").Signal<KitSay>;
/** The language that dates and numbers are written in. */
export declare const kitLocale: import("@preact/signals-core").Signal<string>;
export declare const k: KitSay;
export {};
