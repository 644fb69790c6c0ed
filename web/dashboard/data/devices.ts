import type { Platform } from "./platform";
import { nothing, type Result } from "./request";
import { listOf, object, orNull, text } from "./shape";

const device = object({
	id: text,
	label: text,
	moduleId: text,
	createdAt: text,
	lastSeenAt: orNull(text),
	revokedAt: orNull(text),
});
const display = object({ moduleId: text, name: text, path: text });
const list = object({ devices: listOf(device), displays: listOf(display) });
const pairing = object({
	pairingCode: text,
	moduleId: text,
	moduleName: text,
	description: text,
	createdAt: text,
	expiresAt: text,
});

export type Device = ReturnType<typeof device>;
/** A display that a screen can open. */
export type Display = ReturnType<typeof display>;
export type DeviceList = ReturnType<typeof list>;
export type Pairing = ReturnType<typeof pairing>;

const base = "/api/v1/device-pairing";

export const readDevices = (platform: Platform): Promise<Result<DeviceList>> =>
	platform.read("/api/v1/devices", list);
/** The pairing request with this code. Codes can be looked up, but not listed. */
export const findPairing = (platform: Platform, code: string): Promise<Result<Pairing>> =>
	platform.read(`${base}/requests/${code}`, pairing);
export const approvePairing = (platform: Platform, code: string, label: string): Promise<Result<Device>> =>
	platform.send("POST", `${base}/${code}/approve`, { label }, device);
export const rejectPairing = (platform: Platform, code: string): Promise<Result<undefined>> =>
	platform.send("POST", `${base}/${code}/reject`, {}, nothing);
export const renameDevice = (platform: Platform, id: string, label: string): Promise<Result<Device>> =>
	platform.send("PUT", `/api/v1/devices/${id}`, { label }, device);
export const removeDevice = (platform: Platform, id: string): Promise<Result<Device>> =>
	platform.send("POST", `/api/v1/devices/${id}/revoke`, {}, device);
