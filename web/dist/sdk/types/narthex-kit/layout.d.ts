import { type ComponentChildren } from "preact";
import { type IconName } from "./icons";
export interface PageHeaderProps {
    /** The heading: an h1 of the screen's own, or an h2 below it. */
    readonly heading?: ComponentChildren;
    /** What there is, counted in words. */
    readonly sub?: ComponentChildren;
    /** One primary action, last. */
    readonly actions?: ComponentChildren;
}
export declare function PageHeader({ heading, sub, actions }: PageHeaderProps): import("preact").JSX.Element;
export interface ScreenHeaderProps {
    readonly sub?: ComponentChildren;
    readonly actions?: ComponentChildren;
}
/**
 * The header of a module's screen: the page shows its heading, and here a module says what stands beside it.
 * Where the page has no place for that, it stands where it is.
 */
export declare function ScreenHeader({ sub, actions }: ScreenHeaderProps): import("preact").JSX.Element | null;
export interface NoteProps {
    readonly tone?: "info" | "ok" | "warn" | "bad";
    readonly icon?: IconName;
    /** "alert" where it comes while the person waits for a response. */
    readonly role?: "alert" | "status";
    readonly children: ComponentChildren;
}
/** A sentence that stays where it is. */
export declare function Note({ tone, icon, role, children }: NoteProps): import("preact").JSX.Element;
export interface EmptyStateProps {
    readonly title: string;
    readonly help?: string;
    /** What fills it. */
    readonly action?: ComponentChildren;
}
export declare function EmptyState({ title, help, action }: EmptyStateProps): import("preact").JSX.Element;
/** Nothing for 300 ms, then the outline of what is coming. */
export declare function Skeleton({ rows }: {
    readonly rows?: number;
}): import("preact").JSX.Element;
/** A place, or a person: an icon or initials in a door. */
export declare function Tile({ icon, initials, lit, }: {
    readonly icon?: string;
    readonly initials?: string;
    readonly lit?: boolean;
}): import("preact").JSX.Element;
