import type { ComponentType } from "preact";
import type { ImportReport as Report } from "./importreport";
import type { PastImports as Past } from "./pastimports";
/** The components that few pages need, in a script that the page loads when one of them is shown. */
export interface LaterParts {
    readonly ImportReport: typeof Report;
    readonly PastImports: typeof Past;
}
type Load = <Props>(pick: (parts: LaterParts) => ComponentType<Props>) => () => Promise<ComponentType<Props>>;
/** Sets how the page loads these components. */
export declare function loadLaterBy(loader: Load): void;
export declare const ImportReport: (props: import("./importreport").ImportReportProps) => import("preact").JSX.Element;
export declare const PastImports: typeof Past;
export {};
