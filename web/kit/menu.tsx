import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons";

export interface MenuItem {
	readonly id: string;
	readonly label: string;
	readonly icon?: IconName;
	/**
	 * A dangerous item: below a separator and in the colour of danger. Its label ends in "…", because it asks
	 * for confirmation.
	 */
	readonly grave?: boolean;
	/** Disabled for now, but still reachable by keyboard. */
	readonly idle?: boolean;
	onPick(): unknown;
}

export interface MenuProps {
	readonly label: string;
	readonly icon?: IconName;
	/** The button's text, in addition to the icon. */
	readonly words?: string;
	readonly items: readonly MenuItem[];
	readonly class?: string;
}

/**
 * A button with a menu that opens above everything. Arrows, Home, End and letters move the focus, Escape
 * closes the menu.
 */
export function Menu({ label, icon = "more", words, items, class: name }: MenuProps) {
	const id = useId();
	const [open, setOpen] = useState(false);
	const button = useRef<HTMLButtonElement>(null);
	const menu = useRef<HTMLDivElement>(null);
	const close = (focus: boolean) => {
		setOpen(false);
		if (focus) button.current?.focus();
	};
	useLayoutEffect(() => {
		const shown = menu.current;
		if (!open || !shown || !button.current) return;
		if ("showPopover" in shown) shown.showPopover();
		else lift(shown);
		place(shown, button.current);
		shown.querySelector("button")?.focus();
		return () => shown.remove();
	}, [open]);
	useEffect(() => {
		if (!open) return;
		const stop = new AbortController();
		const outside = (event: Event) => {
			const target = event.target as Node;
			if (!menu.current?.contains(target) && !button.current?.contains(target)) setOpen(false);
		};
		document.addEventListener("pointerdown", outside, stop);
		document.addEventListener("focusin", outside, stop);
		addEventListener("resize", () => setOpen(false), stop);
		document.addEventListener("scroll", outside, { ...stop, capture: true, signal: stop.signal });
		return () => stop.abort();
	}, [open]);
	const keys = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
		const all = [...event.currentTarget.querySelectorAll("button")];
		const at = all.indexOf(document.activeElement as HTMLButtonElement);
		const to = target(event.key, at, all);
		if (to !== undefined) {
			event.preventDefault();
			to.focus();
		} else if (event.key === "Escape" || event.key === "Tab") {
			if (event.key === "Escape") event.preventDefault();
			event.stopPropagation();
			close(true);
		}
	};
	return (
		<span class="d-menu-button-holder">
			<button
				type="button"
				ref={button}
				class={name ?? (words === undefined ? "d-quiet d-icon" : "d-quiet d-small")}
				aria-label={label}
				title={words === undefined ? label : undefined}
				aria-haspopup="menu"
				aria-expanded={open}
				aria-controls={open ? id : undefined}
				onClick={() => setOpen(!open)}
				onKeyDown={(event) => {
					if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
					event.preventDefault();
					setOpen(true);
				}}
			>
				{words}
				{words === undefined ? <Icon name={icon} /> : <Icon name="chevronDown" size={16} />}
			</button>
			{open && (
				<div id={id} ref={menu} class="d-menu" role="menu" aria-label={label} popover="manual" onKeyDown={keys}>
					{items.map((item, at) => (
						<>
							{item.grave && at > 0 && <hr role="separator" />}
							<button
								key={item.id}
								type="button"
								role="menuitem"
								tabIndex={-1}
								class={item.grave ? "d-grave" : undefined}
								aria-disabled={item.idle || undefined}
								onClick={() => {
									if (item.idle) return;
									close(true);
									item.onPick();
								}}
							>
								{item.icon && <Icon name={item.icon} size={16} />}
								{item.label}
							</button>
						</>
					))}
				</div>
			)}
		</span>
	);
}

/** The item to which a key moves the focus. */
function target(key: string, at: number, all: readonly HTMLButtonElement[]): HTMLButtonElement | undefined {
	if (key === "ArrowDown") return all[(at + 1) % all.length];
	if (key === "ArrowUp") return all[(at - 1 + all.length) % all.length];
	if (key === "Home") return all[0];
	if (key === "End") return all[all.length - 1];
	if (key.length !== 1 || key === " ") return undefined;
	const after = [...all.slice(at + 1), ...all.slice(0, at + 1)];
	return after.find(({ textContent }) => textContent.trim().toLowerCase().startsWith(key.toLowerCase()));
}

/** Does for browsers without popovers what those do: no ancestor may clip or move the menu. */
function lift(menu: HTMLElement): void {
	(menu.closest("dialog") ?? document.body).append(menu);
}

/** Positions the menu below its button and aligned with it, or above if there is more room. */
function place(shown: HTMLElement, button: HTMLElement): void {
	const { top, bottom, left, right } = button.getBoundingClientRect();
	const { offsetWidth: width, offsetHeight: height } = shown;
	const rightToLeft = getComputedStyle(button).direction === "rtl";
	const start = rightToLeft ? left : right - width;
	const above = bottom + 4 + height > innerHeight && top > innerHeight - bottom;
	shown.style.left = `${Math.max(8, Math.min(start, innerWidth - width - 8))}px`;
	shown.style.top = `${Math.max(8, above ? top - 4 - height : bottom + 4)}px`;
}
