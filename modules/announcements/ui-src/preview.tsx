import { Status } from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import type { BoardSlide } from "../display-src/board";
import { type Frame, frameOf } from "../display-src/frame";
import type { Draft } from "./slide";
import type { Tools } from "./tools";

interface PreviewProps {
	readonly tools: Tools;
	readonly draft: Draft;
}

/** A slide as the screen will show it, rendered with the same code. */
export function Preview({ tools, draft }: PreviewProps) {
	const { say } = tools;
	const stage = useRef<HTMLDivElement>(null);
	const [cut, setCut] = useState(false);
	const { kind, title, body, imageId, payload } = draft;
	useEffect(() => {
		let frame: Frame | undefined;
		let stopped = false;
		const words = title.trim() || say("previewTitle");
		const slide: BoardSlide = {
			...{ id: "", rev: 0, position: 0, startsAt: null, endsAt: null },
			...{ kind, title: words, body, imageId, payload },
		};
		void frameOf(slide, {
			...tools,
			room: () => ({ width: stage.current?.clientWidth ?? 0, height: stage.current?.clientHeight ?? 0 }),
			now: () => tools.context.serverNow(),
		}).then((made) => {
			if (stopped || made === undefined) return made?.dispose();
			frame = made;
			stage.current?.replaceChildren(made.element);
			setCut(!made.fit());
		});
		return () => {
			stopped = true;
			frame?.dispose();
		};
	}, [kind, title, body, imageId, payload]);
	return (
		<figure class="preview">
			<figcaption>{say("preview")}</figcaption>
			<div class="screen" aria-hidden="true">
				<div
					class="stage d-themed"
					data-theme="dark"
					data-accent={document.documentElement.dataset["accent"]}
					ref={stage}
				/>
			</div>
			{cut && (
<Status class="d-muted">{say("cut")}</Status>)}
		</figure>
	);
}
