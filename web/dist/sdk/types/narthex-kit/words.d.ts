/** The texts of the kit's own components. The page sets them in its language. */
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
    readonly incomplete: "This date or time is incomplete.";
    readonly skipped: "The clock skips {time} on this day. Choose {first} or {second}.";
    readonly zone: "Times are in the time zone {zone}.";
    readonly noMatch: "Nothing matches.";
    readonly matches: {
        readonly one: "{count} match";
        readonly other: "{count} matches";
    };
    readonly moveRow: "Move {name}";
    readonly moveUp: "Move up";
    readonly moveDown: "Move down";
    readonly draftKept: "Your draft is kept.";
    readonly discard: "Discard";
    readonly discardTitle: "Discard what you have typed?";
    readonly leaveHelp: "What you have not saved is lost.";
    readonly stay: "Stay";
    readonly nameHidden: "This has a character that nobody sees ({code}). Delete it, or type the name again.";
    readonly nameBlank: "Nobody can see this name. Use letters or digits.";
    readonly nameLong: {
        readonly one: "At most {count} character.";
        readonly other: "At most {count} characters.";
    };
    readonly notLoaded: "This part of the page could not be loaded.";
};
export type KitWordId = keyof typeof kitEnglish;
type Fillings = Readonly<Record<string, string | number>>;
export type KitSay = (id: KitWordId, fillings?: Fillings) => string;
/** Set by the page; components with a text of their own re-render when it changes. */
export declare const kitSay: import("@preact/signals-core").Signal<KitSay>;
/** The language for formatting dates and numbers. */
export declare const kitLocale: import("@preact/signals-core").Signal<string>;
export declare const k: KitSay;
export {};
