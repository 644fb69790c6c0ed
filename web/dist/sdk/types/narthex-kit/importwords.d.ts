/** The texts of imports, which are loaded with their components. */
declare const english: {
    readonly importLine: "Line {line}: {problem}";
    readonly importRefused: "Nothing was changed. This file cannot be imported:";
    readonly importLeft: {
        readonly one: "{count} row is left out:";
        readonly other: "{count} rows are left out:";
    };
    readonly importLeftSave: "Save these rows as a file";
    readonly importLeftName: "-left-out.csv";
    readonly importReason: "Reason";
    readonly importNotes: {
        readonly one: "{count} thing comes in differently:";
        readonly other: "{count} things come in differently:";
    };
    readonly importMore: {
        readonly one: "and {count} more";
        readonly other: "and {count} more";
    };
    readonly importTake: "Import";
    readonly importUnderWay: "The file is being imported. A large one takes some seconds.";
    readonly importWhich: "Which column is which? These are the first rows of the file.";
    readonly importFirstRows: "The first rows of the file";
    readonly importAbove: {
        readonly one: "The first row has headings, and nothing to import";
        readonly other: "The first {count} rows have headings, and nothing to import";
    };
    readonly importNoColumn: "not in the file";
    readonly importNeeds: "Choose the column: {columns}.";
    readonly importOr: " or ";
    readonly importLook: "Show what would come in";
    readonly importOther: "Choose the columns yourself";
    readonly importsPast: "Imports of the last day";
    readonly importsPastHelp: "Undo takes back what an import has brought and changed, except what somebody has changed or used since.";
    readonly importUndoOf: "Undo the import of {when}";
    readonly importUndone: "Undone. Removed: {removed}. As before the import: {restored}.";
    readonly importKept: {
        readonly one: "{count} stays, because somebody has changed or used it since{names}";
        readonly other: "{count} stay, because somebody has changed or used them since{names}";
    };
};
type WordId = keyof typeof english;
export declare const w: (id: WordId, fillings?: Readonly<Record<string, string | number>>) => string;
export {};
