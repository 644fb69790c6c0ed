/**
 * What imports of files and collections need, for the Dashboard and for modules, in a script of its own that
 * is loaded with the first page that has one.
 */
import { addStyles } from "./app/addedstyles";
import css from "./files.css";

export { CollectionScreen } from "../kit/collectionscreen";
export { ImportReport } from "../kit/importreport";
export { PastImports } from "../kit/pastimports";
export { InviteFile } from "./screens/people/invitefile";

addStyles(css);
