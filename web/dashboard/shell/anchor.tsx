import type { ComponentChildren } from "preact";
import type { App } from "../app/app";

interface LinkProps {
	readonly app: App;
	readonly to: string;
	readonly class?: string;
	readonly current?: boolean;
	/** Its text may need two lines. */
	readonly long?: boolean;
	/** The full accessible name if the text is too short: "Settings of Rota". */
	readonly label?: string;
	readonly children: ComponentChildren;
}

/**
 * A link to another screen. It asks before unsaved work is lost; the browser handles new tabs and windows.
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
