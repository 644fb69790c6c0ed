import { Button, Note } from "@narthex/kit";
import type { Failed } from "./api";
import { refusalIn, type Tools } from "./tools";

interface RefusedProps {
	readonly tools: Tools;
	readonly refused: Failed;
	/** Reads it again. */
	again(): unknown;
}

/** In place of a page that could not be read. */
export function Refused({ tools: { say }, refused, again }: RefusedProps) {
	return (
		<div class="d-stack">
			<Note tone="bad" role="alert">
				<p>{refusalIn(say, refused)}</p>
			</Note>
			<Button kind="primary" onPress={again}>
				{say("tryAgain")}
			</Button>
		</div>
	);
}
