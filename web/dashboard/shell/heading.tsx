import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../words/words";

interface HeadingProps {
	readonly title: string;
	/** Names the page for who hears it; who sees it needs no words. */
	readonly unseen?: boolean;
	/** Which part of the screen it heads, where there are several. */
	readonly part?: string;
}

/** The one h1 of a screen. It names the page, and takes the focus when its screen, or a part of it, comes. */
export function Heading({ title, unseen, part }: HeadingProps) {
	const heading = useRef<HTMLHeadingElement>(null);
	useLayoutEffect(() => {
		// before anybody can have put the focus elsewhere
		heading.current?.focus({ preventScroll: true });
		scrollTo(0, 0);
	}, [part]);
	useEffect(() => {
		document.title = t("titleOf", { screen: title });
	}, [title]);
	return (
		<h1 ref={heading} tabIndex={-1} class={unseen ? "unseen" : undefined}>
			<bdi>{title}</bdi>
		</h1>
	);
}
