import { signal } from "@preact/signals";
import { screen } from "./screen";

const shiftEvery = 60_000; // milliseconds
const shiftReach = 8; // pixels
const cornerEvery = 600_000;
const dimAfter = 20 * 60_000;

/** The corner in which the indicator is now. */
export const corner = signal(0);

/** Moves everything a little every minute, against burn-in: on a slow path within 8 pixels. */
export function shiftSlowly(element: HTMLElement): void {
	let step = 0;
	setInterval(() => {
		step++;
		const x = Math.round(Math.sin(step / 2.3) * shiftReach);
		const y = Math.round(Math.sin(step / 3.7) * shiftReach);
		element.style.transform = `translate(${x}px, ${y}px)`;
	}, shiftEvery);
	setInterval(() => (corner.value = (corner.peek() + 1) % 4), cornerEvery);
}

/**
 * Dims content that has not changed for a while, and restores the brightness at the next change. Many writes
 * change nothing, because every stream reconnects within five minutes and receives the same snapshot. A clock
 * that ticks is a change: people who look at it must be able to read what is beside it.
 */
export function dimWhenStill(element: HTMLElement): void {
	let shown = contentOf(element);
	let changedAt = performance.now();
	let dimmed = false;
	const set = (dim: boolean) => {
		if (dim !== dimmed) document.documentElement.toggleAttribute("data-dimmed", (dimmed = dim));
	};
	const compare = () => {
		const now = contentOf(element);
		if (now === shown) return;
		shown = now;
		changedAt = performance.now();
		set(false);
	};
	const what = { subtree: true, childList: true, characterData: true, attributes: true };
	new MutationObserver(() => dimmed && compare()).observe(element, what);
	setInterval(() => {
		compare();
		set(performance.now() - changedAt >= dimAfter);
	}, 10_000);
}

/** The elements and texts below a root, those in open shadow trees as well. */
function contentOf(root: Element | ShadowRoot): string {
	let content = root.innerHTML;
	for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot) content += contentOf(shadowRoot);
	return content;
}

/**
 * Keeps the screen awake while a display is mounted and visible. If the browser refuses that, nothing is
 * done.
 */
export function stayAwake(): void {
	let lock: WakeLockSentinel | undefined;
	let asking = false;
	const ask = async () => {
		const wanted = screen.peek().is === "mounted" && document.visibilityState === "visible";
		if (!wanted || asking || (lock && !lock.released)) return;
		asking = true;
		try {
			lock = await navigator.wakeLock?.request("screen");
		} catch {
			lock = undefined;
		}
		asking = false;
	};
	document.addEventListener("visibilitychange", () => void ask());
	screen.subscribe(() => void ask());
}
