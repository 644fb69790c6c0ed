import type { ComponentChildren } from "preact";
import type { App } from "../app/app";

interface LinkProps {
	readonly app: App;
	readonly to: string;
	readonly class?: string;
	readonly current?: boolean;
	/** Its words may need two lines. */
	readonly long?: boolean;
	/** The whole name, where the words are too few: "Settings of Rota". */
	readonly label?: string;
	readonly children: ComponentChildren;
}

/**
 * A way to another screen. It asks before unsaved work is left; new tabs and windows are left to the browser.
 */
export function Link({ app, to, class: name, current, long, label, children }: LinkProps) {
	return (
		<a
			href={to}
			class={name}
			aria-label={label}
			data-long={long ? "" : undefined}
			aria-current={current ? "page" : undefined}
			onClick={(event) => {
				if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
				event.preventDefault();
				app.router.go(to);
			}}
		>
			{children}
		</a>
	);
}
