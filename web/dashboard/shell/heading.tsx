import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../words/words";

interface HeadingProps {
	readonly title: string;
	/** The page's title, if it differs from the heading. */
	readonly page?: string;
	/** Only for screen readers, on a screen that needs no visible heading. */
	readonly unseen?: boolean;
	/** The part of the screen, if the screen has several. */
	readonly part?: string;
}

/**
 * The only h1 of a screen. It sets the page's title and gets the focus when the screen, or another part of
 * it, opens.
 */
export function Heading({ title, page = title, unseen, part }: HeadingProps) {
	const heading = useRef<HTMLHeadingElement>(null);
	useLayoutEffect(() => {
		// before the person can have moved the focus
		heading.current?.focus({ preventScroll: true });
		scrollTo(0, 0);
	}, [part]);
	useEffect(() => {
		document.title = t("titleOf", { screen: page });
	}, [page]);
	return (
		<h1 ref={heading} tabIndex={-1} class={unseen ? "d-unseen" : undefined}>
			<bdi>{title}</bdi>
		</h1>
	);
}
