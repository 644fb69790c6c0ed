import { signal } from "@preact/signals";

/** The host's own screens. While a module is mounted, the host shows only the indicator. */
export type Screen =
	| { readonly is: "booting" }
	| { readonly is: "unpaired"; readonly code: string; readonly removed: boolean }
	/** Somebody without the display's permission is signed in here. */
	| { readonly is: "signed-in"; readonly failed: boolean }
	| { readonly is: "approved"; readonly label: string; readonly lines: "paired" | "leave-on" }
	| { readonly is: "mounted" }
	| { readonly is: "offline" }
	/** The server responds, but the module has sent nothing to show. */
	| { readonly is: "empty" }
	/** The server has no code for this screen now. */
	| { readonly is: "no-code"; readonly removed: boolean }
	| { readonly is: "unavailable" }
	| { readonly is: "refused"; readonly code: string }
	/** The server does not pair screens under this page's address. */
	| { readonly is: "misplaced" }
	/** This browser keeps no cookies, so it could not use a code. */
	| { readonly is: "no-cookies" };

export const screen = signal<Screen>({ is: "booting" });

/** Shows a screen, unless it is shown already. */
export function show(next: Screen): void {
	if (JSON.stringify(screen.peek()) !== JSON.stringify(next)) screen.value = next;
}

/** The module's name: made from its id until the server has sent it. */
export const moduleName = signal("");
