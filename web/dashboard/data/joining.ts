import type { Platform } from "./platform";
import { nothing, type Result } from "./request";
import { object, orNull, text } from "./shape";

const invited = object({ email: text, name: orNull(text) });

/** The person whom a link invites. */
export type Invited = ReturnType<typeof invited>;

const path = "/api/v1/invitations";

/** Checks an emailed link. The token is sent in the body, so that it is in no log and no history. */
export const inspectInvitation = (platform: Platform, token: string): Promise<Result<Invited>> =>
	platform.send("POST", `${path}/inspect`, { token }, invited);

/** Creates the account. It does not sign in. */
export const acceptInvitation = (
	platform: Platform,
	{ token, name, password }: { readonly token: string; readonly name: string; readonly password: string },
): Promise<Result<undefined>> => platform.send("POST", `${path}/accept`, { token, name, password }, nothing);
