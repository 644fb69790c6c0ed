import { Note } from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Tools } from "./tools";

interface KindFieldsProps {
	readonly tools: Tools;
	readonly kind: string;
	/** The initial value; later the fields keep their own. */
	readonly payload: unknown;
	onChange(payload: object): void;
}

/** The fields of a kind of slide that another module contributes. */
export function KindFields({ tools, kind, payload, onChange }: KindFieldsProps) {
	const { context, say, kinds } = tools;
	const place = useRef<HTMLDivElement>(null);
	const [missing, setMissing] = useState(false);
	useEffect(() => {
		let dispose: (() => void) | void;
		let gone = false;
		void kinds.load(kind).then((loaded) => {
			if (gone || place.current === null) return;
			setMissing(loaded === undefined);
			const { locale, dir } = context;
			const api = (path: string, init?: RequestInit) => kinds.api(kind, path, init);
			const page = { serverNow: () => context.serverNow(), locale, dir, api };
			dispose = loaded?.edit(place.current, payload, onChange, page);
		});
		return () => {
			gone = true;
			dispose?.();
		};
	}, [kind]);
	return (
		<>
			{missing && (
				<Note tone="warn">
					<p>{say("otherKind")}</p>
				</Note>
			)}
			<div class="d-fields" ref={place} />
		</>
	);
}
