interface SlideViewProps {
	readonly title: string;
	readonly body: string;
}

/** A notice as the board shows it, in whatever size there is. */
export function SlideView({ title, body }: SlideViewProps) {
	return (
		<div class="slide" dir="auto">
			<div class="slide-title">{title}</div>
			{body !== "" && <div class="slide-body">{body}</div>}
		</div>
	);
}
