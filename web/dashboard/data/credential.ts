/**
 * Passkeys between the server's JSON and the browser (WebAuthn Level 3, section 5.1.9). Browsers of our floor
 * cannot convert it themselves.
 */

/** Whether this browser can use passkeys; it cannot on a page without HTTPS. */
export const hasPasskeys = (): boolean => "PublicKeyCredential" in globalThis && "credentials" in navigator;

interface Descriptor extends Omit<PublicKeyCredentialDescriptor, "id"> {
	readonly id: string;
}
interface CreationOptions
	extends Omit<PublicKeyCredentialCreationOptions, "challenge" | "user" | "excludeCredentials"> {
	readonly challenge: string;
	readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
	readonly excludeCredentials?: readonly Descriptor[];
}
interface RequestOptions extends Omit<PublicKeyCredentialRequestOptions, "challenge" | "allowCredentials"> {
	readonly challenge: string;
	readonly allowCredentials?: readonly Descriptor[];
}

/** Makes a passkey. It rejects with the browser's DOMException. */
export async function newCredential(given: unknown): Promise<object> {
	const { challenge, user, excludeCredentials = [], ...others } = given as CreationOptions;
	const made = (await navigator.credentials.create({
		publicKey: {
			...others,
			challenge: bytes(challenge),
			user: { ...user, id: bytes(user.id) },
			excludeCredentials: excludeCredentials.map(withId),
		},
	})) as PublicKeyCredential;
	const response = made.response as AuthenticatorAttestationResponse;
	return inJSON(made, {
		attestationObject: text(response.attestationObject),
		transports: response.getTransports?.() ?? [],
	});
}

/** Uses a passkey. It rejects with the browser's DOMException: NotFoundError, if all are in other devices. */
export async function usedCredential(given: unknown): Promise<object> {
	const { challenge, allowCredentials = [], ...others } = given as RequestOptions;
	const builtIn = allowCredentials.every(({ transports }) => String(transports) === "internal");
	if (builtIn && !(await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable()))
		throw new DOMException("", "NotFoundError");
	const used = (await navigator.credentials.get({
		publicKey: { ...others, challenge: bytes(challenge), allowCredentials: allowCredentials.map(withId) },
	})) as PublicKeyCredential;
	const response = used.response as AuthenticatorAssertionResponse;
	return inJSON(used, {
		authenticatorData: text(response.authenticatorData),
		signature: text(response.signature),
		...(response.userHandle && { userHandle: text(response.userHandle) }),
	});
}

const inJSON = ({ id, rawId, type, response }: PublicKeyCredential, more: object): object => ({
	id,
	rawId: text(rawId),
	type,
	response: { clientDataJSON: text(response.clientDataJSON), ...more },
	clientExtensionResults: {},
});

const withId = (descriptor: Descriptor): PublicKeyCredentialDescriptor => ({
	...descriptor,
	id: bytes(descriptor.id),
});

/** Bytes of base64url. */
const bytes = (encoded: string): Uint8Array<ArrayBuffer> =>
	Uint8Array.from(atob(encoded.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

const text = (buffer: ArrayBuffer): string =>
	btoa(String.fromCharCode(...new Uint8Array(buffer)))
		.replaceAll("+", "-")
		.replaceAll("/", "_")
		.replaceAll("=", "");
