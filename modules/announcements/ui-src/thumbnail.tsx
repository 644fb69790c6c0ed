import { Tile } from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import { ownKind, type Slide } from "./slide";
import type { Tools } from "./tools";

interface ThumbnailProps {
	readonly tools: Tools;
	readonly slide: Slide;
}

/** A small picture of a slide, or its kind. The picture is fetched when it becomes visible. */
export function Thumbnail({ tools: { pictures }, slide: { kind, imageId } }: ThumbnailProps) {
	const place = useRef<HTMLSpanElement>(null);
	const [src, setSrc] = useState<string>();
	useEffect(() => {
		setSrc(undefined);
		if (imageId === null || place.current === null) return;
		let gone = false;
		const seen = new IntersectionObserver(([entry]) => {
			if (!entry?.isIntersecting) return;
			seen.disconnect();
			void pictures.address(imageId).then((address) => {
				if (!gone) setSrc(address);
			});
		});
		seen.observe(place.current);
		return () => {
			gone = true;
			seen.disconnect();
		};
	}, [imageId]);
	return (
		<span class="thumbnail" ref={place} aria-hidden="true">
			{src === undefined ? (
				<Tile icon={kind === ownKind ? "text" : "modules"} />
			) : (
				<img src={src} alt="" decoding="async" onError={() => setSrc(undefined)} />
			)}
		</span>
	);
}
