import type { ComponentType } from "preact";
import type { CollectionComponent } from "./collection";
import type { ImportReport as Report } from "./importreport";
import type { PastImports as Past } from "./pastimports";
/** The components that few pages need, in a script that the page loads when one of them is shown. */
export interface LaterParts {
    readonly ImportReport: typeof Report;
    readonly PastImports: typeof Past;
    readonly CollectionScreen: CollectionComponent;
}
type Load = <Props>(pick: (parts: LaterParts) => ComponentType<Props>) => () => Promise<ComponentType<Props>>;
/** Sets how the page loads these components. */
export declare function loadLaterBy(loader: Load): void;
export declare const ImportReport: (props: import("./importreport").ImportReportProps) => import("preact").JSX.Element;
export declare const PastImports: typeof Past;
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
export declare const CollectionScreen: CollectionComponent;
export {};
