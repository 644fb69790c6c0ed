import { useEffect, useState } from "preact/hooks";
import type { Tools } from "./tools";

interface LastWriterProps {
	readonly tools: Tools;
	readonly id: string;
}

/** The last writer of a slide. It is only a hint: if the request fails, nothing is shown. */
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
		<p class="d-muted">
			<bdi>{say("lastWriter", { name })}</bdi>
		</p>
	);
}
