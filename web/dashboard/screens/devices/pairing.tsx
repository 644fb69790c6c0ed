import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { DraftNote, mayClose, useDraft } from "../../../kit/draft";
import { Checkbox, CodeInput, focusFirstError, Form, TextField } from "../../../kit/field";
import { Icon } from "../../../kit/icons";
import { Tile } from "../../../kit/layout";
import { nameError } from "../../../kit/names";
import type { App } from "../../app/app";
import { useKept } from "../../app/kept";
import { approvePairing, findPairing, type Pairing, rejectPairing } from "../../data/devices";
import type { Failure } from "../../data/request";
import { refusalOf, refuse } from "../../shell/refusal";
import { ago } from "../../words/times";
import { t } from "../../words/words";
import { manageDevices } from "../modules/permissions";
import { useCountdown } from "../signin/countdown";
import { w } from "./words";

/** After this many wrong codes the form pauses, for this many seconds. */
const wrongCodes = 5;
const pause = 30;

interface FindCodeProps {
	readonly app: App;
	/** The code in the link of the screen's QR code. */
	readonly start: string;
	onPaired(): void;
}

/** Finds the pairing request of a screen by its code, and pairs it. */
export function FindCode({ app, start, onPaired }: FindCodeProps) {
	const [code, setCode] = useKept(app, "admin/screens", "code", start.replace(/\D/g, "").slice(0, 6));
	const [fault, setFault] = useState<string>();
	const wrong = useRef(0); // two answers may arrive without a rendering in between
	const [found, setFound] = useKept<Pairing | undefined>(app, "admin/screens", "found", undefined);
	const [seconds, wait] = useCountdown();
	const [refused, setRefused] = useState(false);
	const find = async () => {
		if (seconds > 0) return;
		if (code.length < 6) return setFault(w("six"));
		const answer = await findPairing(app.platform, code);
		const tooMany = !answer.ok && answer.status === 429;
		setFault(answer.ok || tooMany ? undefined : faultOf(answer));
		setFound(answer.ok ? answer.value : undefined);
		setRefused(tooMany);
		if (tooMany) return wait(answer.retryAfter ?? pause);
		if (answer.ok || answer.status !== 404) return;
		wrong.current = (wrong.current + 1) % wrongCodes;
		if (wrong.current === 0) wait(pause);
	};
	useEffect(() => {
		if (code.length === 6) void find();
	}, []);
	const done = () => {
		setFound(undefined);
		setCode("");
	};
	return (
		<>
			<Form class="host-find-code" onSubmit={find}>
				<CodeInput
					label={w("code")}
					help={w("codeHelp")}
					value={code}
					onInput={setCode}
					error={seconds > 0 ? pausedFor(seconds, refused) : fault}
				/>
				<Button submit disabled={seconds > 0}>
					{w("find")}
				</Button>
			</Form>
			{found && (
				<Found
					key={found.pairingCode}
					app={app}
					pairing={found}
					onDone={done}
					onPaired={() => {
						done();
						onPaired();
					}}
					onFault={(words) => {
						done();
						setFault(words);
					}}
				/>
			)}
		</>
	);
}

/** Why the form pauses: the platform has refused, after codes that were wrong on this page or elsewhere. */
function pausedFor(seconds: number, refused: boolean): string {
	return refused ? w("tooMany", { count: Math.ceil(seconds / 60) }) : w("paused", { count: seconds });
}

function faultOf(failure: Failure): string {
	if (failure.status === 409) return w("decided");
	return failure.status === 404 ? w("unknown") : refusalOf(failure, manageDevices);
}

interface FoundProps {
	readonly app: App;
	readonly pairing: Pairing;
	onDone(): void;
	onPaired(): void;
	/** Called if the code can no longer be paired. */
	onFault(words: string): void;
}

/** The pairing request that was found. The person confirms that they see the screen. */
function Found({ app, pairing, onDone, onPaired, onFault }: FoundProps) {
	const { pairingCode: code, moduleName: module, description, createdAt } = pairing;
	const draft = useDraft(app.drafts.of("admin/screens"), "name", "");
	const name = draft.value;
	const [sees, setSees] = useState(false);
	const [tried, setTried] = useState(false);
	const card = useRef<HTMLDivElement>(null);
	useEffect(() => card.current?.querySelector("input")?.focus(), []);
	const wrong = name.trim() === "" ? w("nameNeeded") : nameError(name, 80);
	const pair = async () => {
		setTried(true);
		if (wrong !== undefined || !sees) return card.current ? focusFirstError(card.current) : undefined;
		const answer = await approvePairing(app.platform, code, name.trim());
		if (answer.ok) {
			app.announce(w("paired", { name: answer.value.label }));
			draft.discard();
			onPaired();
		} else if (answer.status === 404) onFault(w("expired"));
		else if (answer.status === 409) onFault(w("decided"));
		else refuse(app, answer, manageDevices, pair);
	};
	const reject = async () => {
		const answer = await rejectPairing(app.platform, code);
		if (!answer.ok) return refuse(app, answer, manageDevices, reject);
		app.announce(w("rejected"));
		draft.discard();
		onDone();
	};
	const cancel = async () => {
		if (await mayClose(draft, (question) => app.questions.ask(question))) onDone();
	};
	const spaced = `${code.slice(0, 3)} ${code.slice(3)}`;
	return (
		<div ref={card} class="d-card host-found" role="group" aria-label={w("asks", { code: spaced, module })}>
			<div class="host-thing">
				<Tile icon="screen" lit />
				<div>
					<strong>{w("asks", { code: spaced, module })}</strong>
					<p class="d-second">{w("asked", { when: ago(createdAt, app.clock.now()), description })}</p>
				</div>
			</div>
			<Form onSubmit={pair}>
				<DraftNote draft={draft} />
				<TextField
					label={w("name")}
					value={name}
					maxLength={80}
					onInput={draft.set}
					error={tried ? wrong : undefined}
				/>
				<div>
					<Checkbox label={w("see")} checked={sees} onChange={setSees} />
					{tried && !sees && (
						<p class="d-wrong" role="alert">
							<Icon name="alert" size={16} />
							{w("seeNeeded")}
						</p>
					)}
				</div>
				<div class="d-row">
					<Button kind="primary" submit>
						{w("pair")}
					</Button>
					<Button kind="text" onPress={cancel}>
						{t("cancel")}
					</Button>
					<Button kind="quiet" onPress={reject}>
						{w("reject")}
					</Button>
				</div>
			</Form>
		</div>
	);
}
