import { type ComponentChildren } from "preact";
import { type IconName } from "./icons";
export interface PageHeaderProps {
    /** The heading: the h1 of the screen, or an h2 below it. */
    readonly heading?: ComponentChildren;
    /** A summary of the content, such as a count in words. */
    readonly sub?: ComponentChildren;
    /** At most one primary action, as the last one. */
    readonly actions?: ComponentChildren;
}
export declare function PageHeader({ heading, sub, actions }: PageHeaderProps): import("preact").JSX.Element;
export interface ScreenHeaderProps {
    readonly sub?: ComponentChildren;
    readonly actions?: ComponentChildren;
}
/**
 * The header of a module's screen. The page shows the heading, and the module adds text and actions beside it
 * with this component. If the page has no place for them, they are rendered where the component is.
 */
export declare function ScreenHeader({ sub, actions }: ScreenHeaderProps): import("preact").JSX.Element | null;
export interface NoteProps {
    readonly tone?: "info" | "ok" | "warn" | "bad";
    readonly icon?: IconName;
    /** "alert" if it appears while the person waits for a response, "status" if it can be read out later. */
    readonly role?: "alert" | "status";
    readonly children: ComponentChildren;
}
/** A message that stays in its place. */
export declare function Note({ tone, icon, role, children }: NoteProps): import("preact").JSX.Element;
interface ZoneNoteProps {
    /** Without it, the house's. */
    readonly zone?: string | undefined;
    /** It stands after other words in a line. */
    readonly after?: boolean;
}
/** The zone of the times on a page, named where this browser has another one. */
export declare const ZoneNote: ({ zone, after }: ZoneNoteProps) => import("preact").JSX.Element | null;
export interface EmptyStateProps {
    readonly title: string;
    readonly help?: string;
    /** The action that adds the first item. */
    readonly action?: ComponentChildren;
}
export declare function EmptyState({ title, help, action }: EmptyStateProps): import("preact").JSX.Element;
export interface SkeletonProps {
    readonly rows?: number;
    /** The shape of what comes, if it is not a list: "page" is a heading above it. */
    readonly shape?: "page" | "form" | "page form" | "page cards" | "month" | undefined;
}
/** Shows nothing for 300 ms, then a placeholder for the content that is loading. */
export declare function Skeleton({ rows, shape }: SkeletonProps): import("preact").JSX.Element;
/** A tile for a place or a person: an icon, or initials, in a door. */
export declare function Tile({ icon, initials, lit, }: {
    readonly icon?: string;
    readonly initials?: string;
    readonly lit?: boolean;
}): import("preact").JSX.Element;
export {};
