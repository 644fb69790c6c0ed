import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../words/words";

interface HeadingProps {
	readonly title: string;
	/** What the page is called, where that is not the heading. */
	readonly page?: string;
	/** For screen readers only: the screen explains itself to people who see it. */
	readonly unseen?: boolean;
	/** Which part of the screen it heads, where the screen has several. */
	readonly part?: string;
}

/**
 * The one h1 of a screen. It names the page and takes the focus when the screen, or another part of it,
 * opens.
 */
export function Heading({ title, page = title, unseen, part }: HeadingProps) {
	const heading = useRef<HTMLHeadingElement>(null);
	useLayoutEffect(() => {
		// before anybody can have put the focus elsewhere
		heading.current?.focus({ preventScroll: true });
		scrollTo(0, 0);
	}, [part]);
	useEffect(() => {
		document.title = t("titleOf", { screen: page });
	}, [page]);
	return (
		<h1 ref={heading} tabIndex={-1} class={unseen ? "unseen" : undefined}>
			<bdi>{title}</bdi>
		</h1>
	);
}
