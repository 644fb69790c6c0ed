import { useEffect, useRef } from "preact/hooks";
import type { Shown } from "../display-src/board";
import { shownNow } from "../display-src/rotation";
import { Stage } from "../display-src/stage";
import type { Tools } from "./tools";

interface BoardNowProps {
	readonly tools: Tools;
	readonly shown: Shown | undefined;
	/** Called after every change of the board, with the slide that is shown by hand. */
	changed(shown: Shown | undefined): void;
}

/** What every screen shows now, rendered with the screens' own code and the server's time. */
export function BoardNow({ tools: { context, say, hour }, shown, changed }: BoardNowProps) {
	const screen = useRef<HTMLDivElement>(null);
	useEffect(() => {
		if (screen.current === null) return;
		const stage = new Stage({
			...{ context, container: screen.current, channel: "notices", images: "/images" },
			changed: (board, now) => changed(shownNow(board, now) ? (board.show ?? undefined) : undefined),
		});
		stage.start();
		return () => stage.stop();
	}, []);
	return (
		<figure class="now">
			<figcaption>
				<h2>{shown === undefined ? say("boardNow") : say("boardUntil", { time: hour(shown.until) })}</h2>
			</figcaption>
			<div class="screen" ref={screen} aria-hidden="true" />
		</figure>
	);
}
