import { type ComponentChildren, render } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { differs, zoneOf } from "./house";
import { Icon, type IconName } from "./icons";
import { useStatus } from "./status";
import { k } from "./words";

export interface PageHeaderProps {
	/** The heading: the h1 of the screen, or an h2 below it. */
	readonly heading?: ComponentChildren;
	/** A summary of the content, such as a count in words. */
	readonly sub?: ComponentChildren;
	/** At most one primary action, as the last one. */
	readonly actions?: ComponentChildren;
}

export function PageHeader({ heading, sub, actions }: PageHeaderProps) {
	return (
		<div class="d-page-header">
			<div class="d-titles">
				{heading}
				{sub !== undefined && <p class="d-sub">{sub}</p>}
			</div>
			{actions !== undefined && <div class="d-actions">{actions}</div>}
		</div>
	);
}

export interface ScreenHeaderProps {
	readonly sub?: ComponentChildren;
	readonly actions?: ComponentChildren;
}

/**
 * The header of a module's screen. The page shows the heading, and the module adds text and actions beside it
 * with this component. If the page has no place for them, they are rendered where the component is.
 */
export function ScreenHeader({ sub, actions }: ScreenHeaderProps) {
	const places = [slot("sub"), slot("actions")] as const;
	useLayoutEffect(() => {
		if (places[0]) render(<>{sub}</>, places[0]);
		if (places[1]) render(<>{actions}</>, places[1]);
	});
	useLayoutEffect(
		() => () => {
			for (const place of places) if (place) render(null, place);
		},
		[],
	);
	return places[1] ? null : <PageHeader sub={sub} actions={actions} />;
}

const slot = (name: string): Element | null => document.querySelector(`[data-header="${name}"]`);

export interface NoteProps {
	readonly tone?: "info" | "ok" | "warn" | "bad";
	readonly icon?: IconName;
	/** "alert" if it appears while the person waits for a response, "status" if it can be read out later. */
	readonly role?: "alert" | "status";
	readonly children: ComponentChildren;
}

const noteIcons = { info: "info", ok: "check", warn: "alert", bad: "alert" } as const;

/** A message that stays in its place. */
export function Note({ tone = "info", icon, role, children }: NoteProps) {
	return (
		<div class={tone === "info" ? "d-note" : `d-note d-${tone}`} role={role === "alert" ? role : undefined}>
			<Icon name={icon ?? noteIcons[tone]} />
			<div ref={useStatus<HTMLDivElement>(role === "status")}>{children}</div>
		</div>
	);
}

interface ZoneNoteProps {
	/** Without it, the house's. */
	readonly zone?: string | undefined;
	/** It stands after other words in a line. */
	readonly after?: boolean;
}

/** The zone of the times on a page, named where this browser has another one. */
export const ZoneNote = ({ zone, after }: ZoneNoteProps) =>
	differs(zone) ? <>{(after ? " · " : "") + k("zone", { zone: zoneOf(new Date(), zone) })}</> : null;

export interface EmptyStateProps {
	readonly title: string;
	readonly help?: string;
	/** The action that adds the first item. */
	readonly action?: ComponentChildren;
}

export function EmptyState({ title, help, action }: EmptyStateProps) {
	return (
		<div class="d-empty">
			<svg
				width="64"
				height="72"
				viewBox="0 0 64 72"
				fill="none"
				stroke="currentColor"
				stroke-width="1.5"
				aria-hidden="true"
			>
				<path d="M8 68V32a24 24 0 0 1 48 0v36H43V33a11 11 0 0 0-22 0v35zM1 68.5h62" stroke-linejoin="round" />
			</svg>
			<strong>{title}</strong>
			{help !== undefined && <p>{help}</p>}
			{action}
		</div>
	);
}

export interface SkeletonProps {
	readonly rows?: number;
	/** The shape of what comes, if it is not a list: "page" is a heading above it. */
	readonly shape?: "page" | "form" | "page form" | "page cards" | "month" | undefined;
}

/** Shows nothing for 300 ms, then a placeholder for the content that is loading. */
export function Skeleton({ rows = 3, shape }: SkeletonProps) {
	const [late, setLate] = useState(false);
	useEffect(() => {
		const timer = setTimeout(() => setLate(true), 300);
		return () => clearTimeout(timer);
	}, []);
	return (
		<div class="d-skeleton" data-shape={late ? shape : undefined} aria-busy="true">
			{late && <span class="d-unseen">{k("loading")}</span>}
			{late &&
				Array.from({ length: rows }, (_, at) => (
					<i key={at}>
						<b />
						<b />
					</i>
				))}
		</div>
	);
}

/** A tile for a place or a person: an icon, or initials, in a door. */
export function Tile({
	icon,
	initials,
	lit,
}: {
	readonly icon?: string;
	readonly initials?: string;
	readonly lit?: boolean;
}) {
	return (
		<span class={lit ? "d-tile d-lit" : "d-tile"} aria-hidden="true">
			{icon === undefined ? initials : <Icon name={icon} size={16} />}
		</span>
	);
}
