import { Tile } from "@narthex/kit";
import { useEffect, useRef, useState } from "preact/hooks";
import { type ImageAttributes, imageAttributes } from "../display-src/pictures";
import { ownKind, type Slide } from "./slide";
import type { Tools } from "./tools";

/** How large a thumbnail is (style.css). */
const box = { width: 64, height: 36 };

interface ThumbnailProps {
	readonly tools: Tools;
	readonly slide: Slide;
}

/** A small picture of a slide, or its kind. The picture is fetched when it becomes visible. */
export function Thumbnail({ tools: { pictures }, slide: { kind, imageId } }: ThumbnailProps) {
	const place = useRef<HTMLSpanElement>(null);
	const [image, setImage] = useState<ImageAttributes>();
	useEffect(() => {
		setImage(undefined);
		if (imageId === null || place.current === null) return;
		let gone = false;
		const seen = new IntersectionObserver(([entry]) => {
			if (!entry?.isIntersecting) return;
			seen.disconnect();
			void pictures.addresses(imageId).then((found) => {
				if (!gone) setImage(found && imageAttributes(found, box));
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
			{image === undefined ? (
				<Tile icon={kind === ownKind ? "text" : "modules"} />
			) : (
				<img {...image} alt="" decoding="async" onError={() => setImage(undefined)} />
			)}
		</span>
	);
}
