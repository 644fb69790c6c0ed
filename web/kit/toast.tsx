import { effect, signal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button, IconButton } from "./button";
import { openDialogs } from "./dialog";
import { Icon } from "./icons";
import { k } from "./words";

export interface ToastAction {
	readonly label: string;
	run(): unknown;
}

export interface Toast {
	readonly text: string;
	/** "assertive" is for failures: it interrupts screen readers, and stays until it is closed. */
	readonly level: "polite" | "assertive";
	/** Undo, or Try again. */
	readonly action?: ToastAction | undefined;
}

/** How long a success is shown, in milliseconds. */
const shownFor = 8_000;

/** The latest message to the person, for sighted people and screen readers. There is one at a time. */
export class Toasts {
	readonly current = signal<Toast | undefined>(undefined);

	/** Shows a message. The returned function closes it, if it is still shown. */
	show(toast: Toast): () => void {
		const shown = { ...toast };
		this.current.value = shown;
		return () => this.current.peek() === shown && this.close();
	}
	close(): void {
		this.current.value = undefined;
	}
}

/**
 * Renders the toasts, and the page's only polite and only assertive live region. It is moved into the
 * uppermost open dialog, because the rest of the page is inert then.
 */
export function ToastRegion({ toasts }: { readonly toasts: Toasts }) {
	const home = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		const place = document.createElement("div");
		place.className = "d-toast-place";
		render(<Region toasts={toasts} />, place);
		const stop = effect(() => (openDialogs.value.at(-1) ?? home.current)?.prepend(place));
		addEventListener("click", press, true);
		return () => {
			stop();
			removeEventListener("click", press, true);
			render(null, place);
			place.remove();
		};
	}, [toasts]);
	return <div ref={home} />;
}

/** What the person has pressed last. Its toast must not cover it. */
let pressed: Element | undefined;
const press = ({ target }: Event) => (pressed = target instanceof Element ? target : undefined);

/** Moves a toast above what made it, if it would cover that. */
function keepClear(toast: HTMLElement): void {
	toast.style.insetBlockEnd = "";
	const made = pressed?.closest("button, a, label, [role=option]")?.getBoundingClientRect();
	if (made === undefined || toast.closest("dialog") !== null) return;
	const { top, bottom, left, right } = toast.getBoundingClientRect();
	if (made.bottom < top || made.top > bottom || made.right < left || made.left > right) return;
	toast.style.insetBlockEnd = `${innerHeight - made.top + 12}px`;
}

function Region({ toasts }: { readonly toasts: Toasts }) {
	const toast = toasts.current.value;
	const [said, setSaid] = useState<Toast>();
	const [held, setHeld] = useState(false);
	const whole = useRef<HTMLDivElement>(null);
	const before = useRef<Element | null>(null);
	useEffect(() => {
		setSaid(undefined); // so that screen readers read a repeated text again
		if (toast === undefined) return;
		const timer = setTimeout(() => setSaid(toast), 50);
		return () => clearTimeout(timer);
	}, [toast]);
	useEffect(() => {
		if (toast === undefined || toast.level === "assertive" || held) return;
		const timer = setTimeout(() => toasts.current.peek() === toast && toasts.close(), shownFor);
		return () => clearTimeout(timer);
	}, [toast, held]);
	const close = () => {
		const focused = whole.current?.contains(document.activeElement) === true;
		setHeld(false);
		toasts.close();
		if (focused) restoreFocus(before.current);
	};
	useLayoutEffect(() => {
		if (said !== undefined && whole.current !== null) keepClear(whole.current);
	}, [said]);
	const error = said?.level === "assertive";
	return (
		<div
			class="d-toast"
			ref={whole}
			data-empty={said === undefined ? "" : undefined}
			onPointerEnter={() => setHeld(true)}
			onPointerLeave={() => setHeld(false)}
			onFocusIn={(event) => {
				if (!whole.current?.contains(event.relatedTarget as Node))
					before.current = event.relatedTarget as Element;
				setHeld(true);
			}}
			onFocusOut={() => setHeld(false)}
			onKeyDown={(event) => {
				if (event.key !== "Escape") return;
				event.preventDefault(); // otherwise it would also close the dialog
				close();
			}}
		>
			{said && <Icon name={error ? "alert" : "check"} />}
			<div role="status">{error ? "" : said?.text}</div>
			<div role="alert" aria-live="assertive">
				{error ? said.text : ""}
			</div>
			{said?.action && (
				<Button
					onPress={() => {
						const { action } = said;
						close();
						action?.run();
					}}
				>
					{said.action.label}
				</Button>
			)}
			{error && <IconButton icon="x" label={k("close")} onPress={close} />}
		</div>
	);
}

/** Returns the focus to the element that had it, or to the screen's heading if that element is gone. */
export function restoreFocus(to: Element | null): void {
	if (to instanceof HTMLElement && to.isConnected) to.focus();
	if (document.activeElement === document.body || document.activeElement === null) focusHeading();
}

/** Focuses the screen's heading when the focused element is removed. */
export function focusHeading(): void {
	document.querySelector<HTMLElement>("h1[tabindex]")?.focus();
}
