import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./button";
import type { CollectionComponent } from "./collection";
import type { ImportReport as Report } from "./importreport";
import { Note, Skeleton } from "./layout";
import type { PastImports as Past } from "./pastimports";
import { k } from "./words";

/** The components that few pages need, in a script that the page loads when one of them is shown. */
export interface LaterParts {
	readonly ImportReport: typeof Report;
	readonly PastImports: typeof Past;
	readonly CollectionScreen: CollectionComponent;
}

type Load = <Props>(
	pick: (parts: LaterParts) => ComponentType<Props>,
) => () => Promise<ComponentType<Props>>;

let load: Load | undefined;

/** Sets how the page loads these components. */
export function loadLaterBy(loader: Load): void {
	load = loader;
}

/** A component that is loaded when it is shown first. */
function later<Props extends object>(pick: (parts: LaterParts) => ComponentType<Props>) {
	return (props: Props) => {
		const [loaded, setLoaded] = useState<{ readonly Part: ComponentType<Props> }>();
		const [failed, setFailed] = useState(false);
		const begin = async (): Promise<void> => {
			setFailed(false);
			try {
				if (load) setLoaded({ Part: await load(pick)() });
			} catch {
				setFailed(true);
			}
		};
		useEffect(() => void begin(), []);
		if (loaded) return <loaded.Part {...props} />;
		if (!failed) return <Skeleton rows={2} />;
		return (
			<Note tone="bad" role="alert">
				<p>{k("notLoaded")}</p>
				<Button onPress={begin}>{k("tryAgain")}</Button>
			</Note>
		);
	};
}

export const ImportReport = later(({ ImportReport }) => ImportReport);
export const PastImports = later<object>(
	({ PastImports }) => PastImports as ComponentType<object>,
) as unknown as typeof Past;
/**
 * The screen of a collection, of which the server half is the SDK's Collection: a list with pages and search,
 * in which people add, edit, order and delete rows, bring them in and take them out.
 *
 *	<CollectionScreen
 *		context={context}
 *		path="/books"
 *		write="library.write"
 *		channel="books"
 *		search
 *		fields={{ title: { type: "text", max: 120 }, pages: { type: "number", optional: true } }}
 *		words={{
 *			en: { title: "Books", add: "New book", empty: "No books yet", fields: { title: "Title", … } },
 *			de: { title: "Bücher", add: "Neues Buch", empty: "Keine Bücher", fields: { title: "Titel", … } },
 *		}}
 *	/>
 */
export const CollectionScreen = later<object>(
	({ CollectionScreen }) => CollectionScreen as unknown as ComponentType<object>,
) as unknown as CollectionComponent;
