import type { ToastAction } from "../../kit/toast";
import type { App } from "../app/app";
import type { Failure } from "../data/request";
import { sentenceOf } from "../words/failure";
import { permissionName } from "../words/permissions";
import { t } from "../words/words";

/** The text for a refused write. */
export function refusalOf(failure: Failure, permission: string): string {
	if (failure.status !== 403) return sentenceOf(failure);
	if (failure.code === "SECOND_FACTOR_MISSING") return t("passkeyFirst");
	return t("noAccess", { permission: permissionName(permission) });
}

/** Reports a refused write. If the permission is missing, the principal's permissions are read again. */
export function refuse(app: App, failure: Failure, permission: string, again?: ToastAction["run"]): void {
	const retry = again && failure.status !== 403 ? { label: t("tryAgain"), run: again } : undefined;
	app.announce(refusalOf(failure, permission), "assertive", retry);
	if (failure.status === 401 || failure.status === 403) void app.data.navigation.load();
}
