import type { Platform } from "./platform";
import { nothing, type Result } from "./request";
import { object, orNull, text } from "./shape";

const invited = object({ email: text, name: orNull(text) });

/** Whom a link invites. */
export type Invited = ReturnType<typeof invited>;

const path = "/api/v1/invitations";

/** What a mailed link is good for. The token is in the body, so that no log or history keeps it. */
export const inspectInvitation = (platform: Platform, token: string): Promise<Result<Invited>> =>
	platform.send("POST", `${path}/inspect`, { token }, invited);

/** Makes the account. It signs nobody in. */
export const acceptInvitation = (
	platform: Platform,
	wanted: { readonly token: string; readonly name: string; readonly password: string },
): Promise<Result<undefined>> => platform.send("POST", `${path}/accept`, wanted, nothing);
