import { useEffect, useState } from "preact/hooks";
import type { Tools } from "./tools";

interface LastWriterProps {
	readonly tools: Tools;
	readonly id: string;
}

/** Who was the last to change a notice. It is a hint: where it cannot be had, nothing is missing. */
export function LastWriter({ tools: { api, say }, id }: LastWriterProps) {
	const [name, setName] = useState<string | null>(null);
	useEffect(() => {
		let here = true;
		void api.writer(id).then((result) => {
			if (here && result.ok) setName(result.value.name);
		});
		return () => {
			here = false;
		};
	}, [id]);
	return name === null ? null : (
		<p class="muted">
			<bdi>{say("lastWriter", { name })}</bdi>
		</p>
	);
}
